import type { ClientStanding } from '../partners/authenticated-client.sql.ts'
import { type ClientCredential, notRight } from '../partners/client-credential.ts'

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

/** What a statement found of the client that asked; undefined: nothing is wrong with it. */
export function clientRefusal(
  standing: ClientStanding,
  { method }: ClientCredential,
): TokenRefusal | undefined {
  switch (standing) {
    case 'active':
      return undefined
    case 'suspended': {
      const explanation = 'this application is suspended; ask the operator of this service'
      return { kind: 'refused', error: 'unauthorized_client', reason: 'suspended_client', explanation }
    }
    case 'unknown':
      return invalidClient('unknown_client', notRight)
    case 'wrong_method':
      return invalidClient('wrong_method', `this application is not registered for ${method}`)
    case 'assertion_used':
      return invalidClient(
        'assertion_used',
        'client_assertion: it was used before, or has expired; sign another',
      )
  }
}

function invalidClient(reason: string, explanation: string): TokenRefusal {
  return { kind: 'refused', error: 'invalid_client', reason, explanation }
}
