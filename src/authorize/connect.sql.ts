import Type from 'typebox'
import { statement } from '../database/database.ts'

/** Seconds in which a code can be redeemed. */
const codeSeconds = 60

/**
 * Records the consent and starts a connection with its code; both only once, however often the button is pressed: the
 * live grant of a user and partner is unique, and the code is derived from the request. The no-op updates make the
 * second press wait for the first and then see its rows, which DO NOTHING would not.
 *
 * A press after the code was redeemed, has expired or was disconnected gives `usable = false` and leaves no new grant behind.
 *
 * With $9 nobody has been asked (`prompt=none`), so a grant that lives now is needed and none is ever made: one that the
 * user ends at this very moment stays ended.
 *
 * $1 user id, $2 client_id, $3 subject for a first grant, $4 SHA-256 of the code, $5 redirect URI, $6 code challenge
 * or null, $7 nonce or null, $8 time of authentication, $9 whether nobody was asked;
 * no row: the partner or the user is not active any more, or with $9 there is no live grant
 */
export const recordConnection = statement(
  'record_connection',
  Type.Object({ usable: Type.Boolean() }),
  `WITH earlier AS (
     SELECT c.grant_id, c.redemptions = 0 AND c.code_expires_at > now() AND c.revoked_at IS NULL AND g.revoked_at IS NULL AS usable
       FROM connections c JOIN grants g ON g.id = c.grant_id WHERE c.code_hash = $4
   ), given AS (
     INSERT INTO grants (user_id, client_id, subject)
     SELECT u.id, p.client_id,
            coalesce((SELECT g.subject FROM grants g WHERE g.user_id = u.id AND g.client_id = p.client_id LIMIT 1), $3)
       FROM users u, partners p
      WHERE u.id = $1 AND u.status = 'active' AND p.client_id = $2 AND p.status = 'active'
        AND NOT EXISTS (SELECT FROM earlier WHERE NOT usable) AND NOT $9::boolean
     ON CONFLICT (user_id, client_id) WHERE revoked_at IS NULL DO UPDATE SET client_id = excluded.client_id
     RETURNING id
   ), kept AS (
     UPDATE grants g SET client_id = g.client_id FROM users u, partners p
      WHERE g.user_id = $1 AND g.client_id = $2 AND g.revoked_at IS NULL AND $9
        AND u.id = $1 AND u.status = 'active' AND p.client_id = $2 AND p.status = 'active'
     RETURNING g.id
   ), consent AS (
     SELECT id FROM given UNION ALL SELECT id FROM kept
   ), started AS (
     INSERT INTO connections AS c (grant_id, client_id, code_hash, code_expires_at, redirect_uri, code_challenge, nonce, auth_time)
     SELECT id, $2, $4, now() + interval '${codeSeconds} seconds', $5, $6, $7, $8 FROM consent
     ON CONFLICT (code_hash) DO UPDATE SET code_hash = excluded.code_hash
     RETURNING c.grant_id, c.redemptions
   )
   SELECT redemptions = 0 AND grant_id = (SELECT id FROM consent) AS usable FROM started
   UNION ALL
   SELECT false FROM earlier WHERE NOT usable`,
)
