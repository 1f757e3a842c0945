/** The request headers of the API in the OpenAPI document. */
export const requestHeaders = {
  'X-API-Request-ID': {
    description:
      'Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.',
    schema: { type: 'string' },
    example: 'nightly-sync-2026-11-21-0001',
  },
  'If-None-Match': {
    description:
      'The `ETag` of a page that you have kept. The answer is 304 without a body if the page is unchanged for this user.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    description:
      'A new random text of 16 to 128 visible ASCII characters for each request. If you do not receive the answer, repeat the request with the same key within 24 hours: it is carried out once.',
    schema: { type: 'string', pattern: '^[!-~]{16,128}$' },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  },
} as const

/** The response headers in the OpenAPI document. A required header is in every response that names it. */
export const responseHeaders = {
  'X-API-Request-ID': {
    description:
      'The identifier of this request: yours, or one that the server generated. Quote it when you contact the operator.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._~:+/=-]{1,128}$' },
  },
  'Cache-Control': {
    description:
      '`private, no-cache`: your application may keep the page and revalidates it each time. `no-store`: do not keep the answer.',
    required: true,
    schema: { type: 'string', enum: ['private, no-cache', 'no-store'] },
  },
  ETag: {
    description:
      'Identifies this page as this user sees it. Send it back in `If-None-Match`. Each content coding has its own.',
    required: true,
    schema: { type: 'string', pattern: '^"[^"]+"$' },
  },
  Vary: {
    description: 'The request headers on which the page depends (RFC 9110 section 12.5.5).',
    required: true,
    schema: { type: 'string' },
  },
  Link: {
    description:
      'Addresses of other pages by `rel`: `first`, `prev`, `next`, and `successor-version` for the operation that replaces this one (RFC 8288). Absent if there are none.',
    schema: { type: 'string' },
  },
  Deprecation: {
    description:
      'When the operation became deprecated or will become so: `@` and seconds since 1970 (RFC 9745). Absent until the operator has set a date.',
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: {
    description:
      'The date from which the operation may be gone (RFC 8594). Absent until the operator has set it.',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description:
      'How to authenticate. For an access token it has the `error` of RFC 6750 and the address of the metadata of RFC 9728. In every 401.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'API-Unknown-Parameters': {
    description:
      'The query parameters of the request that the operation does not know and has ignored: a list of strings (RFC 9651), each with `use` if a parameter of the operation is probably meant. Absent if all are known.',
    schema: { type: 'string' },
    example: '"pageSize";use="page_size"',
  },
  RateLimit: {
    description:
      'What is left of each quota: about `r` requests, and in `t` seconds it is renewed. Absent if the operator has set no limits.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description:
      'The quotas that apply: `q` requests in `w` seconds. Absent if the operator has set no limits.',
    schema: { type: 'string' },
  },
  Location: {
    description: 'The address of the new resource.',
    required: true,
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': {
    description:
      '`true`: the request was carried out before, and this is its stored answer without secrets. Absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
  },
} as const

export type RequestHeader = keyof typeof requestHeaders
export type ResponseHeader = keyof typeof responseHeaders

/** In every response to an authenticated request. */
export const everyResponse = ['X-API-Request-ID', 'Cache-Control', 'RateLimit', 'RateLimit-Policy'] as const
/** In answers of operations that take an access token, if the request has parameters that they do not know. */
export const hintHeaders = ['API-Unknown-Parameters'] as const
/** In every page and every 304 in addition. */
export const conditionalHeaders = ['ETag', 'Vary', ...hintHeaders] as const
