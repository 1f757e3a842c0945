import Type, { type Static } from 'typebox'

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
