import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify'
import { sendFault, sendNotFound, sendProblem } from '../http/api-edge.ts'

/**
 * The errors of an API, and the answers at addresses and for methods that it does not have. Cookies are never read, and no
 * CORS headers are sent: scripts of other sites cannot use it, even in the browser of someone who is logged in.
 * @param name of the API, in texts
 */
export function managementErrors(app: FastifyInstance, name: string): void {
  app.removeContentTypeParser('application/x-www-form-urlencoded')
  const routes: { methods: HTTPMethods[]; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`)
    routes.push({ methods: [method].flat(), pattern })
  })
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof Error && 'validation' in error && Array.isArray(error.validation)) {
      const context = 'validationContext' in error ? String(error.validationContext) : ''
      return sendFaults(reply, context, error.validation)
    }
    const { mediaTypes = ['application/json'] } = request.routeOptions.config.managementOperation?.body ?? {}
    return sendFault(reply, error, request, {
      415: `Send the body as ${mediaTypes.join(' or ')}, in UTF-8 and not compressed.`,
    })
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
    if (methods.length === 0) return sendNotFound(reply, `There is nothing at this address of the ${name}.`)
    const allow = [...new Set(methods)].join(', ')
    const detail = `This address takes ${allow}, not ${request.method}.`
    return sendProblem(reply.header('allow', allow), 'method_not_allowed', detail)
  })
}

/** Names each invalid parameter or field. Text in a path that cannot be an id names nothing that exists. */
function sendFaults(reply: FastifyReply, context: string, faults: unknown[]): FastifyReply {
  if (context === 'params') return sendNotFound(reply, 'There is nothing with this id.')
  const errors = faults.flatMap((fault) => describe(fault, context === 'body' ? 'field' : 'parameter'))
  const detail = errors.map(({ parameter, detail }) => `${parameter} ${detail}.`).join(' ')
  const code = context === 'body' ? 'invalid_content' : 'invalid_parameter'
  return sendProblem(reply, code, detail, { errors })
}

/** More would only repeat the alternatives of a schema. */
const mostNames = 10

/** Allowed values that an error names. */
const mostValues = 30

function describe(fault: unknown, what: string): { parameter: string; detail: string }[] {
  const { instancePath = '', keyword, params, message } = Object(fault)
  const path = String(instancePath).slice(1).replaceAll('/', '.')
  const names = (of: unknown) => (Array.isArray(of) ? of.slice(0, mostNames).map(String) : [])
  const within = (name: string) => (path === '' ? name : `${path}.${name}`)
  if (keyword === 'additionalProperties') {
    return names(Object(params).additionalProperties).map((name) => ({
      parameter: within(name.slice(0, 100)),
      detail: `is not a ${what} of this request`,
    }))
  }
  if (keyword === 'boolean') return [] // says the same of each unknown field
  if (keyword === 'required') {
    return names(Object(params).requiredProperties).map((name) => ({
      parameter: within(name),
      detail: 'is missing',
    }))
  }
  const { format, allowedValues } = Object(params)
  const detail =
    keyword === 'enum' && Array.isArray(allowedValues)
      ? `must be one of ${allowedValues.slice(0, mostValues).map(String).join(', ')}`
      : format === 'date-time'
        ? 'must be an instant, such as 2026-11-22T08:30:00Z'
        : String(message ?? 'is not valid')
  return [{ parameter: path || 'body', detail }]
}
