import {
  type OAuthDetail,
  type OAuthErrorCode,
  type OAuthReason,
  oauthReason,
  type ProblemCode,
  type ProblemDetail,
  type ProblemReason,
  problemReason,
} from '../errors/catalogue.ts'

/** A request of a client that is refused. `reason` is the `outcome` of its log line. */
export type TokenRefusal = {
  kind: 'refused'
  error: OAuthErrorCode
  reason: OAuthReason
  explanation: string
  /** The place of the reason on the page of the error. */
  anchor: string
  /** The connection that this request has ended. */
  endedConnection?: string
  /** The grant that the request is about, if the client is authenticated. For the request log. */
  grantId?: string
}

/** An access token that is refused. `code` is that of the problem. */
export type BearerRefusal = {
  kind: 'refused'
  code: ProblemCode
  reason: ProblemReason
  explanation: string
  anchor: string
}

export function tokenRefusal<R extends OAuthReason>(reason: R, ...detail: OAuthDetail<R>): TokenRefusal {
  const { code: error, explanation, anchor } = oauthReason(reason, ...detail)
  return { kind: 'refused', error, reason, explanation, anchor }
}

export function bearerRefusal<R extends ProblemReason>(
  reason: R,
  ...detail: ProblemDetail<R>
): BearerRefusal {
  return { kind: 'refused', reason, ...problemReason(reason, ...detail) }
}
