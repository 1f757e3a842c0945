import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'
import { endpointRecord, leaseSeconds, rfc3339 } from './endpoints.sql.ts'

const MaybeText = Type.Union([Type.String(), Type.Null()])
const MaybeInteger = Type.Union([Type.Integer(), Type.Null()])
const MaybeInstant = Type.Union([Instant, Type.Null()])

/** Days for which messages are kept after their end. Messages of a disabled endpoint wait for as long. */
export const keptDays = 30

/** Attempts that are kept of each message: the newest ones. A message can be sent again without end. */
export const keptAttempts = 100

/** `waiting`: for its first or next attempt. `given_up`: all attempts of its schedule have failed. */
export const messageStates = ['waiting', 'delivered', 'given_up'] as const
const State = Type.Union([Type.Literal('waiting'), Type.Literal('delivered'), Type.Literal('given_up')])

export const Message = Type.Object({
  /** `msg_` and this is the `webhook-id` of every delivery. */
  id: Type.String(),
  endpoint_id: Type.String(),
  type: Type.String(),
  /** Null: the event is not about a grant. */
  grant_id: MaybeText,
  created_at: Instant,
  state: State,
  /** Attempts that have begun. */
  attempts: Type.Integer(),
  /** While it waits: when it is tried again at the latest. Null: it is finished. */
  next_attempt_at: MaybeInstant,
  finished_at: MaybeInstant,
  /** Of the newest attempt that has ended. */
  last_status: MaybeInteger,
  last_fault: MaybeText,
})
export type Message = Static<typeof Message>

const columns = `m.id, m.endpoint_id, m.type, m.grant_id::text AS grant_id, m.created_at,
          coalesce(m.outcome, 'waiting') AS state, m.attempts, m.next_attempt_at, m.finished_at,
          last.status AS last_status, last.fault AS last_fault`

const lastAttempt = `LEFT JOIN LATERAL (SELECT a.status, a.fault FROM webhook_attempts a WHERE a.message_id = m.id
                      ORDER BY a.number DESC LIMIT 1) AS last ON true`

/**
 * Messages of a partner, newest first. $1 client_id, $2 id of an endpoint, or null, $3 state, or null, $4 type, or null,
 * $5 grant id, or null, $6 since when, or null, $7 id of the last message of the page before, or null, $8 messages at most
 */
export const listMessageRows = statement(
  'list_webhook_messages',
  Message,
  `WITH page AS (
     SELECT found.* FROM webhook_endpoints e CROSS JOIN LATERAL (
       SELECT m.* FROM webhook_messages m
        WHERE m.endpoint_id = e.id AND m.created_at >= coalesce($6::timestamptz, '-infinity')
          AND ($7::uuid IS NULL OR (m.created_at, m.place) < (
            SELECT l.created_at, l.place FROM webhook_messages l JOIN webhook_endpoints o ON o.id = l.endpoint_id
             WHERE l.id = $7 AND o.client_id = $1))
          AND ($3::text IS NULL OR coalesce(m.outcome, 'waiting') = $3)
          AND ($4::text IS NULL OR m.type = $4) AND ($5::bigint IS NULL OR m.grant_id = $5)
        ORDER BY m.created_at DESC, m.place DESC LIMIT $8::int) AS found
      WHERE e.client_id = $1 AND ($2::uuid IS NULL OR e.id = $2)
      ORDER BY found.created_at DESC, found.place DESC LIMIT $8::int
   )
   SELECT ${columns} FROM page m ${lastAttempt} ORDER BY m.created_at DESC, m.place DESC`,
)

const Attempt = Type.Object({
  number: Type.Integer(),
  /** RFC 3339: when it ended. */
  at: Type.String(),
  duration_ms: Type.Integer(),
  /** Null: there was no answer. */
  status: MaybeInteger,
  /** Null: it delivered the message. */
  fault: MaybeText,
  /** The beginning of the answer. */
  response: MaybeText,
})

export const MessageDetails = Type.Object({
  ...Message.properties,
  data: Type.Unknown(),
  /** The newest `keptAttempts`, oldest first. An attempt that was interrupted is missing. */
  attempts_made: Type.Array(Attempt),
})
export type MessageDetails = Static<typeof MessageDetails>

/** SQL: the newest attempts of message `m`, oldest first. */
const newestAttempts = `(SELECT coalesce(jsonb_agg(jsonb_build_object(
                     'number', a.number, 'at', ${rfc3339('a.at')}, 'duration_ms', a.duration_ms,
                     'status', a.status, 'fault', a.fault, 'response', a.response) ORDER BY a.number), '[]')
             FROM (SELECT * FROM webhook_attempts WHERE message_id = m.id
                    ORDER BY number DESC LIMIT ${keptAttempts}) AS a)`

/** A message with its attempts. $1 client_id, $2 id. No row: the partner has no such message. */
export const findMessageRow = statement(
  'find_webhook_message',
  MessageDetails,
  `SELECT ${columns}, m.data, ${newestAttempts} AS attempts_made
     FROM webhook_messages m JOIN webhook_endpoints e ON e.id = m.endpoint_id ${lastAttempt}
    WHERE e.client_id = $1 AND m.id = $2`,
)

/** Test events of an endpoint that may wait. Each is kept for `keptDays`, and its receiver may never take it. */
export const mostWaitingTests = 100

/** Waiting messages among which the test events are counted. */
const mostCounted = 10_000

/**
 * Writes an event `webhook.test`. $1 client_id, $2 id of the endpoint, $3 origin. No row: no such endpoint, it is disabled, or
 * `mostWaitingTests` wait.
 */
export const insertTestMessage = statement(
  'insert_webhook_test',
  Type.Object({ id: Type.String() }),
  `WITH e AS (
     SELECT * FROM webhook_endpoints WHERE client_id = $1 AND id = $2 AND status = 'active' AND ${mostWaitingTests} > (
       SELECT count(*) FROM (SELECT m.type FROM webhook_messages m
                              WHERE m.endpoint_id = $2 AND m.next_attempt_at IS NOT NULL LIMIT ${mostCounted}) AS waiting
        WHERE type = 'webhook.test')
   ), message AS (
     INSERT INTO webhook_messages (endpoint_id, type, data)
     SELECT id, 'webhook.test', jsonb_build_object('message', 'This is a test event. Nothing has happened.') FROM e RETURNING id
   ), recorded AS (
     ${endpointRecord('webhook.tested', '$3', 'e')}
   )
   SELECT id FROM message`,
)

/**
 * SQL: makes message `m` due with a new schedule. It is the same message, with the same id, and is kept for as long as a new
 * one.
 */
const dueAgain =
  'next_attempt_at = now(), due_since = now(), failures = 0, outcome = NULL, finished_at = NULL'

/**
 * Makes a message due again. A message in an attempt, which has a lease, is left alone: it is due soon.
 * $1 client_id, $2 id, $3 origin. No row: no such message.
 */
export const resendMessageRow = statement(
  'resend_webhook_message',
  Type.Object({ id: Type.String() }),
  `WITH e AS (
     SELECT e.*, m.id AS message_id, m.type FROM webhook_messages m JOIN webhook_endpoints e ON e.id = m.endpoint_id
      WHERE e.client_id = $1 AND m.id = $2
   ), due AS (
     UPDATE webhook_messages m SET ${dueAgain}
       FROM e WHERE m.id = e.message_id
        AND (m.next_attempt_at IS NULL OR m.next_attempt_at > now() + interval '${leaseSeconds} seconds')
   ), recorded AS (
     ${endpointRecord('webhook.resent', '$3', 'e', { message: 'e.message_id', type: 'e.type' })}
   )
   SELECT message_id AS id FROM e`,
)

/** Messages that one step of a replay makes due. */
const replayStep = 1000

/**
 * One step of a replay: makes the next finished messages since an instant due again. In their order, because messages of a
 * grant are delivered in it. What another replay has locked is due anyway, and is skipped.
 *
 * $1 client_id, $2 id of the endpoint, $3 since when, $4 origin, $5 `last` of the step before, or null. No row: no such
 * endpoint. `last` is null if this was the last step.
 */
export const replayMessageRows = statement(
  'replay_webhook_messages',
  Type.Object({ messages: Type.Integer(), last: MaybeText }),
  `WITH e AS (
     SELECT * FROM webhook_endpoints WHERE client_id = $1 AND id = $2
   ), batch AS MATERIALIZED (
     SELECT m.id, m.created_at, m.place FROM webhook_messages m
      WHERE m.endpoint_id = (SELECT id FROM e) AND m.outcome IS NOT NULL AND (m.created_at, m.place) > (
        SELECT l.created_at, l.place FROM webhook_messages l WHERE l.id = $5
         UNION ALL SELECT $3::timestamptz, 0::bigint WHERE $5 IS NULL)
      ORDER BY m.created_at, m.place LIMIT ${replayStep} FOR NO KEY UPDATE SKIP LOCKED
   ), due AS (
     UPDATE webhook_messages m SET ${dueAgain} FROM batch WHERE m.id = batch.id
   ), counted AS (
     SELECT count(*)::int AS messages FROM batch
   ), recorded AS (
     ${endpointRecord('webhook.replayed', '$4', 'e, counted WHERE counted.messages > 0 OR $5::uuid IS NULL', {
       since: '$3::timestamptz',
       messages: 'counted.messages',
     })}
   )
   SELECT messages,
          (SELECT b.id FROM batch b WHERE messages = ${replayStep} ORDER BY b.created_at DESC, b.place DESC LIMIT 1) AS last
     FROM e, counted`,
)
