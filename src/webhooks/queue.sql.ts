import { Instant, statement } from '../database/database.ts'
import { counting } from '../login/login.sql.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import Type, { type Static } from '../typebox.ts'
import { endpointRecord, isSigning, leaseSeconds, mostEndpoints } from './endpoints.sql.ts'
import { keptAttempts } from './messages.sql.ts'

/** Attempts of one server at a time to one endpoint. An endpoint that fails gets one. */
const slotsOfEndpoint = 4

/** And to all endpoints of a partner, so that its slow receivers leave the server to others. */
const slotsOfPartner = 8

/** Due messages of an endpoint that one poll reads. */
const mostRead = 100

/** Days of failures after which an endpoint is disabled. */
const failingDays = 5

const TakenMessage = Type.Object({
  id: Type.String(),
  endpoint_id: Type.String(),
  url: Type.String(),
  type: Type.String(),
  data: Type.Unknown(),
  created_at: Instant,
  /** The number of this attempt. */
  attempts: Type.Integer(),
  /** Attempts that failed since the message was written or sent again. */
  failures: Type.Integer(),
  /** The sealed secrets that sign it, newest first. */
  secrets: Type.Array(Type.String()),
})
export type TakenMessage = Static<typeof TakenMessage>

/**
 * Takes a lease on messages that are due. Of the messages of a grant, only the head is taken, for each endpoint: a later one
 * waits until the head is delivered or given up. A poll reads a bounded number of due messages of each endpoint, therefore an
 * endpoint with very many of them delays no other, and endpoints take turns if the server has few free slots.
 *
 * A due message behind a head is postponed with it, so that the next polls do not read it again. The end of the head makes it
 * due (`nextOfGrant`). Both lock the head: without the lock, a head that ends in this moment would leave the next message
 * postponed.
 *
 * $1 endpoints with attempts of this server, $2 how many attempts of each, $3 messages at most, $4 name of this server
 */
export const takeDueMessages = statement(
  'take_due_webhook_messages',
  TakenMessage,
  `WITH busy AS MATERIALIZED (
     SELECT b.id, b.attempts, e.client_id
       FROM unnest($1::uuid[], $2::int[]) AS b (id, attempts) JOIN webhook_endpoints e ON e.id = b.id
   ), seen AS MATERIALIZED (
     SELECT due.*, e.client_id, head.id AS head_id, slots.*
       FROM webhook_endpoints e JOIN partners p ON p.client_id = e.client_id
       LEFT JOIN busy ON busy.id = e.id
      CROSS JOIN LATERAL (
        SELECT CASE WHEN e.failing_since IS NULL THEN ${slotsOfEndpoint} ELSE 1 END - coalesce(busy.attempts, 0) AS free,
               ${slotsOfPartner} - (SELECT coalesce(sum(b.attempts), 0) FROM busy b WHERE b.client_id = e.client_id) AS free_of_partner) AS slots
      CROSS JOIN LATERAL (
        SELECT m.id, m.endpoint_id, m.grant_id, m.place, m.next_attempt_at FROM webhook_messages m
         WHERE m.endpoint_id = e.id AND m.next_attempt_at <= now() ORDER BY m.next_attempt_at LIMIT ${mostRead}) AS due
       LEFT JOIN LATERAL (
        SELECT h.id FROM webhook_messages h
         WHERE h.endpoint_id = due.endpoint_id AND h.grant_id = due.grant_id AND h.place < due.place AND h.next_attempt_at IS NOT NULL
         ORDER BY h.place LIMIT 1) AS head ON true
      WHERE e.status = 'active' AND p.status = 'active' AND slots.free > 0 AND slots.free_of_partner > 0
   ), heads AS (
     SELECT *, row_number() OVER (PARTITION BY endpoint_id ORDER BY next_attempt_at, place) AS turn
       FROM seen WHERE head_id IS NULL
   ), turns AS (
     SELECT *, row_number() OVER (PARTITION BY client_id ORDER BY turn, next_attempt_at) AS turn_of_partner
       FROM heads WHERE turn <= free
   ), chosen AS (
     SELECT m.id FROM turns JOIN webhook_messages m ON m.id = turns.id
      WHERE turns.turn_of_partner <= turns.free_of_partner AND m.next_attempt_at <= now()
      ORDER BY turns.turn, m.next_attempt_at LIMIT $3::int FOR NO KEY UPDATE OF m SKIP LOCKED
   ), taken AS (
     UPDATE webhook_messages m
        SET attempts = m.attempts + 1, next_attempt_at = now() + interval '${leaseSeconds} seconds', taken_by = $4
       FROM chosen WHERE m.id = chosen.id RETURNING m.*
   ), behind AS (
     SELECT m.id, greatest(head.next_attempt_at, now() + interval '${leaseSeconds} seconds') AS until
       FROM seen JOIN webhook_messages m ON m.id = seen.id JOIN webhook_messages head ON head.id = seen.head_id
      WHERE seen.head_id IS NOT NULL AND m.next_attempt_at <= now() AND head.next_attempt_at IS NOT NULL
        FOR NO KEY UPDATE OF m, head SKIP LOCKED
   ), postponed AS (
     UPDATE webhook_messages m SET next_attempt_at = behind.until FROM behind WHERE m.id = behind.id
   )
   SELECT t.id, t.endpoint_id, e.url, t.type, t.data, t.created_at, t.attempts, t.failures,
          ARRAY(SELECT s.sealed FROM webhook_secrets s
                 WHERE s.endpoint_id = e.id AND ${isSigning} ORDER BY s.id DESC LIMIT 2) AS secrets
     FROM taken t JOIN webhook_endpoints e ON e.id = t.endpoint_id`,
)

/**
 * Ends all leases of a server that has no attempt in progress. Any server can then repeat the interrupted attempts at once.
 * Servers before migration 0043 leave `taken_by` in messages that they deliver or postpone: these have no lease.
 * $1 name of the server
 */
export const endLeases = statement(
  'end_webhook_leases',
  Type.Object({}),
  `UPDATE webhook_messages SET next_attempt_at = now(), taken_by = NULL
    WHERE id IN (SELECT id FROM webhook_messages
                   WHERE taken_by = $1 AND next_attempt_at <= now() + interval '${leaseSeconds} seconds'
                     FOR NO KEY UPDATE SKIP LOCKED)`,
)

/**
 * SQL: locks the endpoint of message $1 before the message. Removing or enabling an endpoint takes the locks in the same
 * order. The other order could deadlock.
 */
const lockedEndpoint = `endpoint AS (
     SELECT * FROM webhook_endpoints WHERE id = (SELECT endpoint_id FROM webhook_messages WHERE id = $1) FOR NO KEY UPDATE
   )`

/** SQL: writes the attempt at message `m`, if it still counts, and deletes those that are too many. */
const attemptRow = `INSERT INTO webhook_attempts (message_id, number, duration_ms, status, fault, response)
     SELECT m.id, $2, $3, $4::int, $5::text, $6::text FROM m ON CONFLICT DO NOTHING
   ), old_attempts AS (
     DELETE FROM webhook_attempts a USING m WHERE a.message_id = m.id AND a.number <= $2 - ${keptAttempts}`

/** SQL: makes the next message of the grant due, if message `m` has ended. */
const nextOfGrant = `UPDATE webhook_messages n SET next_attempt_at = now()
      WHERE n.id = (SELECT w.id FROM m JOIN webhook_messages w ON w.endpoint_id = m.endpoint_id AND w.grant_id = m.grant_id
                     WHERE m.outcome IS NOT NULL AND w.place > m.place AND w.next_attempt_at IS NOT NULL
                     ORDER BY w.place LIMIT 1)`

/**
 * After a delivery. It counts even if the lease was over and another attempt has begun. `delay_seconds`: from the event to the
 * delivery, if the first attempt succeeded. No row: it was recorded already, or the endpoint was removed.
 * $1 id, $2 number of the attempt, $3 its milliseconds, $4 status of the answer, $5 null, $6 the beginning of the answer
 */
export const recordDelivery = statement(
  'record_webhook_delivery',
  Type.Object({ delay_seconds: Type.Union([Type.Number(), Type.Null()]) }),
  `WITH ${lockedEndpoint}, m AS (
     UPDATE webhook_messages n SET next_attempt_at = NULL, taken_by = NULL, outcome = 'delivered', finished_at = now()
       FROM endpoint WHERE n.id = $1 AND n.endpoint_id = endpoint.id AND n.outcome IS NULL RETURNING n.*
   ), attempt AS (
     ${attemptRow}
   ), next AS (
     ${nextOfGrant}
   ), e AS (
     UPDATE webhook_endpoints e SET failing_since = NULL FROM m WHERE e.id = m.endpoint_id AND e.failing_since IS NOT NULL
   )
   SELECT CASE WHEN attempts = 1 THEN extract(epoch FROM now() - created_at)::float8 END AS delay_seconds FROM m`,
)

const isDead = `($8::boolean OR e.failing_since <= now() - interval '${failingDays} days')`

/**
 * SQL: the host of an address, for a mail. The partner chooses the address: what does not look like a host is not shown, and
 * the id of the endpoint stands for it.
 */
const hostOf = (endpoint: string) =>
  `coalesce(substring(${endpoint}.url FROM '^https?://(\\[[0-9a-f:.]+\\]|[a-z0-9._-]{1,253})(?=[:/]|$)'), ${endpoint}.id::text)`

/**
 * After a failed attempt. Disables the endpoint if it is gone or has failed for `failingDays`. No row if the lease is over and
 * another attempt has begun, or the endpoint was removed.
 *
 * Developers who have opened the application get a mail, at most one a day about an endpoint, and at most `mostEndpoints` a day
 * about all of the application, also about those that were removed: an attacker could use the mails to write to others.
 *
 * $1 id, $2 number of the attempt, $3 its milliseconds, $4 status of the answer, or null, $5 why it failed, $6 the beginning of
 * the answer, or null, $7 seconds until the next attempt; null: give up, $8 whether the receiver is gone, $9 origin,
 * $10 whether the server sends mails
 */
export const recordFailure = statement(
  'record_webhook_failure',
  Type.Object({ is_given_up: Type.Boolean(), is_disabled: Type.Boolean() }),
  `WITH ${lockedEndpoint}, m AS (
     UPDATE webhook_messages n
        SET failures = n.failures + 1, taken_by = NULL,
            next_attempt_at = now() + make_interval(secs => $7::float8 * (1 + random() / 10)),
            outcome = CASE WHEN $7 IS NULL THEN 'given_up' END, finished_at = CASE WHEN $7 IS NULL THEN now() END
       FROM endpoint
      WHERE n.id = $1 AND n.endpoint_id = endpoint.id AND n.attempts = $2 AND n.outcome IS NULL RETURNING n.*
   ), attempt AS (
     ${attemptRow}
   ), next AS (
     ${nextOfGrant}
   ), changed AS (
     UPDATE webhook_endpoints e
        SET failing_since = coalesce(e.failing_since, now()), status = CASE WHEN ${isDead} THEN 'disabled' ELSE e.status END,
            disabled_for = CASE WHEN $8 THEN 'gone' WHEN ${isDead} THEN 'failing' END,
            disabled_mail_at = CASE WHEN $10::boolean AND ${isDead} AND coalesce(e.disabled_mail_at < now() - interval '1 day', true)
                                    THEN now() ELSE e.disabled_mail_at END
       FROM m WHERE e.id = m.endpoint_id AND e.status = 'active' AND (e.failing_since IS NULL OR ${isDead}) RETURNING e.*
   ), e AS (
     SELECT * FROM changed WHERE status = 'disabled'
   ), recorded AS (
     ${endpointRecord('webhook.disabled', '$9', 'e', { cause: 'e.disabled_for', failing_since: 'e.failing_since' })}
   ), counted AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     SELECT sha256(convert_to('webhook disabled ' || e.client_id, 'UTF8')), 1, now() + interval '1 day' FROM e
      WHERE e.disabled_mail_at = now()
     ${counting}
   ), mail AS (
     ${mailRow('webhook_disabled', {
       from: `e JOIN partners p ON p.client_id = e.client_id
              JOIN developer_memberships s ON s.client_id = e.client_id AND s.role <> 'viewer' AND s.last_seen_at IS NOT NULL
              JOIN developers u ON u.id = s.developer_id AND u.status = 'active'
              WHERE e.disabled_mail_at = now() AND (SELECT count FROM counted) <= ${mostEndpoints}`,
       language: `'en'`,
       facts: {
         partner: 'p.name',
         client_id: 'p.client_id',
         host: hostOf('e'),
         cause: 'e.disabled_for',
       },
     })}
   )
   SELECT m.outcome IS NOT NULL AS is_given_up, EXISTS (SELECT FROM e) AS is_disabled FROM m`,
)
