import { allProblems, errorPageAddress, type ProblemCode, problemReason } from '../errors/catalogue.ts'
import type { Entry } from '../errors/entry.ts'
import { problemOf } from '../http/api-edge.ts'
import type { ResponseHeader } from '../http/openapi/headers.ts'
import { requestHeaders } from '../http/openapi/headers.ts'
import type { Operation, Response } from '../http/openapi/operation.ts'
import Type, { type TSchema } from '../typebox.ts'

/** What a route says about itself in the OpenAPI document. The edge adds the right, parameters, body and errors. */
export type ManagementOperation = {
  operationId: string
  /** The name of its group. */
  tag: string
  summary: string
  description: string
  /** The successful responses by status. */
  responses: Record<number, Response>
  /** Problems of the state that the route answers. */
  problems?: readonly (404 | 409 | 422)[]
}

const everyResponse = ['X-API-Request-ID', 'Cache-Control'] as const

/** A successful response with a JSON body. */
export function jsonResponse(
  schema: TSchema,
  description: string,
  headers: readonly ResponseHeader[] = [],
): Response {
  return { description, headers: [...everyResponse, ...headers], mediaType: 'application/json', schema }
}

/** 201 of a request that may have an Idempotency-Key. */
export function createdResponse(schema: TSchema, description: string): Response {
  return jsonResponse(schema, description, ['Location', 'Idempotency-Replayed'])
}

/** 204 */
export const noContent: Response = { description: 'Done. The answer has no body.', headers: everyResponse }

const codes = Object.entries<Entry>(allProblems)
  .filter(([, { sentBy }]) => sentBy.includes('management'))
  .map(([code]) => code)

/** The schema of `Problem` in src/http/api-edge.ts, with the codes of these APIs. */
const ManagementProblem = Type.Object(
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
  { $id: 'Problem', description: 'An error of this API (RFC 9457).' },
)

/** The code and detail of a problem, and its status if that is not the usual one of the code. */
type ResponseExample = [code: ProblemCode, detail: string, status?: number]

const requestId = requestHeaders['X-API-Request-ID'].example

function problem(
  name: string,
  description: string,
  [code, detail, status]: ResponseExample,
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
    schema: ManagementProblem,
    examples: { [code]: { summary: value.title, value } },
  }
}

/** The problems that all APIs describe in the same words. */
const commonProblems = {
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
  408: problem('RequestTimeout', 'The request did not arrive in time. Send it again.', [
    'bad_request',
    'The request did not arrive in time.',
    408,
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
    'Too many requests with invalid API keys came from your address, or too many with valid ones.',
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
}

/** Examples of the refusals that differ between the APIs. */
export type Examples = Record<403 | 404 | 409, ResponseExample>

const problemsOf = (examples: Examples) =>
  ({
    ...commonProblems,
    403: problem('Forbidden', 'The API key may not do this.', examples[403], ['WWW-Authenticate']),
    404: problem('NotFound', 'There is no such resource.', examples[404]),
    409: problem(
      'Conflict',
      'The request does not fit the present state. Nothing was changed.',
      examples[409],
    ),
  }) satisfies Record<number, Response>

/** The complete operation of a route. `needs`: a sentence about the right that it needs. */
export function operationOf(
  { problems: ofState = [], description, responses, ...rest }: ManagementOperation,
  {
    needs,
    body,
    creates,
    examples,
  }: {
    needs: string
    body: { mediaType: string; schema: TSchema } | undefined
    creates: boolean
    examples: Examples
  },
): Operation {
  const all = problemsOf(examples)
  const { 404: notFound, 409: conflict, 413: tooLarge, 415: mediaTypes, 422: invalid, ...always } = all
  const optional = { 404: notFound, 409: conflict, 422: invalid }
  return {
    ...rest,
    description: `${description}\n\n${needs}`,
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
