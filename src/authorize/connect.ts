import { acrLevel } from '../acr.ts'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { errorPageAddress } from '../errors/catalogue.ts'
import { withParameters } from '../http/parameters.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { newToken, randomId } from '../secrets/token-format.ts'
import type { Session } from '../sessions/sessions.sql.ts'
import type { Language } from '../web/languages/languages.ts'
import type { AuthorizationFault, AuthorizationRequest, ReturnAddress } from './authorization-request.ts'
import { isConcurrentPress, recordConnection } from './connect.sql.ts'

export type ConnectOutcome =
  | { kind: 'connected'; code: string }
  /** The page was used before and its code is redeemed, expired or revoked. */
  | { kind: 'used' }
  /**
   * The partner or the user is no longer active, or the redirect URI is no longer registered. With `prompt=none`, also: the
   * grant has ended.
   */
  | { kind: 'unavailable' }

/**
 * Records the grant and issues the code. Call it after the user has consented, now or earlier (`prompt=none`). The same
 * request and user always give the same code. `language` is that of the page.
 * @throws {DatabaseUnavailable}
 */
export async function connect(
  { config, database }: Context,
  origin: Origin,
  request: AuthorizationRequest,
  user: Pick<Session, 'user_id' | 'auth_time' | 'acr' | 'amr'>,
  language: Language,
): Promise<ConnectOutcome> {
  // The id is 256 random bits that only the sealed request contains. The code depends on no other secret, so that servers
  // with different current secrets make the same code (docs/adr/0021).
  const code = newToken(config.environment, 'ac', hmac(Buffer.from(request.id), 'code', user.user_id))
  const record = () => database.maybe(recordConnection, values)
  const values = [
    user.user_id,
    request.clientId,
    randomId(),
    code.hash,
    request.redirectUri,
    request.codeChallenge ?? null,
    request.nonce ?? null,
    user.auth_time,
    request.prompt.includes('none'),
    user.acr,
    user.amr,
    config.grantLifetimeDays ?? null,
    config.mail ? language : null,
    acrLevel(user),
    originValue(origin),
  ]
  const row = await record().catch((error: unknown) => {
    if (!isConcurrentPress(error)) throw error
    return record()
  })
  if (!row) return { kind: 'unavailable' }
  return row.usable ? { kind: 'connected', code: code.text } : { kind: 'used' }
}

/** The address that returns the response to the partner, always with `iss` (RFC 9207). */
export function answerUrl(to: ReturnAddress, issuer: string, answer: Record<string, string>): string {
  return withParameters(to.redirectUri, { ...answer, ...(to.state && { state: to.state }), iss: issuer })
}

/** The response to the partner instead of a code (RFC 6749 section 4.1.2.1). */
export function faultUrl(
  to: ReturnAddress,
  { authUrl, baseUrl }: Config,
  { code, explanation, anchor }: AuthorizationFault,
): string {
  return answerUrl(to, authUrl, {
    error: code,
    error_description: explanation,
    error_uri: errorPageAddress(baseUrl, code, anchor),
  })
}
