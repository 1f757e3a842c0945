import Type from 'typebox'
import { statement } from '../database/database.ts'
import { authenticatedClient, ClientStanding, clientStanding } from '../partners/authenticated-client.sql.ts'

/**
 * RFC 7009: a refresh token takes its whole connection with it, an access token only itself. A token of another client
 * is left as it is.
 * $1 to $5 the client, $6 SHA-256 of the token
 */
export const revokeToken = statement(
  'revoke_token',
  Type.Object({
    client_standing: ClientStanding,
    revoked: Type.Boolean(),
  }),
  `WITH ${authenticatedClient}, ended AS (
     UPDATE connections c SET revoked_at = coalesce(c.revoked_at, now()), revoked_for = coalesce(c.revoked_for, 'partner')
       FROM refresh_tokens r, client
      WHERE r.hash = $6 AND c.id = r.connection_id AND c.client_id = client.client_id
     RETURNING c.id
   ), expired AS (
     UPDATE access_tokens a SET expires_at = now()
       FROM connections c, client
      WHERE a.hash = $6 AND c.id = a.connection_id AND c.client_id = client.client_id AND a.expires_at > now()
     RETURNING a.hash
   )
   SELECT ${clientStanding},
          EXISTS (SELECT FROM ended) OR EXISTS (SELECT FROM expired) AS revoked`,
)
