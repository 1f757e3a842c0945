import type { Context } from '../context.ts'
import type { ClientAuthentication } from '../partners/client-authentication.sql.ts'
import { type ClientCredential, invalidClientMessage } from '../partners/client-authentication.ts'
import type { Token } from '../secrets/token-format.ts'
import { type IdTokenFacts, signIdToken } from './id-token.ts'

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
  clientAuthentication: ClientAuthentication,
  { method }: ClientCredential,
): TokenRefusal | undefined {
  switch (clientAuthentication) {
    case 'active':
      return undefined
    case 'suspended': {
      const explanation = 'this application is suspended; ask the operator of this service'
      return { kind: 'refused', error: 'unauthorized_client', reason: 'suspended_client', explanation }
    }
    case 'unknown':
      return invalidClient('unknown_client', invalidClientMessage)
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

/** What goes out for a code or a refresh token: the new tokens, and an id_token about the login they come of. */
export async function issuedTokens(
  context: Context,
  access: Token,
  refresh: Token,
  about: Omit<IdTokenFacts, 'accessToken'>,
): Promise<IssuedTokens> {
  const idToken = await signIdToken(context, { ...about, accessToken: access.text })
  return { kind: 'issued', accessToken: access.text, refreshToken: refresh.text, idToken }
}
