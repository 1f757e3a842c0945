import { createHash, randomBytes } from 'node:crypto'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { type TokenRefusal, tokenRefusal } from '../http/refusals.ts'
import { clientValues } from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { accessLocatorOf, locatorBytes, nonceBytes } from '../secrets/connection-token.ts'
import { parseToken, sha256 } from '../secrets/token-format.ts'
import { codeSeconds } from './lifetimes.ts'
import { clientRefusal, endedRefusal, type IssuedTokens, newTokens, withIdToken } from './outcome.ts'
import { type Redeemed, redeemCode } from './redeem.sql.ts'

export type Redemption = {
  client: ClientCredential
  code: string
  redirectUri?: string | undefined
  codeVerifier?: string | undefined
}

/** Exchanges a code for the connection's first tokens (RFC 6749 section 4.1.3). */
export async function redeem(
  context: Context,
  origin: Origin,
  request: Redemption,
): Promise<IssuedTokens | TokenRefusal> {
  const { config, database, keyring } = context
  const code = parseToken(request.code, config.environment, 'ac')
  const locator = randomBytes(locatorBytes)
  const accessNonce = randomBytes(nonceBytes)
  await keyring.freshen() // before the code is used up: if the keys cannot be read, the client can try again
  const row = await database.one(redeemCode, [
    ...clientValues(request.client),
    // A malformed code is sent too, and matches no row: the statement has to authenticate the client first.
    sha256(request.code),
    request.redirectUri ?? null,
    request.codeVerifier === undefined ? null : s256(request.codeVerifier),
    sha256(locator),
    sha256(accessLocatorOf(locator)),
    accessNonce,
    originValue(origin),
  ])
  const refusal = clientRefusal(row.client_authentication, request.client)
  if (refusal) return refusal
  if (code.kind === 'refused') return tokenRefusal(`code_${code.reason}`, code.explanation)
  const outcome = await answer(context, request, row, { locator, accessNonce })
  return row.grant_id === null ? outcome : { ...outcome, grantId: row.grant_id }
}

/** The outcome for an authenticated client with a well-formed code. */
async function answer(
  context: Context,
  { client: { clientId } }: Redemption,
  row: Redeemed,
  made: { locator: Buffer; accessNonce: Buffer },
): Promise<IssuedTokens | TokenRefusal> {
  const { redemptions, subject, auth_time: authTime, acr, amr, id_token_alg: algorithm } = row
  if (
    redemptions === null ||
    subject === null ||
    authTime === null ||
    acr === null ||
    amr === null ||
    algorithm === null
  ) {
    return tokenRefusal('unknown_code')
  }
  if (redemptions > 1) return endedRefusal(tokenRefusal('code_replayed'), row.connection_id)
  if (row.misfit !== null) return endedRefusal(tokenRefusal(row.misfit), row.connection_id)
  if (row.expired) return tokenRefusal('code_expired', String(codeSeconds))
  if (row.ended !== null) return tokenRefusal(row.ended)
  const { issued_at: issuedAt, nonce } = row
  const tokens = newTokens(context, { ...made, generation: 1, refreshedAt: issuedAt, issuedAt })
  return withIdToken(context, tokens, { subject, clientId, authTime, acr, amr, nonce, algorithm })
}

/** RFC 7636 section 4.6. */
function s256(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
