import { pino } from 'pino'
import { type Database, openPool, type Statement } from '../../src/database/database.ts'
import { Purge, type Purged } from '../../src/maintenance/purge.ts'
import { accessTokenOf } from './access-token.ts'
import { query } from './database.ts'
import { testKeys } from './server.ts'

const silent = pino({ level: 'silent' })

export const testRetention = {
  readLogMonths: 13,
  requestLogDays: 7,
  auditMonths: 0,
  keys: testKeys('sandbox'),
}

/** Runs one round of the purge. */
export function purge(database: Database): Promise<Purged> {
  return new Purge(database, silent, testRetention).round()
}

const purgedTables = [
  'sessions',
  'client_assertions',
  'logout_tokens',
  'used_challenges',
  'login_failures',
  'grant_reads',
  'household_changes',
  'access_changes',
  'account_changes',
  'account_access_changes',
  'limit_windows',
  'outbox',
  'password_links',
  'operator_links',
  'operator_sessions',
  'developer_links',
  'developer_sessions',
  'call_hours',
  'call_days',
  'uptimes',
  'lost_heartbeats',
  'idempotent_requests',
  'webhook_messages',
  'webhook_secrets',
  'connections',
]

/** $1 id of a user with a connection, $2 how many rows */
const insertExpired = `WITH numbers AS (
   SELECT n, sha256(convert_to('expired ' || n, 'UTF8')) AS hash, now() - interval '2 days' AS past,
          now() - interval '91 days' AS long_past, now() - interval '400 days' - n * interval '1 second' AS years_past
     FROM generate_series(1, $2::int) n
 ), live AS (
   SELECT c.id, c.grant_id, g.user_id, g.client_id FROM connections c JOIN grants g ON g.id = c.grant_id
    WHERE g.user_id = $1 LIMIT 1
 ), unredeemed AS (
   INSERT INTO connections (grant_id, client_id, code_hash, code_expires_at, redirect_uri, auth_time, acr, amr)
   SELECT grant_id, client_id, hash, past, 'https://partner.example/', past, 'acr', '{pwd}' FROM numbers, live
 ), session AS (
   INSERT INTO sessions (hash, user_id, login_version, acr, amr, expires_at)
   SELECT hash, user_id, gen_random_uuid(), 'acr', '{pwd}', past FROM numbers, live
 ), assertion AS (
   INSERT INTO client_assertions SELECT hash, past FROM numbers
 ), logout AS (
   INSERT INTO logout_tokens SELECT hash, past FROM numbers
 ), challenge AS (
   INSERT INTO used_challenges SELECT hash, past FROM numbers
 ), owner AS (
   -- A user has at most one link.
   INSERT INTO users (id, firm_id, email, email_folded, name, role, status)
   SELECT 'expired-' || n, firm_id, 'expired-' || n || '@example.com', 'expired-' || n || '@example.com', 'x', role, 'disabled'
     FROM numbers, users WHERE id = $1
   ON CONFLICT DO NOTHING
 ), link AS (
   INSERT INTO password_links SELECT 'expired-' || n, hash, gen_random_uuid(), past FROM numbers
 ), mail AS (
   INSERT INTO outbox (kind, payload, expires_at) SELECT 'mail', '{}', past FROM numbers
 ), failure AS (
   INSERT INTO login_failures SELECT hash, 3, past FROM numbers
 ), quota AS (
   INSERT INTO limit_windows SELECT past, 'expired ' || n, 1, 1, 1 FROM numbers
 ), household AS (
   INSERT INTO household_changes SELECT firm_id, 'expired-' || n, long_past FROM numbers, users WHERE id = $1
 ), household_access AS (
   INSERT INTO access_changes SELECT $1, 'expired-' || n, long_past FROM numbers
 ), account AS (
   INSERT INTO account_changes SELECT firm_id, 'expired-' || n, long_past FROM numbers, users WHERE id = $1
 ), account_access AS (
   INSERT INTO account_access_changes SELECT $1, 'expired-' || n, long_past FROM numbers
 ), operator AS (
   INSERT INTO operators (id, email, email_folded, name, role)
   SELECT substr(encode(hash, 'hex'), 1, 32)::uuid, n || '@x.example', n || '@x.example', 'x', 'read_only' FROM numbers
   ON CONFLICT DO NOTHING
 ), operator_link AS (
   INSERT INTO operator_links SELECT substr(encode(hash, 'hex'), 1, 32)::uuid, hash, long_past FROM numbers
 ), operator_session AS (
   INSERT INTO operator_sessions (hash, operator_id, login_version, expires_at)
   SELECT hash, substr(encode(hash, 'hex'), 1, 32)::uuid, gen_random_uuid(), past FROM numbers
 ), developer AS (
   INSERT INTO developers (id, email, email_folded, name)
   SELECT substr(encode(hash, 'hex'), 1, 32)::uuid, n || '@x.example', n || '@x.example', 'x' FROM numbers
   ON CONFLICT DO NOTHING
 ), developer_link AS (
   INSERT INTO developer_links SELECT substr(encode(hash, 'hex'), 1, 32)::uuid, hash, long_past FROM numbers
 ), developer_session AS (
   INSERT INTO developer_sessions (hash, developer_id, login_version, expires_at)
   SELECT hash, substr(encode(hash, 'hex'), 1, 32)::uuid, gen_random_uuid(), past FROM numbers
 ), hour AS (
   INSERT INTO call_hours SELECT long_past, 'read', 'expired-' || n, 1, 0, 0, 0, '{}' FROM numbers
 ), call_day AS (
   INSERT INTO call_days SELECT long_past::date - 400 - n::int, 'read', 1, 0, '{}' FROM numbers
 ), uptime AS (
   INSERT INTO uptimes SELECT years_past, years_past FROM numbers
 ), lost AS (
   INSERT INTO lost_heartbeats SELECT years_past, years_past FROM numbers
 ), endpoint AS (
   INSERT INTO webhook_endpoints (client_id, url, events) SELECT client_id, 'https://partner.example/', '{webhook.test}' FROM live
   RETURNING id
 ), message AS (
   INSERT INTO webhook_messages (endpoint_id, type, data, next_attempt_at, outcome, finished_at)
   SELECT id, 'webhook.test', '{}', NULL, 'delivered', long_past FROM numbers, endpoint
 ), secret AS (
   INSERT INTO webhook_secrets (endpoint_id, kind, sealed, expires_at) SELECT id, 'hmac', 'x', past FROM numbers, endpoint
 ), request AS (
   INSERT INTO idempotent_requests (actor_id, key_hash, digest, created_at) SELECT 'x', hash, hash, past FROM numbers
 )
 INSERT INTO grant_reads SELECT grant_id, current_date - 60 - n::int, 1, 1, 1 FROM numbers, live`

/** Inserts so many expired rows into each table. The user must exist. @returns the number of rows for each table */
export async function leaveExpired(database: Database, userId: string, rows: number): Promise<Purged> {
  await accessTokenOf(database, userId)
  await query(database, insertExpired, [userId, rows])
  return Object.fromEntries(purgedTables.map((table) => [table, rows]))
}

export type Heard = { statement: string; row: unknown }

/**
 * The same database through separate connections, as another server uses it. `heard` grows with each statement that
 * returns a row; the next statement then waits for `gate`.
 */
export function heardDatabase(url: string): { database: Database; heard: Heard[]; gate: Promise<void> } {
  const pool = openPool(url, () => {})
  const own = {
    heard: [] as Heard[],
    gate: Promise.resolve(),
    database: {
      ...pool,
      async one<Row>(statement: Statement<Row>, values: Parameters<Database['one']>[1]): Promise<Row> {
        const row = await pool.one(statement, values)
        own.heard.push({ statement: statement.name, row })
        await own.gate
        return row
      },
    },
  }
  return own
}
