import type { Context } from '../context.ts'
import { clientValues } from '../partners/authenticated-client.sql.ts'
import type { ClientCredential } from '../partners/client-credential.ts'
import { sha256 } from '../secrets/token-format.ts'
import { clientRefusal, type TokenRefusal } from './outcome.ts'
import { revokeToken } from './revoke.sql.ts'

/** Ends what the token stands for; a token that is not known here is as good as ended (RFC 7009 section 2.2). */
export async function revoke(
  { database }: Context,
  asked: { client: ClientCredential; token: string },
): Promise<{ kind: 'revoked' | 'nothing_to_revoke' } | TokenRefusal> {
  const row = await database.one(revokeToken, [...clientValues(asked.client), sha256(asked.token)])
  // A suspended partner may still give up what it holds.
  const refusal =
    row.client_standing === 'suspended' ? undefined : clientRefusal(row.client_standing, asked.client)
  return refusal ?? { kind: row.revoked ? 'revoked' : 'nothing_to_revoke' }
}
