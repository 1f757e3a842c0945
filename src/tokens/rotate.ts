import type { Context } from '../context.ts'
import { type TokenRefusal, tokenRefusal } from '../http/refusals.ts'
import { clientValues } from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { newToken, parseToken, sha256 } from '../secrets/token-format.ts'
import { refreshTokenDays } from './lifetimes.ts'
import { clientRefusal, endedRefusal, type IssuedTokens, issuedTokens } from './outcome.ts'
import { rotateRefreshToken } from './rotate.sql.ts'

export type Rotation = { client: ClientCredential; refreshToken: string }

/** Exchanges a refresh token for its successor and a new access token (RFC 6749 section 6). */
export async function rotate(context: Context, request: Rotation): Promise<IssuedTokens | TokenRefusal> {
  const { config, database, keys, usage } = context
  const presented = parseToken(request.refreshToken, config.environment, 'rt')
  const successor = newToken(config.environment, 'rt', hmac(keys.current.rotation, request.refreshToken))
  const access = newToken(config.environment, 'at')
  const row = await database.one(rotateRefreshToken, [
    ...clientValues(request.client),
    // A malformed token is sent too, and matches no row: the statement has to authenticate the client first.
    sha256(request.refreshToken),
    successor.hash,
    access.hash,
  ])
  const refusal = clientRefusal(row.client_authentication, request.client)
  if (refusal) return refusal
  if (presented.kind === 'refused') {
    return tokenRefusal(`refresh_token_${presented.reason}`, presented.explanation)
  }
  const { subject, auth_time: authTime, id_token_alg: algorithm } = row
  if (subject === null || authTime === null || algorithm === null)
    return tokenRefusal('unknown_refresh_token')
  if (row.ended !== null) return tokenRefusal(row.ended)
  if (row.late) return endedRefusal(tokenRefusal('refresh_replayed'), row.connection_id)
  if (!row.rotated) return tokenRefusal('refresh_token_expired', String(refreshTokenDays))
  if (row.grant_id !== null) usage.used(row.grant_id, row.used_at)
  return issuedTokens(context, access, successor, {
    subject,
    clientId: request.client.clientId,
    authTime,
    nonce: null,
    algorithm,
  })
}
