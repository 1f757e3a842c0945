import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** Seconds between two heartbeats of a server. */
export const heartbeatSeconds = 5

/**
 * If no server writes a heartbeat for so many seconds, it is an outage. One lost heartbeat is not an outage: the limit is two
 * intervals and one second.
 */
export const silentSeconds = 2 * heartbeatSeconds + 1

/**
 * Continues the newest uptime, or begins one if no server wrote a heartbeat for too long. Two servers that begin at the same
 * moment may each insert a row. They then continue the newer one, and `readStatus` joins both. No parameters.
 */
export const writeHeartbeat = statement(
  'write_heartbeat',
  Type.Object({}),
  `WITH continued AS (
     UPDATE uptimes SET up_to = greatest(up_to, now())
      WHERE up_from = (SELECT max(up_from) FROM uptimes) AND up_to >= now() - interval '${silentSeconds} seconds'
     RETURNING 1
   )
   INSERT INTO uptimes (up_from, up_to) SELECT now(), now() WHERE NOT EXISTS (SELECT FROM continued)
   ON CONFLICT DO NOTHING`,
)

/** After a restore: nothing is known about the time since the last heartbeat in the backup. No parameters. */
export const recordLostHeartbeats = statement(
  'record_lost_heartbeats',
  Type.Object({}),
  `INSERT INTO lost_heartbeats (lost_from, lost_to)
   SELECT max(up_to), now() FROM uptimes HAVING max(up_to) < now() ON CONFLICT DO NOTHING`,
)
