import { randomBytes } from 'node:crypto'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { type TokenRefusal, tokenRefusal } from '../http/refusals.ts'
import { checkKeyIsForeign } from '../keys/recorded-secrets.ts'
import { clientValues } from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import {
  type ConnectionTokenRefusal,
  nonceBytes,
  parseRefreshToken,
  type RefreshToken,
} from '../secrets/connection-token.ts'
import { sha256 } from '../secrets/token-format.ts'
import { refreshTokenDays } from './lifetimes.ts'
import { clientRefusal, endedRefusal, type IssuedTokens, newTokens, withIdToken } from './outcome.ts'
import {
  explainRefresh,
  type Rotated,
  rotateAheadOfRow,
  rotateNewestToken,
  rotateRefreshToken,
} from './rotate.sql.ts'

export type Rotation = { client: ClientCredential; refreshToken: string; wantsIdToken: boolean }

/** Exchanges a refresh token for its successor and an access token (RFC 6749 section 6). */
export async function rotate(
  context: Context,
  origin: Origin,
  request: Rotation,
): Promise<IssuedTokens | TokenRefusal> {
  const { config, database, keys } = context
  const { client } = request
  const parsed = parseRefreshToken(request.refreshToken, config.environment, keys)
  if (parsed.kind === 'ok' && !client.assertion) {
    const { clientId, method, digest } = client
    const values = [clientId, method, digest, ...tokenValues(parsed.token), randomBytes(nonceBytes)]
    const rotated = await database.maybe(rotateNewestToken, values)
    if (rotated) return answer(context, request, parsed.token, rotated)
  }
  const row = await database.one(rotateRefreshToken, [
    ...clientValues(client),
    // Without a valid token, the statement only authenticates the client, which comes first.
    ...(parsed.kind === 'ok' ? tokenValues(parsed.token) : [null, null, null]),
    randomBytes(nonceBytes),
    originValue(origin),
  ])
  const refusal = clientRefusal(row.client_authentication, client)
  if (refusal) return refusal
  if (parsed.kind === 'refused') {
    if (parsed.reason === 'unknown_key') await checkKeyIsForeign(database, parsed.keyId)
    return textRefusal(parsed)
  }
  if (row.connection_id !== null) return answer(context, request, parsed.token, row)
  return explainOrAcceptAhead(context, request, parsed.token)
}

/** The statement has found no live row that the token fits. Either the token is newer than the row, or it is refused. */
async function explainOrAcceptAhead(
  context: Context,
  request: Rotation,
  token: RefreshToken,
): Promise<IssuedTokens | TokenRefusal> {
  const { database } = context
  const { clientId } = request.client
  const reason = await database.maybe(explainRefresh, [clientId, ...tokenValues(token)])
  if (!reason) return tokenRefusal('unknown_refresh_token')
  const grantId = reason.grant_id
  if (reason.ended !== null) return { ...tokenRefusal(reason.ended), grantId }
  if (reason.expired) return { ...tokenRefusal('refresh_token_expired', String(refreshTokenDays)), grantId }
  // Even if the token is no longer ahead: a parallel request may have used it since.
  const values = [clientId, ...tokenValues(token), randomBytes(nonceBytes)]
  const row = await database.maybe(rotateAheadOfRow, values)
  if (!row)
    return { ...tokenRefusal(reason.ahead ? 'refresh_token_ahead' : 'unknown_refresh_token'), grantId }
  const outcome = await answer(context, request, token, row)
  return outcome.kind === 'issued' ? { ...outcome, aheadOfRow: true } : outcome
}

async function answer(
  context: Context,
  { client: { clientId }, wantsIdToken }: Rotation,
  { locator }: RefreshToken,
  row: Rotated,
): Promise<IssuedTokens | TokenRefusal> {
  const grantId = row.grant_id
  if (row.replayed) return { ...endedRefusal(tokenRefusal('refresh_replayed'), row.connection_id), grantId }
  const { generation, refreshed_at: refreshedAt, access_nonce: accessNonce, issued_at: issuedAt } = row
  context.usage.used(grantId, issuedAt)
  const state = { locator, generation, refreshedAt, accessNonce, issuedAt }
  const tokens = { ...newTokens(context, state), grantId }
  if (!wantsIdToken && !row.id_token_on_refresh) return tokens
  const { subject, auth_time: authTime, acr, amr, id_token_alg: algorithm } = row
  return withIdToken(context, tokens, { subject, clientId, authTime, acr, amr, nonce: null, algorithm })
}

function tokenValues({ locator, generation, expiresAt }: RefreshToken): [Buffer, number, Date] {
  return [sha256(locator), generation, new Date(expiresAt * 1000)]
}

function textRefusal(refusal: ConnectionTokenRefusal): TokenRefusal {
  return 'explanation' in refusal
    ? tokenRefusal(`refresh_token_${refusal.reason}`, refusal.explanation)
    : tokenRefusal(`refresh_token_${refusal.reason}`)
}
