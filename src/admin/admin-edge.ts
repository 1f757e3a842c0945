import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { type Origin, originOf } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { sendFault, sendNotFound, sendProblem } from '../http/api-edge.ts'
import { MalformedParameters } from '../http/parameters.ts'
import type { Static, TObject, TSchema } from '../typebox.ts'
import { type AdminOperation, operationOf } from './admin-operation.ts'
import { type AdminAnswer, sendAnswer } from './answers.ts'
import { ApiKeyAuthentication } from './authenticate.ts'
import { type IdempotencyKey, idempotencyKeyOf, once } from './idempotency.ts'
import { closed } from './page.ts'
import type { Actor, Scope } from './scopes.ts'

const authentication = Symbol('authentication of API keys')
const actorOf = Symbol('actor')

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A call of the admin API, authenticated, with the scope of its route, and validated. */
export type AdminCall<P extends TObject, Q extends TObject, B extends TSchema> = {
  request: FastifyRequest<{ Params: Static<P>; Querystring: Static<Q>; Body: Static<B> }>
  reply: FastifyReply
  actor: Actor
  origin: Origin
  /** With an Idempotency-Key: the transaction of the request. */
  database: Database
  /** Only for a route with `creates: 'itself'`: its Idempotency-Key. */
  key: IdempotencyKey | undefined
}

export type AdminRoute<P extends TObject, Q extends TObject, B extends TSchema> = {
  method: Method
  /** Below `{auth_url}/admin/v1`: `/partners/:client_id`. */
  url: string
  scope: Scope
  /** Objects in the body and the query must be closed (`additionalProperties: false`): see `closed`. */
  schema?: { params?: P; querystring?: Q; body?: B }
  operation: AdminOperation
  /**
   * A request that creates: it may have an Idempotency-Key, and then runs in one transaction. `itself`: the route carries it
   * out in a transaction that it opens itself, with `once`.
   */
  creates?: true | 'itself'
  /** Only for a body that is not JSON: how the document describes it. It needs a parser in its scope. */
  text?: { mediaType: string; schema: TSchema }
  /** Bytes of the body. Default: 64 kB. */
  bodyLimit?: number
}

type NoFields = TObject<Record<never, never>>

/** A route's description, in a file of operations. */
export function describeRoute<
  P extends TObject = NoFields,
  Q extends TObject = NoFields,
  B extends TSchema = NoFields,
>(route: AdminRoute<P, Q, B>): AdminRoute<P, Q, B> {
  return route
}

/**
 * Serves one operation of the admin API. The checks, in order: API key, scope, media type and size, JSON, schema. Nothing
 * of the request's body is read before the key and its scope are known.
 */
export function adminRoute<
  P extends TObject = NoFields,
  Q extends TObject = NoFields,
  B extends TSchema = NoFields,
>(
  app: FastifyInstance,
  { database }: Pick<Context, 'database'>,
  route: AdminRoute<P, Q, B>,
  handler: (call: AdminCall<P, Q, B>) => Promise<AdminAnswer>,
): void {
  const { method, url, scope, creates = false } = route
  const schema = { querystring: closed({}), ...route.schema }
  const json = schema.body && { mediaType: 'application/json', schema: schema.body }
  const body = route.text ?? json
  const keys = app.getDecorator<ApiKeyAuthentication>(authentication)
  app.route<{ Params: Static<P>; Querystring: Static<Q>; Body: Static<B> }>({
    method,
    url,
    schema,
    ...(route.bodyLimit && { bodyLimit: route.bodyLimit }),
    config: { adminOperation: operationOf(route.operation, { scope, body, creates: creates !== false }) },
    onRequest: async (request, reply) => {
      const actor = await keys.actorOf(request, reply, scope)
      if (actor === undefined) return reply
      request.setDecorator(actorOf, actor)
    },
    handler: async (request, reply) => {
      // PostgreSQL's text type cannot store NUL.
      if (hasNul(request.params)) return sendNotFound(reply, 'There is nothing with this id.')
      if (json && hasNul(request.body)) throw new MalformedParameters('The body contains the character NUL.')
      const actor = request.getDecorator<Actor>(actorOf)
      const origin = originOf(request, 'admin_api', actor)
      const key = creates ? idempotencyKeyOf(request, actor) : undefined
      if (key === 'malformed') {
        return sendProblem(
          reply,
          'bad_request',
          'Idempotency-Key must have 16 to 128 visible ASCII characters.',
        )
      }
      const handle = (on: Database) => handler({ request, reply, actor, origin, database: on, key })
      const answer =
        key && creates === true
          ? await inTransaction<AdminAnswer>(
              (work) => database.withChangeConnection(work),
              (transaction) => once(transaction, key, () => handle(transaction)),
              ({ kind }) => kind !== 'problem',
            )
          : await handle(database)
      return sendAnswer(reply, answer)
    },
  })
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  const isObject = typeof value === 'object' && value !== null && !Buffer.isBuffer(value)
  return isObject && Object.entries(value).flat().some(hasNul)
}

/**
 * The errors of the admin API, and the answers at addresses and for methods that it does not have. Cookies are never read,
 * and no CORS headers are sent: scripts of other sites cannot use it, even in an operator's browser.
 */
export function adminEdge(app: FastifyInstance, context: Context): void {
  app.decorate(authentication, new ApiKeyAuthentication(context))
  app.decorateRequest(actorOf, null)
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
    const { mediaTypes = ['application/json'] } = request.routeOptions.config.adminOperation?.body ?? {}
    return sendFault(reply, error, request, {
      415: `Send the body as ${mediaTypes.join(' or ')}, in UTF-8 and not compressed.`,
    })
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
    if (methods.length === 0) return sendNotFound(reply, 'There is nothing at this address of the admin API.')
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
  return [{ parameter: path || 'body', detail: String(message ?? 'is not valid') }]
}
