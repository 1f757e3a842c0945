import { errorPageAddress, type OAuthErrorCode, type ProblemCode } from '../../errors/catalogue.ts'
import { Problem, problemOf } from '../api-edge.ts'
import { OAuthError, oauthErrorOf } from '../oauth-edge.ts'
import { bearerRefusal, tokenRefusal } from '../refusals.ts'
import { everyResponse, hintHeaders, type ResponseHeader, requestHeaders } from './headers.ts'
import type { Response } from './operation.ts'

// The error responses that operations share. test/flows/openapi-examples.test.ts provokes each example.

const requestId = requestHeaders['X-API-Request-ID'].example

type ProblemExample = [code: ProblemCode, detail: string, more?: Partial<Pick<Problem, 'status' | 'errors'>>]

/** Headers of an answer to a request that the server could not read far enough to count it. */
const unreadHeaders = ['X-API-Request-ID', 'Cache-Control'] as const

const apiResponse = [...everyResponse, ...hintHeaders] as const

/** An error response of the API. Each example is named by its code. */
export function problem(
  description: string,
  examples: ProblemExample[],
  { name, headers = apiResponse }: { name: string; headers?: readonly ResponseHeader[] },
): Response {
  return {
    name,
    description,
    headers,
    mediaType: 'application/problem+json',
    schema: Problem,
    examples: Object.fromEntries(
      examples.map(([code, detail, more]) => {
        const type = errorPageAddress('{base_url}', code)
        const value = problemOf(code, { type, detail, requestId, ...more })
        return [code, { summary: value.title, value }]
      }),
    ),
  }
}

const retryLater = [...apiResponse, 'Retry-After'] as const
const pageSizeRange = 'must be a whole number from 1 to 1000, in decimal digits'

/** The error responses of every operation that takes an access token. */
export const apiProblems = {
  400: problem(
    'The request is malformed, or a parameter is invalid. `errors` names each invalid parameter.',
    [
      [
        'invalid_parameter',
        `page_size ${pageSizeRange}.`,
        { errors: [{ parameter: 'page_size', detail: pageSizeRange }] },
      ],
      ['bad_request', 'A parameter is not percent-encoded UTF-8.'],
    ],
    { name: 'BadRequest' },
  ),
  401: problem(
    'The access token is missing, expired, revoked or otherwise invalid, or the user must connect again with a stronger login. `detail` says which, and what to do.',
    [
      ['unauthorized', bearerRefusal('missing').explanation],
      ['invalid_token', bearerRefusal('expired').explanation],
      ['insufficient_user_authentication', bearerRefusal('two_factors_required').explanation],
    ],
    { name: 'Unauthorized', headers: [...apiResponse, 'WWW-Authenticate'] },
  ),
  408: problem(
    'The request did not arrive in time. Send it again.',
    [['bad_request', 'The request did not arrive in time.', { status: 408 }]],
    { name: 'RequestTimeout', headers: unreadHeaders },
  ),
  429: problem(
    'Too many requests. Wait for the time in `Retry-After`, then send the request again.',
    [
      [
        'too_many_requests',
        'Too many searches of this access token are running or waiting. Wait for their answers. To read many pages, follow the rel="next" link of the Link header: it costs the same on every page.',
      ],
    ],
    { name: 'TooManyRequests', headers: retryLater },
  ),
  431: problem(
    'The address and the headers are larger than 16 kB.',
    [['bad_request', 'The address and headers are larger than 16 kB.', { status: 431 }]],
    { name: 'HeadersTooLarge', headers: unreadHeaders },
  ),
  500: problem(
    'A fault of the server. Report `request_id` to the operator.',
    [['internal_error', 'Internal server error. Report the request ID to the operator of this service.']],
    { name: 'InternalError' },
  ),
  503: problem(
    'The server cannot answer at the moment. The access token is still valid: send the request again after the time in `Retry-After`.',
    [['unavailable', 'The service is temporarily unavailable. Try again in a moment.']],
    { name: 'Unavailable', headers: retryLater },
  ),
}

/** The error responses of a request body. */
export const bodyProblems = {
  413: problem(
    'The request body is larger than 64 kB.',
    [['bad_request', 'The request body is too large.', { status: 413 }]],
    { name: 'ContentTooLarge' },
  ),
  415: problem(
    'The request body is neither a form nor JSON in UTF-8, or it is compressed.',
    [
      [
        'bad_request',
        'Send the body as application/x-www-form-urlencoded or application/json, in UTF-8 and not compressed.',
        { status: 415 },
      ],
    ],
    { name: 'UnsupportedMediaType' },
  ),
}

function oauthError(
  name: string,
  description: string,
  examples: [error: OAuthErrorCode, explanation: string, anchor?: string][],
  headers: ResponseHeader[] = [],
): Response {
  return {
    name: `Token${name}`,
    description,
    headers: [...everyResponse, ...headers],
    mediaType: 'application/json',
    schema: OAuthError,
    examples: Object.fromEntries(
      examples.map(([error, explanation, anchor]) => [
        error,
        {
          summary: error,
          value: oauthErrorOf(error, {
            explanation,
            uri: errorPageAddress('{base_url}', error, anchor),
            requestId,
          }),
        },
      ]),
    ),
  }
}

const unknownCode = tokenRefusal('unknown_code')
const unknownClient = tokenRefusal('unknown_client')
const noGrantType = tokenRefusal('no_grant_type')

/** The error responses of the token endpoints. */
export const tokenErrors = {
  400: oauthError(
    'BadRequest',
    'The request was refused. `error` is for programs, `error_description` says what to change.',
    [
      [unknownCode.error, unknownCode.explanation, unknownCode.anchor],
      [noGrantType.error, noGrantType.explanation, noGrantType.anchor],
    ],
  ),
  401: oauthError(
    'Unauthorized',
    'The credentials of the partner are missing or invalid.',
    [[unknownClient.error, unknownClient.explanation, unknownClient.anchor]],
    ['WWW-Authenticate'],
  ),
  408: apiProblems[408],
  413: oauthError('ContentTooLarge', bodyProblems[413].description, [
    ['invalid_request', 'The request body is too large.', 'malformed-request'],
  ]),
  415: oauthError('UnsupportedMediaType', bodyProblems[415].description, [
    [
      'invalid_request',
      'Send the body as application/x-www-form-urlencoded or application/json, in UTF-8 and not compressed.',
      'malformed-request',
    ],
  ]),
  429: oauthError('TooManyRequests', apiProblems[429].description, [], ['Retry-After']),
  431: apiProblems[431],
  500: oauthError('InternalError', apiProblems[500].description, [
    ['server_error', 'Internal server error. Report the request ID to the operator of this service.'],
  ]),
  503: oauthError(
    'Unavailable',
    'The server cannot answer at the moment. Send the request again after the time in `Retry-After`, with the same refresh token.',
    [['temporarily_unavailable', 'The service is temporarily unavailable. Try again in a moment.']],
    ['Retry-After'],
  ),
}
