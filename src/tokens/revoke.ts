import type { Context } from '../context.ts'
import { sha256 } from '../secrets/token-format.ts'
import { clientRefusal, type TokenRefusal } from './outcome.ts'
import { revokeToken } from './revoke.sql.ts'

/** Ends what the token stands for; a token that is not known here is as good as ended (RFC 7009 section 2.2). */
export async function revoke(
  { database }: Context,
  asked: { clientId: string; secretHash: Buffer; token: string },
): Promise<{ kind: 'revoked' | 'nothing_to_revoke' } | TokenRefusal> {
  const row = await database.one(revokeToken, [asked.clientId, asked.secretHash, sha256(asked.token)])
  // A suspended partner may still give up what it holds.
  const refusal = row.client_status === 'suspended' ? undefined : clientRefusal(row.client_status)
  return refusal ?? { kind: row.revoked ? 'revoked' : 'nothing_to_revoke' }
}
