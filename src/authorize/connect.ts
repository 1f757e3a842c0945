import type { Context } from '../context.ts'
import { withParameters } from '../http/parameters.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { newToken, randomId } from '../secrets/token-format.ts'
import type { AuthorizationRequest, ReturnAddress } from './authorization-request.ts'
import { isConcurrentPress, recordConnection } from './connect.sql.ts'

export type ConnectOutcome =
  | { kind: 'connected'; code: string }
  /** The page was used before and its code is redeemed, expired or revoked. */
  | { kind: 'used' }
  /** The partner or the user is not active any more, or the redirect URI was given up; without a page, or the grant has just ended. */
  | { kind: 'unavailable' }

/**
 * The user agreed, now or (`prompt=none`) before: records the grant and issues the code. The same request and user always
 * lead to the same code.
 */
export async function connect(
  { config, database, keys }: Context,
  request: AuthorizationRequest,
  user: { id: string; authTime: Date },
): Promise<ConnectOutcome> {
  const code = newToken(config.environment, 'ac', hmac(keys.code, request.id, user.id))
  const record = () => database.maybe(recordConnection, values)
  const values = [
    user.id,
    request.clientId,
    randomId(),
    code.hash,
    request.redirectUri,
    request.codeChallenge ?? null,
    request.nonce ?? null,
    user.authTime,
    request.prompt.includes('none'),
  ]
  const row = await record().catch((error: unknown) => {
    if (!isConcurrentPress(error)) throw error
    return record()
  })
  if (!row) return { kind: 'unavailable' }
  return row.usable ? { kind: 'connected', code: code.text } : { kind: 'used' }
}

/** The redirect back to the partner, with `iss` in every answer (RFC 9207). */
export function answerUrl(to: ReturnAddress, issuer: string, answer: Record<string, string>): string {
  return withParameters(to.redirectUri, { ...answer, ...(to.state && { state: to.state }), iss: issuer })
}
