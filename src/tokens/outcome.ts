/** What the token endpoint can come to; the route turns it into RFC 6749 section 5.1 or 5.2. */
export type IssuedTokens = { kind: 'issued'; accessToken: string; refreshToken: string; idToken: string }

export type TokenRefusal = {
  kind: 'refused'
  error:
    | 'invalid_request'
    | 'invalid_client'
    | 'invalid_grant'
    | 'unauthorized_client'
    | 'unsupported_grant_type'
  /** For the log: which case it was. */
  reason: string
  /** For the wire. A client that authenticated is told what is wrong with its own codes and tokens, and of no others. */
  explanation: string
}

export function invalidRequest(reason: string, explanation: string): TokenRefusal {
  return { kind: 'refused', error: 'invalid_request', reason, explanation }
}

export function invalidGrant(reason: string, explanation: string): TokenRefusal {
  return { kind: 'refused', error: 'invalid_grant', reason, explanation }
}

/** An unknown client and a wrong secret are one and the same answer. */
export function clientRefusal(status: 'active' | 'suspended' | null): TokenRefusal | undefined {
  if (status === null) {
    const explanation = 'client_id or client_secret is not right'
    return { kind: 'refused', error: 'invalid_client', reason: 'unknown_client', explanation }
  }
  if (status === 'suspended') {
    const explanation = 'this application is suspended; ask the operator of this service'
    return { kind: 'refused', error: 'unauthorized_client', reason: 'suspended_client', explanation }
  }
  return undefined
}
