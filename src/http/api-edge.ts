import type { FastifyInstance, FastifyReply } from 'fastify'
import { classify } from './faults.ts'
import { type Problem, type ProblemCode, problemOf } from './problem.ts'

/** The edge of the API: strict parameters in, problem+json out, also where nothing is. */
export function apiEdge(app: FastifyInstance): void {
  apiErrors(app)
  app.setNotFoundHandler((request, reply) =>
    sendNotFound(reply, `there is no ${request.method} at this address`),
  )
}

/** Errors as problem+json. */
export function apiErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof Error && 'validation' in error && Array.isArray(error.validation)) {
      return sendParameterProblem(reply, error.validation, request.query)
    }
    const fault = classify(error)
    if (fault.kind !== 'client') request.log.error(error)
    if (fault.kind === 'unavailable') reply.header('retry-after', '1')
    const codes = { client: 'bad_request', unavailable: 'unavailable', internal: 'internal_error' } as const
    return sendProblem(reply, codes[fault.kind], fault.explanation, { status: fault.status })
  })
}

export function sendProblem(
  reply: FastifyReply,
  code: ProblemCode,
  detail: string,
  more: Partial<Pick<Problem, 'status' | 'errors'>> = {},
): FastifyReply {
  const problem = problemOf(code, detail, reply.request.id, more)
  return reply
    .status(problem.status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problem))
}

export function sendNotFound(reply: FastifyReply, detail: string): FastifyReply {
  return sendProblem(reply, 'not_found', detail)
}

/** Parameters by name, each with what it should have been. */
function sendParameterProblem(reply: FastifyReply, faults: unknown[], query: unknown): FastifyReply {
  return sendInvalidParameters(
    reply,
    faults.map((fault) => describe(fault, query)),
  )
}

export function sendInvalidParameters(
  reply: FastifyReply,
  errors: { parameter: string; detail: string }[],
): FastifyReply {
  const detail = errors.map(({ parameter, detail }) => `${parameter} ${detail}`).join('; ')
  return sendProblem(reply, 'invalid_parameter', detail, { errors })
}

function describe(fault: unknown, query: unknown): { parameter: string; detail: string } {
  const found = typeof fault === 'object' && fault !== null ? fault : {}
  const parameter =
    'instancePath' in found ? String(found.instancePath).slice(1).split('/')[0] || 'query' : 'query'
  const given =
    typeof query === 'object' &&
    query !== null &&
    Object.entries(query).find(([name]) => name === parameter)?.[1]
  if (Array.isArray(given)) return { parameter, detail: 'was sent more than once' }
  return { parameter, detail: 'message' in found ? String(found.message) : 'is not valid' }
}
