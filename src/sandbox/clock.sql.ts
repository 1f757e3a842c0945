import { statement } from '../database/database.ts'
import { isLive } from '../grants/ended.sql.ts'
import Type from '../typebox.ts'

/** Seconds. Expiries in tokens are 32-bit numbers, which end in the year 2106. */
const mostAhead = 10 * 366 * 24 * 3600

/** How far a connection's clock is ahead. No row: not at all. $1 SHA-256 of the locator of an access or refresh token */
export const findClock = statement(
  'find_sandbox_clock',
  Type.Object({ seconds_ahead: Type.Integer() }),
  `SELECT seconds_ahead::float AS seconds_ahead FROM sandbox_clocks WHERE access_locator_hash = $1
   UNION ALL
   SELECT seconds_ahead::float FROM sandbox_clocks WHERE refresh_locator_hash = $1`,
)

/** The moments of a connection that the next refresh compares with the server's clock. */
const moments = ['refreshed_at', 'access_nonce_at', 'marked_at', 'earlier_at']

/**
 * Moves the clock of a live connection forward: its moments become older, and `seconds_ahead`, by which the expiries in its
 * tokens are ahead of the server's clock, grows. The end of the user's consent comes nearer too, for all connections of it; it
 * does not move into the past, before the consent. Also removes the clocks of connections that were purged.
 *
 * $1 SHA-256 of the locator of an access token, $2 seconds, at least 1
 */
export const advanceClock = statement(
  'advance_sandbox_clock',
  Type.Object({
    live: Type.Boolean(),
    /** Null if the clock was not moved: the connection is not live, or the clock would be ahead by more than ten years. */
    seconds_ahead: Type.Union([Type.Integer(), Type.Null()]),
  }),
  `WITH found AS (
     SELECT c.id, coalesce(k.seconds_ahead, 0) AS seconds_ahead
       FROM connections c
       JOIN grants g ON g.id = c.grant_id
       JOIN users u ON u.id = g.user_id
       JOIN partners p ON p.client_id = c.client_id
       LEFT JOIN sandbox_clocks k ON k.access_locator_hash = c.access_locator_hash
      WHERE c.access_locator_hash = $1 AND p.status = 'active' AND ${isLive('c', 'g', 'u')}
   ), aged AS (
     UPDATE connections c
        SET ${moments.map((moment) => `${moment} = c.${moment} - make_interval(secs => $2::float)`).join(', ')}
       FROM found WHERE c.id = found.id AND found.seconds_ahead + $2::float <= ${mostAhead}
     RETURNING c.refresh_locator_hash, c.access_locator_hash, c.grant_id
   ), consent AS (
     UPDATE grants g
        SET expires_at = greatest(g.expires_at - make_interval(secs => $2::float), now()),
            end_notice_at = g.end_notice_at - make_interval(secs => $2::float)
       FROM aged WHERE g.id = aged.grant_id AND g.expires_at IS NOT NULL
   ), advanced AS (
     INSERT INTO sandbox_clocks AS k (refresh_locator_hash, access_locator_hash, seconds_ahead)
     SELECT refresh_locator_hash, access_locator_hash, $2::float FROM aged
         ON CONFLICT (refresh_locator_hash) DO UPDATE SET seconds_ahead = k.seconds_ahead + excluded.seconds_ahead
     RETURNING k.seconds_ahead
   ), purged AS (
     DELETE FROM sandbox_clocks k
      WHERE NOT EXISTS (SELECT FROM connections c WHERE c.access_locator_hash = k.access_locator_hash)
   )
   SELECT EXISTS (SELECT FROM found) AS live, (SELECT seconds_ahead FROM advanced)::float AS seconds_ahead`,
)
