import type { components } from './api.generated.ts'

/**
 * What went wrong, for programs: the codes of the API, of its token endpoint, and of this library. Servers that are newer than
 * this library may send other codes.
 */
export type ErrorCode =
  | components['schemas']['Problem']['code']
  | components['schemas']['OAuthError']['error']
  | 'access_denied'
  | 'state_mismatch'
  | 'issuer_mismatch'
  | 'invalid_callback'
  | 'invalid_webhook'
  | 'not_connected'
  | 'network_error'
  | 'invalid_response'
  | 'summary_mismatch'
  | (string & {})

type Facts = {
  status?: number | undefined
  requestId?: string | undefined
  docs?: string | undefined
  retryAfter?: number | undefined
  parameters?: { parameter: string; detail: string }[] | undefined
  cause?: unknown
}

/** The only error that this library throws, apart from the reason of an `AbortSignal`. */
export class LatchkeyError extends Error {
  override readonly name: string = 'LatchkeyError'
  readonly code: ErrorCode
  /** What happened, for people. */
  readonly detail: string
  /** The HTTP status. Undefined if no response is the cause. */
  readonly status: number | undefined
  /** The `X-API-Request-ID` of the request. The operator of the server finds the request in the log by it. */
  readonly requestId: string | undefined
  /** The address of the page that explains the error. */
  readonly docs: string | undefined
  /** In seconds: how long the server asks to wait. */
  readonly retryAfter: number | undefined
  /** The parameters that the server refused. */
  readonly parameters: readonly { parameter: string; detail: string }[]

  constructor(code: ErrorCode, detail: string, facts: Facts = {}) {
    const id = facts.requestId === undefined ? '' : `, request ${facts.requestId}`
    super(`${detail} (${code}${id})`, { cause: facts.cause })
    this.code = code
    this.detail = detail
    this.status = facts.status
    this.requestId = facts.requestId
    this.docs = facts.docs
    this.retryAfter = facts.retryAfter
    this.parameters = facts.parameters ?? []
  }
}

/** There is no connection, or it has ended. Its tokens are deleted. Ask the user to connect again. */
export class ConnectionEnded extends LatchkeyError {
  override readonly name = 'ConnectionEnded'
}
