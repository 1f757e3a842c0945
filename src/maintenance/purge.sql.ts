import { type Statement, statement } from '../database/database.ts'
import { isPastRetention } from '../households/v2/list-changes.sql.ts'
import { keptHours } from '../management/idempotency.sql.ts'
import { isPersonSessionWithinLimits } from '../people/sessions.sql.ts'
import { isWithinLimits } from '../sessions/sessions.sql.ts'
import { keptStatus } from '../status/status.sql.ts'
import { refreshTokenSeconds } from '../tokens/lifetimes.ts'
import Type, { type Static } from '../typebox.ts'
import { keptDays } from '../webhooks/messages.sql.ts'

/** Rows that a statement deletes or reads at most, so that it takes only milliseconds. */
export const batchRows = 1000

/** Days for which counts of reads are kept. The page shows 30 of them. */
const readRetentionDays = 35

/** Tables whose rows have a time from which they can be deleted. */
type PurgedTable =
  | 'sessions'
  | 'client_assertions'
  | 'logout_tokens'
  | 'used_challenges'
  | 'login_failures'
  | 'grant_reads'
  | 'household_changes'
  | 'access_changes'
  | 'account_changes'
  | 'account_access_changes'
  | 'limit_windows'
  | 'outbox'
  | 'password_links'
  | 'operator_sessions'
  | 'operator_links'
  | 'developer_sessions'
  | 'developer_links'
  | 'call_hours'
  | 'call_days'
  | 'uptimes'
  | 'lost_heartbeats'
  | 'idempotent_requests'
  | 'webhook_messages'
  | 'webhook_secrets'

const Batch = Type.Object({ removed: Type.Integer() })

/**
 * Deletes a batch of rows that match `where`, in the order of `orderBy`. A row that another transaction has locked is left
 * for the next round. If a row changes before it is locked, PostgreSQL checks its new version against `where`. The rows
 * are collected in an array, because PostgreSQL may run a plain subquery more than once, each time with its own LIMIT.
 */
function purgeStatement(table: PurgedTable, orderBy: string, where: string): Statement<Static<typeof Batch>> {
  return statement(
    `purge_${table}`,
    Batch,
    `WITH gone AS (
       DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT s.ctid FROM ${table} s WHERE ${where} ORDER BY ${orderBy} LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
       )) RETURNING 1
     )
     SELECT count(*)::int AS removed FROM gone`,
  )
}

/** One statement for each table. The statements have no parameters. */
export const purgeExpired: Record<PurgedTable, Statement<Static<typeof Batch>>> = {
  sessions: purgeStatement('sessions', 'expires_at', `NOT (${isWithinLimits})`),
  // A minute later, because a statement that began before the expiry may still wait for a lock before it reads the row.
  client_assertions: purgeStatement(
    'client_assertions',
    'expires_at',
    `expires_at < now() - interval '1 minute'`,
  ),
  used_challenges: purgeStatement(
    'used_challenges',
    'expires_at',
    `expires_at < now() - interval '1 minute'`,
  ),
  logout_tokens: purgeStatement('logout_tokens', 'expires_at', 'expires_at < now()'),
  login_failures: purgeStatement('login_failures', 'resets_at', 'resets_at <= now()'),
  grant_reads: purgeStatement(
    'grant_reads',
    'day',
    `day <= (now() AT TIME ZONE 'UTC')::date - ${readRetentionDays}`,
  ),
  household_changes: purgeStatement('household_changes', 'changed_at', isPastRetention),
  access_changes: purgeStatement('access_changes', 'changed_at', isPastRetention),
  account_changes: purgeStatement('account_changes', 'changed_at', isPastRetention),
  account_access_changes: purgeStatement('account_access_changes', 'changed_at', isPastRetention),
  // Its worker deletes it earlier. There is none if the server no longer sends mails.
  outbox: purgeStatement('outbox', 'expires_at', `expires_at < now() - interval '1 day'`),
  password_links: purgeStatement('password_links', 'expires_at', 'expires_at <= now()'),
  operator_sessions: purgeStatement(
    'operator_sessions',
    'expires_at',
    `NOT (${isPersonSessionWithinLimits})`,
  ),
  // Until then, the overview names the operators who have not used their link.
  operator_links: purgeStatement('operator_links', 'expires_at', `expires_at < now() - interval '30 days'`),
  developer_sessions: purgeStatement(
    'developer_sessions',
    'expires_at',
    `NOT (${isPersonSessionWithinLimits})`,
  ),
  developer_links: purgeStatement('developer_links', 'expires_at', `expires_at < now() - interval '30 days'`),
  call_hours: purgeStatement('call_hours', 'hour', `hour < now() - interval '35 days'`),
  call_days: purgeStatement('call_days', 'day', `day < now() - ${keptStatus}`),
  // The newest uptime goes on, or is the last one before an outage. It began before it ended: the index is on the beginning.
  uptimes: purgeStatement(
    'uptimes',
    'up_from',
    `up_from < now() - ${keptStatus} AND up_to < now() - ${keptStatus}`,
  ),
  lost_heartbeats: purgeStatement(
    'lost_heartbeats',
    'lost_from',
    `lost_from < now() - ${keptStatus} AND lost_to < now() - ${keptStatus}`,
  ),
  idempotent_requests: purgeStatement(
    'idempotent_requests',
    'created_at',
    `created_at <= now() - interval '${keptHours} hours'`,
  ),
  // With their attempts. Messages of a disabled endpoint wait for as long.
  webhook_messages: purgeStatement(
    'webhook_messages',
    'coalesce(finished_at, due_since)',
    `coalesce(finished_at, due_since) < now() - interval '${keptDays} days'`,
  ),
  webhook_secrets: purgeStatement('webhook_secrets', 'expires_at', 'expires_at < now()'),
  limit_windows: purgeStatement('limit_windows', 'window_at', `window_at < now() - interval '2 minutes'`),
}

/**
 * Deletes a batch of the read log. $1 months for which it is kept
 */
export const purgeReads = statement(
  'purge_read_log',
  Batch,
  `WITH gone AS (
     DELETE FROM read_log WHERE ctid = ANY (ARRAY(
       SELECT l.ctid FROM read_log l WHERE l.day < (now() AT TIME ZONE 'UTC' - make_interval(months => $1))::date
        ORDER BY l.day LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
     )) RETURNING 1
   )
   SELECT count(*)::int AS removed FROM gone`,
)

/** Deletes the names of ended grants that the read log no longer mentions. No parameters. */
export const purgeReaders = statement(
  'purge_read_log_grants',
  Batch,
  `WITH gone AS (
     DELETE FROM read_log_grants n
      WHERE NOT EXISTS (SELECT FROM grants g WHERE g.id = n.grant_id OFFSET 0)
        AND NOT EXISTS (SELECT FROM read_log l WHERE l.grant_id = n.grant_id OFFSET 0) RETURNING 1
   )
   SELECT count(*)::int AS removed FROM gone`,
)

/** Days after the last refresh when a connection's refresh token has expired, and a few more for its message. */
const idleDays = Math.ceil(refreshTokenSeconds / 86_400) + 3

/** Tokens may be ahead of their rows after a restore: none of these rows tells when its tokens expire. */
const rowsAreCurrent = 'NOT EXISTS (SELECT FROM deployment WHERE accepts_tokens_ahead_until > now())'

const pageOfConnections = `page AS (
     SELECT id FROM connections WHERE id > $1::bigint ORDER BY id LIMIT ${batchRows}
   )`

/**
 * Notes for the next batch of connections whether the newest refresh token has expired, which writes the event
 * `connection.ended` (docs/adr/0044). It takes the locks in the order of the grants, as the usage counts do. $1 id after which
 * the batch begins
 */
export const expireConnections = statement(
  'expire_connections',
  Type.Object({ expired: Type.Integer() }),
  `WITH ${pageOfConnections}, due AS (
     SELECT c.id FROM connections c
      WHERE c.id = ANY (ARRAY(SELECT id FROM page)) AND c.expired_at IS NULL AND c.revoked_at IS NULL
        AND c.refreshed_at < now() - interval '${refreshTokenSeconds} seconds' AND ${rowsAreCurrent}
      ORDER BY c.grant_id, c.id FOR NO KEY UPDATE OF c SKIP LOCKED
   ), expired AS (
     UPDATE connections c SET expired_at = c.refreshed_at + interval '${refreshTokenSeconds} seconds'
       FROM due WHERE c.id = due.id RETURNING 1
   )
   SELECT count(*)::int AS expired FROM expired`,
)

/**
 * Reads the next batch of connections in the order of their ids. Deletes those whose code expired more than a day ago and
 * whose newest refresh token expired days ago, if `expireConnections` has noted it. No index could find them: an index on a
 * moment that each refresh changes would make every refresh write to it. While tokens may be ahead of their rows after a
 * restore, nothing is deleted.
 *
 * $1 id after which the batch begins; `last` is this id for the next batch, null if this was the last batch
 */
export const purgeConnections = statement(
  'purge_connections',
  Type.Object({ ...Batch.properties, last: Type.Union([Type.String(), Type.Null()]) }),
  `WITH ${pageOfConnections}, gone AS (
     DELETE FROM connections WHERE ctid = ANY (ARRAY(
       SELECT c.ctid FROM connections c
        WHERE c.id = ANY (ARRAY(SELECT id FROM page)) AND c.code_expires_at < now() - interval '1 day'
          AND (c.refreshed_at IS NULL OR c.refreshed_at < now() - interval '${idleDays} days')
          AND (c.refreshed_at IS NULL OR c.expired_at IS NOT NULL OR c.revoked_at IS NOT NULL) AND ${rowsAreCurrent}
          FOR UPDATE OF c SKIP LOCKED
     )) RETURNING 1
   )
   SELECT (SELECT count(*)::int FROM gone) AS removed,
          CASE WHEN count(*) = ${batchRows} THEN max(id) END AS last FROM page`,
)
