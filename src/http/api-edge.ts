import type { FastifyInstance, FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'
import { classify } from './faults.ts'

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

/** RFC 9457. `code` is stable and for programs; `title` and `detail` are for people. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String(),
  request_id: Type.String(),
  errors: Type.Optional(Type.Array(Type.Object({ parameter: Type.String(), detail: Type.String() }))),
})
export type Problem = Static<typeof Problem>

/** Every problem the API can answer with. */
const problems = {
  invalid_parameter: { status: 400, title: 'A parameter is not valid' },
  bad_request: { status: 400, title: 'The request cannot be read' },
  unauthorized: { status: 401, title: 'An access token is needed' },
  invalid_token: { status: 401, title: 'The access token is not valid' },
  not_found: { status: 404, title: 'Not found' },
  sync_expired: { status: 410, title: 'Not all changes since then are known' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something failed on our side' },
  unavailable: { status: 503, title: 'The service cannot answer right now' },
} as const

export type ProblemCode = keyof typeof problems

export function problemOf(
  code: ProblemCode,
  detail: string,
  requestId: string,
  more: Partial<Pick<Problem, 'status' | 'errors'>> = {},
): Problem {
  const type = `urn:latchkey:problem:${code}`
  const { status, title } = problems[code]
  return { type, title, status, detail, code, request_id: requestId, ...more }
}
