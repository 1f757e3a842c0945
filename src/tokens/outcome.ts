import type { Context } from '../context.ts'
import { type TokenRefusal, tokenRefusal } from '../http/refusals.ts'
import type { ClientAuthentication } from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import type { Token } from '../secrets/token-format.ts'
import { type IdTokenFacts, signIdToken } from './id-token.ts'

/** The successful outcome of the token endpoint (RFC 6749 section 5.1). */
export type IssuedTokens = { kind: 'issued'; accessToken: string; refreshToken: string; idToken: string }

/** The refusal for the result of client authentication. Undefined if the client is authenticated and active. */
export function clientRefusal(
  clientAuthentication: ClientAuthentication,
  { method }: ClientCredential,
): TokenRefusal | undefined {
  switch (clientAuthentication) {
    case 'active':
      return undefined
    case 'suspended':
      return tokenRefusal('suspended_client')
    case 'unknown':
      return tokenRefusal('unknown_client')
    case 'wrong_method':
      return tokenRefusal('wrong_method', method)
    case 'assertion_required':
      return tokenRefusal('assertion_required')
    case 'assertion_used':
      return tokenRefusal('assertion_used')
  }
}

/** Adds the connection that was ended with this refusal. The log names it, so that a restored backup can end it again. */
export function endedRefusal(refusal: TokenRefusal, connectionId: string | null): TokenRefusal {
  return connectionId === null ? refusal : { ...refusal, endedConnection: connectionId }
}

/** The tokens that are sent for a code or a refresh token, with an id_token about their login. */
export async function issuedTokens(
  context: Context,
  access: Token,
  refresh: Token,
  facts: Omit<IdTokenFacts, 'accessToken'>,
): Promise<IssuedTokens> {
  const idToken = await signIdToken(context, { ...facts, accessToken: access.text })
  return { kind: 'issued', accessToken: access.text, refreshToken: refresh.text, idToken }
}
