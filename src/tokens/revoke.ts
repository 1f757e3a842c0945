import type { Context } from '../context.ts'
import { statement } from '../database/database.ts'
import type { TokenRefusal } from '../http/refusals.ts'
import {
  authenticatedClient,
  ClientAuthentication,
  clientAuthenticationColumn,
  clientValues,
} from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { sha256 } from '../secrets/token-format.ts'
import Type from '../typebox.ts'
import { clientRefusal } from './outcome.ts'

/** `endedConnection` is the connection that ended. Revoking an access token ends no connection. */
export type Revocation = { kind: 'revoked'; endedConnection?: string } | { kind: 'nothing_to_revoke' }

/** Revokes a token. An unknown token is not an error (RFC 7009 section 2.2). */
export async function revoke(
  { database }: Context,
  request: { client: ClientCredential; token: string },
): Promise<Revocation | TokenRefusal> {
  const row = await database.one(revokeToken, [...clientValues(request.client), sha256(request.token)])
  // A suspended partner may still revoke its tokens.
  const refusal =
    row.client_authentication === 'suspended'
      ? undefined
      : clientRefusal(row.client_authentication, request.client)
  if (refusal) return refusal
  if (!row.revoked) return { kind: 'nothing_to_revoke' }
  return { kind: 'revoked', ...(row.ended_connection && { endedConnection: row.ended_connection }) }
}

/**
 * Revokes a token (RFC 7009). A refresh token ends its whole connection, an access token ends only itself. A token of
 * another client is not changed.
 * $1 to $5 the client, $6 SHA-256 of the token
 */
export const revokeToken = statement(
  'revoke_token',
  Type.Object({
    client_authentication: ClientAuthentication,
    revoked: Type.Boolean(),
    ended_connection: Type.Union([Type.String(), Type.Null()]),
  }),
  `WITH ${authenticatedClient}, ended AS (
     UPDATE connections c SET revoked_at = coalesce(c.revoked_at, now()), revoked_for = coalesce(c.revoked_for, 'partner')
       FROM refresh_tokens r, client
      WHERE r.hash = $6 AND c.id = r.connection_id AND c.client_id = client.client_id
     RETURNING c.id
   ), ended_token AS (
     UPDATE access_tokens a SET expires_at = now(), revoked_at = now()
       FROM connections c, client
      WHERE a.hash = $6 AND c.id = a.connection_id AND c.client_id = client.client_id AND a.expires_at > now()
     RETURNING a.hash
   )
   SELECT ${clientAuthenticationColumn},
          EXISTS (SELECT FROM ended) OR EXISTS (SELECT FROM ended_token) AS revoked,
          (SELECT id FROM ended) AS ended_connection`,
)
