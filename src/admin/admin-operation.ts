import { allProblems, errorPageAddress, type ProblemCode, problemReason } from '../errors/catalogue.ts'
import type { Entry } from '../errors/entry.ts'
import { problemOf } from '../http/api-edge.ts'
import type { ResponseHeader } from '../http/openapi/headers.ts'
import { requestHeaders } from '../http/openapi/headers.ts'
import type { Operation, Response } from '../http/openapi/operation.ts'
import Type, { type TSchema } from '../typebox.ts'
import type { Scope } from './scopes.ts'

export type AdminTag =
  | 'Partners'
  | 'Users'
  | 'Directory'
  | 'Grants'
  | 'Keys'
  | 'Providers'
  | 'Audit'
  | 'Logs'
  | 'Settings'
  | 'Operators'
  | 'Incidents'

/** What a route says about itself in the OpenAPI document. The edge adds scope, parameters, body and errors. */
export type AdminOperation = {
  operationId: string
  tag: AdminTag
  summary: string
  description: string
  /** The successful responses by status. */
  responses: Record<number, Response>
  /** Problems of the state that the route answers. */
  problems?: readonly (404 | 409 | 422)[]
}

const everyResponse = ['X-API-Request-ID', 'Cache-Control'] as const

/** A successful response with a JSON body. */
export function adminJson(
  schema: TSchema,
  description: string,
  headers: readonly ResponseHeader[] = [],
): Response {
  return { description, headers: [...everyResponse, ...headers], mediaType: 'application/json', schema }
}

/** 201 of a request that may have an Idempotency-Key. */
export function adminCreated(schema: TSchema, description: string): Response {
  return adminJson(schema, description, ['Location', 'Idempotency-Replayed'])
}

/** 204 */
export const noContent: Response = { description: 'Done. The answer has no body.', headers: everyResponse }

const codes = Object.entries<Entry>(allProblems)
  .filter(([, { sentBy }]) => sentBy.includes('admin'))
  .map(([code]) => code)

/** The schema of `Problem` in src/http/api-edge.ts, with the codes of the admin API. */
const AdminProblem = Type.Object(
  {
    type: Type.String({ description: 'The address of the page about this code.', format: 'uri' }),
    title: Type.String({ description: 'The code in words, for people.' }),
    status: Type.Integer({ description: 'The status of the response.', minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What happened and what to do, for people.' }),
    code: Type.Unsafe<ProblemCode>({
      type: 'string',
      enum: codes,
      description: 'What happened, for programs. A code does not change its meaning.',
    }),
    request_id: Type.String({ description: 'The `X-API-Request-ID` of the response.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            line: Type.Optional(
              Type.Integer({ description: 'The line of the body, in a body with one row on each line.' }),
            ),
            parameter: Type.String({ description: 'The name of the parameter or field.' }),
            detail: Type.String({ description: 'What is wrong with it, for people.' }),
          },
          { $id: 'InvalidField', description: 'A parameter or field that the server does not accept.' },
        ),
        { description: 'Each invalid parameter or field.' },
      ),
    ),
  },
  { $id: 'Problem', description: 'An error of the admin API (RFC 9457).' },
)

const requestId = requestHeaders['X-API-Request-ID'].example

function problem(
  name: string,
  description: string,
  [code, detail, status]: [ProblemCode, string, number?],
  headers: readonly ResponseHeader[] = [],
): Response {
  const value = problemOf(code, {
    type: errorPageAddress('{base_url}', code),
    detail,
    requestId,
    ...(status && { status }),
  })
  return {
    name,
    description,
    headers: [...everyResponse, ...headers],
    mediaType: 'application/problem+json',
    schema: AdminProblem,
    examples: { [code]: { summary: value.title, value } },
  }
}

const problems = {
  400: problem('BadRequest', 'The request is malformed, or a parameter in the query is invalid.', [
    'invalid_parameter',
    'limit must be a whole number from 1 to 1000, in decimal digits.',
  ]),
  401: problem(
    'Unauthorized',
    'The API key is missing, unknown, expired or revoked.',
    ['invalid_api_key', problemReason('key_missing').explanation],
    ['WWW-Authenticate'],
  ),
  403: problem(
    'Forbidden',
    'The API key does not have the scope.',
    ['insufficient_scope', problemReason('scope_missing', 'partners:write').explanation],
    ['WWW-Authenticate'],
  ),
  404: problem('NotFound', 'There is no such resource.', ['not_found', 'There is no partner test_1.']),
  408: problem('RequestTimeout', 'The request did not arrive in time. Send it again.', [
    'bad_request',
    'The request did not arrive in time.',
    408,
  ]),
  409: problem('Conflict', 'The request does not fit the present state. Nothing was changed.', [
    'conflict',
    'Another operator changed the partner at the same time. Nothing was changed here. Try again.',
  ]),
  413: problem('ContentTooLarge', 'The request body is too large.', [
    'bad_request',
    'The request body is too large.',
    413,
  ]),
  415: problem('UnsupportedMediaType', 'The request body is not JSON in UTF-8, or it is compressed.', [
    'bad_request',
    'Send the body as application/json, in UTF-8 and not compressed.',
    415,
  ]),
  422: problem('InvalidContent', 'A field of the body is unknown or invalid. Nothing was changed.', [
    'invalid_content',
    'nmae is not a field of this request.',
  ]),
  429: problem(
    'TooManyRequests',
    'Too many requests with invalid API keys came from your address.',
    ['too_many_requests', 'Too many invalid API keys from your address. Try again in 30 seconds.'],
    ['Retry-After'],
  ),
  431: problem('HeadersTooLarge', 'The address and the headers are larger than 16 kB.', [
    'bad_request',
    'The address and headers are larger than 16 kB.',
    431,
  ]),
  500: problem('InternalError', 'A fault of the server. Its log has the reason under `request_id`.', [
    'internal_error',
    'Internal server error. Report the request ID to the operator of this service.',
  ]),
  503: problem(
    'Unavailable',
    'The server cannot answer at the moment. Send the request again after the time in `Retry-After`.',
    ['unavailable', 'The service is temporarily unavailable. Try again in a moment.'],
    ['Retry-After'],
  ),
} satisfies Record<number, Response>

/** The complete operation of a route. */
export function operationOf(
  { problems: ofState = [], description, responses, ...rest }: AdminOperation,
  route: { scope: Scope; body: { mediaType: string; schema: TSchema } | undefined; creates: boolean },
): Operation {
  const { scope, body, creates } = route
  const { 404: notFound, 409: conflict, 413: tooLarge, 415: mediaTypes, 422: invalid, ...always } = problems
  const optional = { 404: notFound, 409: conflict, 422: invalid }
  return {
    ...rest,
    description: `${description}\n\nScope: \`${scope}\`.`,
    authentication: 'apiKey',
    ...(creates && { headers: ['Idempotency-Key'] }),
    ...(body && {
      body: { description: 'What to do.', required: true, mediaTypes: [body.mediaType], schema: body.schema },
    }),
    responses: {
      ...responses,
      ...always,
      ...(body && { 413: tooLarge, 415: mediaTypes, 422: invalid }),
      ...Object.fromEntries(ofState.map((status) => [status, optional[status]])),
    },
  }
}
