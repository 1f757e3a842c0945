import type { Context } from '../context.ts'
import { clientValues } from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { newToken, parseToken } from '../secrets/token-format.ts'
import { clientRefusal, type IssuedTokens, invalidGrant, issuedTokens, type TokenRefusal } from './outcome.ts'
import { rotateRefreshToken } from './rotate.sql.ts'

export type Rotation = { client: ClientCredential; refreshToken: string }

const ended = {
  user: 'the user has ended the connection, or is not active any more',
  partner: 'the connection was revoked by this application',
  replay: 'the connection was revoked because a code or refresh token of it was used again',
}

/** Exchanges a refresh token for its successor and a fresh access token (RFC 6749 section 6). */
export async function rotate(context: Context, request: Rotation): Promise<IssuedTokens | TokenRefusal> {
  const { config, database, keys, usage } = context
  const presented = parseToken(request.refreshToken, config.environment, 'rt')
  if (presented.kind === 'refused')
    return invalidGrant(`token_${presented.reason}`, `refresh_token: ${presented.explanation}`)
  const successor = newToken(config.environment, 'rt', hmac(keys.rotation, request.refreshToken))
  const access = newToken(config.environment, 'at')
  const row = await database.one(rotateRefreshToken, [
    ...clientValues(request.client),
    presented.hash,
    successor.hash,
    access.hash,
  ])
  const refusal = clientRefusal(row.client_authentication, request.client)
  if (refusal) return refusal
  if (row.subject === null || row.auth_time === null || row.id_token_alg === null) {
    return invalidGrant('unknown_token', 'the refresh token is not known, or was issued to another client')
  }
  if (row.ended !== null) return invalidGrant(`ended_by_${row.ended}`, ended[row.ended])
  if (row.late) {
    const explanation =
      'the refresh token was rotated before and its successor is in use; the connection has been revoked'
    return invalidGrant('refresh_replayed', explanation)
  }
  if (!row.rotated)
    return invalidGrant('token_expired', 'the refresh token has expired; it is valid for 30 days')
  if (row.grant_id !== null) usage.used(row.grant_id, row.used_at)
  return issuedTokens(context, access, successor, {
    subject: row.subject,
    clientId: request.client.clientId,
    authTime: row.auth_time,
    nonce: null,
    algorithm: row.id_token_alg,
  })
}
