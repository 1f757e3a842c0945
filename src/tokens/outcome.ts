import type { Context } from '../context.ts'
import { type TokenRefusal, tokenRefusal } from '../http/refusals.ts'
import type { ClientAuthentication } from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { accessLocatorOf, accessTokenText, refreshTokenText } from '../secrets/connection-token.ts'
import { type IdTokenFacts, signIdToken } from './id-token.ts'
import { accessTokenSeconds, refreshTokenSeconds } from './lifetimes.ts'

/** The successful outcome of the token endpoint (RFC 6749 section 5.1). */
export type IssuedTokens = {
  kind: 'issued'
  accessToken: string
  refreshToken: string
  idToken?: string
  /** For the request log. */
  grantId?: string
  /** The presented token was newer than the restored database. For the log. */
  aheadOfRow?: true
}

/** A client with a valid secret is registered for one of the methods with a secret, and one with a valid key has no secret. */
const otherMethods: Record<ClientCredential['method'], string> = {
  client_secret_basic: 'Send client_id and client_secret in the request body (client_secret_post)',
  client_secret_post: 'Send them in an Authorization header of the scheme Basic (client_secret_basic)',
  private_key_jwt: 'Send client_id and client_secret',
}

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
      return tokenRefusal('wrong_method', `${method}. ${otherMethods[method]}`)
    case 'secret_leaked':
      return tokenRefusal('secret_leaked')
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

/** The connection's row after the request, as far as its tokens follow from it. */
export type ConnectionState = {
  locator: Buffer
  generation: number
  /** When the newest refresh token was issued. */
  refreshedAt: Date
  accessNonce: Buffer
  /** The database's time of this request. */
  issuedAt: Date
}

/** The newest refresh token and an access token of a connection. The same state and keys always give the same texts. */
export function newTokens({ config, keys }: Context, state: ConnectionState): IssuedTokens {
  const { locator, generation, refreshedAt, accessNonce: nonce, issuedAt } = state
  const refresh = { locator, generation, expiresAt: secondsAfter(refreshedAt, refreshTokenSeconds) }
  const access = {
    locator: accessLocatorOf(locator),
    nonce,
    expiresAt: secondsAfter(issuedAt, accessTokenSeconds),
  }
  return {
    kind: 'issued',
    accessToken: accessTokenText(config.environment, keys.current, access),
    refreshToken: refreshTokenText(config.environment, keys.current, refresh),
  }
}

/** Adds an id_token about the login that started the connection. */
export async function withIdToken(
  context: Context,
  tokens: IssuedTokens,
  facts: Omit<IdTokenFacts, 'accessToken'>,
): Promise<IssuedTokens> {
  const { accessToken } = tokens
  return { ...tokens, idToken: await signIdToken(context, { ...facts, accessToken }) }
}

/** In whole seconds since 1970, rounded up: a token is valid for its whole lifetime. */
function secondsAfter(instant: Date, seconds: number): number {
  return Math.ceil(instant.getTime() / 1000) + seconds
}
