import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { clientValues } from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { newToken, parseToken } from '../secrets/token-format.ts'
import type { IssuedTokens, TokenRefusal } from './outcome.ts'
import { clientRefusal, invalidGrant, issuedTokens } from './outcome.ts'
import { redeemCode } from './redeem.sql.ts'

export type Redemption = {
  client: ClientCredential
  code: string
  redirectUri?: string | undefined
  codeVerifier?: string | undefined
}

/** Exchanges a code for the connection's first tokens (RFC 6749 section 4.1.3). */
export async function redeem(context: Context, request: Redemption): Promise<IssuedTokens | TokenRefusal> {
  const { config, database, keyring } = context
  const code = parseToken(request.code, config.environment, 'ac')
  if (code.kind === 'refused') return invalidGrant(`code_${code.reason}`, `code: ${code.explanation}`)
  const access = newToken(config.environment, 'at')
  const refresh = newToken(config.environment, 'rt')
  await keyring.freshen() // afterwards the code is used up: nothing may keep the id_token from being signed
  const row = await database.one(redeemCode, [
    ...clientValues(request.client),
    code.hash,
    request.redirectUri ?? null,
    request.codeVerifier === undefined ? null : s256(request.codeVerifier),
    access.hash,
    refresh.hash,
  ])
  const refusal = clientRefusal(row.client_authentication, request.client)
  if (refusal) return refusal
  if (
    row.redemptions === null ||
    row.subject === null ||
    row.auth_time === null ||
    row.id_token_alg === null
  ) {
    return invalidGrant('unknown_code', 'the code is not known, or was issued to another client')
  }
  if (row.redemptions > 1) {
    return invalidGrant(
      'code_replayed',
      'the code was redeemed before; everything issued for it has been revoked',
    )
  }
  if (!row.fits) {
    return invalidGrant(
      'code_misused',
      'redirect_uri or code_verifier does not match the authorization request',
    )
  }
  if (row.expired)
    return invalidGrant('code_expired', 'the code has expired; it can be redeemed for 60 seconds')
  if (!row.live) return invalidGrant('ended', 'the user has ended the connection, or is not active any more')
  return issuedTokens(context, access, refresh, {
    subject: row.subject,
    clientId: request.client.clientId,
    authTime: row.auth_time,
    nonce: row.nonce,
    algorithm: row.id_token_alg,
  })
}

/** RFC 7636 section 4.6. */
function s256(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
