import { Instant, statement } from '../database/database.ts'
import { Ended, whenEnded } from '../grants/ended.sql.ts'
import { SigningAlgorithm } from '../keys/signing-keys.ts'
import {
  authenticatedClient,
  ClientAuthentication,
  clientAuthenticationColumn,
} from '../partners/client-authentication.sql.ts'
import Type from '../typebox.ts'
import { accessTokenSeconds, refreshTokenDays, rotationGraceSeconds } from './lifetimes.ts'

/**
 * Rotates a refresh token in one statement. The successor is derived from its predecessor. If the client sends the same
 * token again, it gets the same successor, which is then valid for another 30 days. Parallel workers, and a client that did
 * not receive the answer, therefore lose nothing. This works while the successor is unused, and for a minute after the
 * first rotation. After that, the request is a replay and the connection is revoked (RFC 9700 section 4.14.2).
 *
 * The grace condition is in the WHERE clause of the UPDATE. A parallel request that waited for the row is therefore judged
 * by the current row. `used` and `late` are read from the snapshot. They only change from false to true, and a rotation at
 * the moment of the change counts as a rotation before it.
 *
 * $1 to $5 the client, $6 SHA-256 of the refresh token, $7 SHA-256 of its successor, $8 SHA-256 of the new access token
 */
export const rotateRefreshToken = statement(
  'rotate_refresh_token',
  Type.Object({
    client_authentication: ClientAuthentication,
    id_token_alg: Type.Union([SigningAlgorithm, Type.Null()]),
    rotated: Type.Boolean(),
    connection_id: Type.Union([Type.String(), Type.Null()]),
    grant_id: Type.Union([Type.String(), Type.Null()]),
    used_at: Instant,
    late: Type.Union([Type.Boolean(), Type.Null()]),
    ended: Type.Union([Ended, Type.Null()]),
    subject: Type.Union([Type.String(), Type.Null()]),
    auth_time: Type.Union([Instant, Type.Null()]),
  }),
  `WITH ${authenticatedClient}, successor AS (
     SELECT EXISTS (SELECT FROM refresh_tokens WHERE hash = $7 AND rotated_at IS NOT NULL) AS used
   ), presented AS (
     SELECT r.hash, c.id AS connection_id, c.auth_time, c.grant_id, g.subject,
            r.rotated_at <= now() - interval '${rotationGraceSeconds} seconds' AND successor.used AS late,
            CASE ${whenEnded('c', 'g', 'u')} END AS ended
       FROM successor, client
       JOIN refresh_tokens r ON r.hash = $6
       JOIN connections c ON c.id = r.connection_id AND c.client_id = client.client_id
       JOIN grants g ON g.id = c.grant_id
       JOIN users u ON u.id = g.user_id
      WHERE client.status = 'active'
   ), rotated AS (
     UPDATE refresh_tokens r SET rotated_at = coalesce(r.rotated_at, now())
       FROM presented p, successor
      WHERE r.hash = p.hash AND p.ended IS NULL AND r.expires_at > now()
        AND (r.rotated_at IS NULL OR r.rotated_at > now() - interval '${rotationGraceSeconds} seconds' OR NOT successor.used)
     RETURNING r.connection_id
   ), refresh AS (
     INSERT INTO refresh_tokens (hash, connection_id, expires_at)
     SELECT $7, connection_id, now() + interval '${refreshTokenDays} days' FROM rotated
     ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at
   ), access AS (
     INSERT INTO access_tokens (hash, connection_id, expires_at)
     SELECT $8, connection_id, now() + interval '${accessTokenSeconds} seconds' FROM rotated
   ), revoked AS (
     UPDATE connections c SET revoked_at = now(), revoked_for = 'refresh_replayed'
       FROM presented p WHERE c.id = p.connection_id AND p.late AND c.revoked_at IS NULL
   )
   SELECT ${clientAuthenticationColumn}, (SELECT id_token_alg FROM client) AS id_token_alg, EXISTS (SELECT FROM rotated) AS rotated,
          p.connection_id, p.late, p.ended, p.grant_id, now() AS used_at, p.subject, p.auth_time
     FROM (SELECT) AS always LEFT JOIN presented p ON true`,
)
