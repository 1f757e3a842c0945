import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allProblems, type ProblemCode } from '../errors/catalogue.ts'
import { problems } from '../errors/problems.ts'
import Type, { type Static } from '../typebox.ts'
import { addressHint, errorAddress } from './addresses.ts'
import { noteCall } from './call-notes.ts'
import { classify } from './faults.ts'
import { pageForPeople } from './page-for-people.ts'
import { reportUnknownParameters } from './unknown-parameters.ts'

/**
 * The API answers errors with problem+json (RFC 9457), also at addresses that have no route. Its operations report parameters
 * that they do not know.
 */
export function apiEdge(app: FastifyInstance): void {
  apiErrors(app)
  reportUnknownParameters(app)
  app.setNotFoundHandler(
    (request, reply) =>
      pageForPeople(request, reply, 404) ??
      sendNotFound(reply, `There is nothing at this address.${addressHint(app, request.url)}`),
  )
}

/** Answers all other methods at these paths with 405 and `Allow`, instead of 404 (RFC 9110 section 15.5.6). */
export function allowOnly(app: FastifyInstance, allowed: ('GET' | 'POST')[], ...paths: string[]): void {
  const allow = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
  refuseOtherMethods(app, allow, paths, ({ method }, reply) =>
    sendProblem(
      reply.header('allow', allow.join(', ')),
      'method_not_allowed',
      `This address takes ${allow.join(', ')}, not ${method}.`,
    ),
  )
}

/** Refuses a method before the body is read: with a method that is not allowed, the body may be of any type. */
export function refuseOtherMethods(
  app: FastifyInstance,
  allow: string[],
  paths: string[],
  refuse: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): void {
  const method = app.supportedMethods.filter((method) => !allow.includes(method))
  for (const url of paths) {
    app.route({
      method,
      url,
      // Does not call `done`: the request ends here.
      preParsing: (request, reply) => {
        refuse(request, reply)
      },
      handler: () => {},
    })
  }
}

/** Sends errors as problem+json. */
export function apiErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof Error && 'validation' in error && Array.isArray(error.validation)) {
      return sendParameterProblem(reply, error.validation, request.query)
    }
    return sendFault(reply, error, request)
  })
}

/** `explanations`: texts of a client's fault by their status, if they are not the usual ones. */
export function sendFault(
  reply: FastifyReply,
  error: unknown,
  request: FastifyRequest,
  explanations: Record<number, string> = {},
): FastifyReply {
  const { status, kind, explanation } = classify(error)
  if (kind !== 'client') request.log.error(error)
  if (kind === 'unavailable') reply.header('retry-after', '1')
  const codes = { client: 'bad_request', unavailable: 'unavailable', internal: 'internal_error' } as const
  const detail = (kind === 'client' && explanations[status]) || explanation
  return sendProblem(reply, codes[kind], detail, { status })
}

export function sendProblem(
  reply: FastifyReply,
  code: ProblemCode,
  detail: string,
  more: Partial<Pick<Problem, 'status' | 'errors'>> = {},
): FastifyReply {
  noteCall(reply.request, { code, detail })
  const type = errorAddress(reply.server, code)
  const problem = problemOf(code, { type, detail, requestId: reply.request.id, ...more })
  return reply
    .status(problem.status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problem))
}

export function sendNotFound(reply: FastifyReply, detail: string): FastifyReply {
  return sendProblem(reply, 'not_found', detail)
}

/** Names each invalid parameter and says what is wrong with it. */
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
  const detail = errors.map(({ parameter, detail }) => `${parameter} ${detail}.`).join(' ')
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

const InvalidParameter = Type.Object(
  {
    parameter: Type.String({ description: 'The name of the parameter.' }),
    detail: Type.String({ description: 'What is wrong with it, for people.' }),
  },
  { $id: 'InvalidParameter', description: 'A parameter that the server does not accept.' },
)

/** RFC 9457. Programs read `code`, which is stable. `title` and `detail` are for people. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'The address of the page about this code.', format: 'uri' }),
    title: Type.String({ description: 'The code in words, for people.' }),
    status: Type.Integer({ description: 'The status of the response.', minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What happened and what to do, for people.' }),
    code: Type.Unsafe<ProblemCode>({
      type: 'string',
      enum: Object.keys(problems),
      description: 'What happened, for programs. A code does not change its meaning.',
    }),
    request_id: Type.String({ description: 'The `X-API-Request-ID` of the response.' }),
    errors: Type.Optional(
      Type.Array(InvalidParameter, { description: 'Each invalid parameter, with `invalid_parameter`.' }),
    ),
  },
  { $id: 'Problem', description: 'An error of the API (RFC 9457).' },
)
export type Problem = Static<typeof Problem>

/** `status`: if it is not the usual one of the code. */
export function problemOf(
  code: ProblemCode,
  {
    type,
    detail,
    requestId,
    ...more
  }: Pick<Problem, 'type' | 'detail'> & Partial<Pick<Problem, 'status' | 'errors'>> & { requestId: string },
): Problem {
  const { status, title } = allProblems[code]
  return { type, title, status, detail, code, request_id: requestId, ...more }
}
