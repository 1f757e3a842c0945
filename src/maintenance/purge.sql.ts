import Type, { type Static } from 'typebox'
import { type Statement, statement } from '../database/database.ts'
import { isForgotten } from '../households/v2/list-changes.sql.ts'
import { isWithinLimits } from '../sessions/sessions.sql.ts'

/** Rows that a statement deletes at most, or looks at: a matter of milliseconds. */
export const batchRows = 1000

/** Days for which counts of what was read are kept: the page shows 30, and the rest is for who asks about them. */
const readDays = 35

/** What is purged by its expiry. */
type PurgedTable =
  | 'access_tokens'
  | 'refresh_tokens'
  | 'sessions'
  | 'client_assertions'
  | 'login_failures'
  | 'grant_reads'
  | 'household_changes'
  | 'access_changes'

const Batch = Type.Object({ removed: Type.Integer() })

/**
 * Deletes a batch, the oldest first. A row that somebody is working on is left for the next round, and one that changed
 * while its lock was taken is judged as it is now. The rows are gathered in an array, for a LIMIT in a plain subquery
 * may be run, and counted, more than once.
 */
function purgeOf(table: PurgedTable, by: string, where: string): Statement<Static<typeof Batch>> {
  return statement(
    `purge_${table}`,
    Batch,
    `WITH gone AS (
       DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT s.ctid FROM ${table} s WHERE ${where} ORDER BY ${by} LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
       )) RETURNING 1
     )
     SELECT count(*)::int AS removed FROM gone`,
  )
}

/** For a day the API tells that a token has expired; then it is not known (docs/adr/0011). */
const expiredYesterday = `expires_at < now() - interval '1 day'`

/** One statement for each table whose rows say themselves when they are spent; none has parameters. */
export const purgeExpired: Record<PurgedTable, Statement<Static<typeof Batch>>> = {
  access_tokens: purgeOf('access_tokens', 'expires_at', expiredYesterday),
  refresh_tokens: purgeOf('refresh_tokens', 'expires_at', expiredYesterday),
  sessions: purgeOf('sessions', 'expires_at', `NOT (${isWithinLimits})`),
  // Not at once: a statement that began before the assertion expired may still be waiting to see whether it was used.
  client_assertions: purgeOf('client_assertions', 'expires_at', `expires_at < now() - interval '1 minute'`),
  login_failures: purgeOf('login_failures', 'resets_at', 'resets_at <= now()'),
  grant_reads: purgeOf('grant_reads', 'day', `day <= (now() AT TIME ZONE 'UTC')::date - ${readDays}`),
  household_changes: purgeOf('household_changes', 'changed_at', isForgotten),
  access_changes: purgeOf('access_changes', 'changed_at', isForgotten),
}

/**
 * Looks at the next connections in the order of their ids, and deletes those that nothing is left of: the code expired
 * more than a day ago, and no token has a row. While one has, a replayed code must find the connection to revoke it. No
 * token can come meanwhile: a code redeems only before it expires, and a refresh token rotates only while it has a row.
 *
 * $1 id of the connection that was looked at last; `last` is the same for the next time, null when these were the last
 */
export const purgeConnections = statement(
  'purge_connections',
  Type.Object({ ...Batch.properties, last: Type.Union([Type.String(), Type.Null()]) }),
  `WITH page AS (
     SELECT id FROM connections WHERE id > $1::bigint ORDER BY id LIMIT ${batchRows}
   ), gone AS (
     DELETE FROM connections WHERE ctid = ANY (ARRAY(
       SELECT c.ctid FROM connections c
        WHERE c.id = ANY (ARRAY(SELECT id FROM page)) AND c.code_expires_at < now() - interval '1 day'
          AND NOT EXISTS (SELECT FROM access_tokens t WHERE t.connection_id = c.id)
          AND NOT EXISTS (SELECT FROM refresh_tokens t WHERE t.connection_id = c.id)
          FOR UPDATE OF c SKIP LOCKED
     )) RETURNING 1
   )
   SELECT (SELECT count(*)::int FROM gone) AS removed,
          CASE WHEN count(*) = ${batchRows} THEN max(id) END AS last FROM page`,
)
