import { Instant, statement } from '../database/database.ts'
import {
  authenticatedClient,
  ClientAuthentication,
  clientAuthenticationColumn,
} from '../partners/client-authentication.sql.ts'
import Type from '../typebox.ts'

/**
 * Finds a token of the authenticated client if it would be accepted now: an access token by the API, a refresh token without
 * a successor by the token endpoint (RFC 7662 section 2.2).
 * $1 to $5 the client, $6 SHA-256 of the token
 */
export const introspectToken = statement(
  'introspect_token',
  Type.Object({
    client_authentication: ClientAuthentication,
    token: Type.Union([Type.Literal('access'), Type.Literal('refresh'), Type.Null()]),
    subject: Type.Union([Type.String(), Type.Null()]),
    expires_at: Type.Union([Instant, Type.Null()]),
  }),
  `WITH ${authenticatedClient}, presented AS (
     SELECT 'access' AS token, connection_id, expires_at FROM access_tokens WHERE hash = $6
      UNION ALL
     SELECT 'refresh', connection_id, expires_at FROM refresh_tokens WHERE hash = $6 AND rotated_at IS NULL
   ), live AS (
     SELECT p.token, p.expires_at, g.subject
       FROM client
       JOIN presented p ON p.expires_at > now()
       JOIN connections c ON c.id = p.connection_id AND c.client_id = client.client_id AND c.revoked_at IS NULL
       JOIN grants g ON g.id = c.grant_id AND g.revoked_at IS NULL
       JOIN users u ON u.id = g.user_id AND u.status = 'active'
   )
   SELECT ${clientAuthenticationColumn}, l.token, l.subject, l.expires_at FROM (SELECT) AS always LEFT JOIN live l ON true`,
)
