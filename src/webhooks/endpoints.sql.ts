import { auditRow, changedFields, jsonOf } from '../audit/audit-row.sql.ts'
import type { AuditEvent } from '../audit/events.ts'
import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

/** Endpoints that a partner may have. */
export const mostEndpoints = 10

/** Hours for which the secret before the newest one still signs. */
export const overlapHours = 24

/** Seconds for which a server has a message to itself. After that, another server may deliver it. */
export const leaseSeconds = 30

/** Waiting messages that are counted. */
const mostCounted = 10_000

const SigningSecret = Type.Object({
  kind: Type.Union([Type.Literal('hmac'), Type.Literal('ed25519')]),
  /** Of `ed25519`: `whpk_…`. */
  public_key: Type.Union([Type.String(), Type.Null()]),
  /** RFC 3339. */
  created_at: Type.String(),
  /** RFC 3339: until when it signs. Null: it is the newest one. */
  expires_at: Type.Union([Type.String(), Type.Null()]),
})

const DisabledFor = Type.Union([
  Type.Literal('failing'),
  Type.Literal('gone'),
  Type.Literal('partner'),
  Type.Literal('operator'),
])

/** An endpoint as its partner may see it, without the secrets. */
export const Endpoint = Type.Object({
  id: Type.String(),
  client_id: Type.String(),
  url: Type.String(),
  /** The types of events that it gets. */
  events: Type.Array(Type.String()),
  description: Type.Union([Type.String(), Type.Null()]),
  status: Type.Union([Type.Literal('active'), Type.Literal('disabled')]),
  /** `failing`: no delivery succeeded for five days. `gone`: the receiver answered 410. Otherwise who disabled it. */
  disabled_for: Type.Union([DisabledFor, Type.Null()]),
  /** The first failed attempt since the last delivery. Null: the last attempt succeeded, or there was none. */
  failing_since: Type.Union([Instant, Type.Null()]),
  created_at: Instant,
  /** What signs its deliveries, newest first. Never the secrets themselves. */
  secrets: Type.Array(SigningSecret),
  /** Messages that are not finished, at most 10,000. */
  waiting: Type.Integer(),
})
export type Endpoint = Static<typeof Endpoint>

/** SQL: an instant as RFC 3339 text. */
export const rfc3339 = (at: string) => `to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** SQL: the secrets `s` that sign now. */
export const isSigning = '(s.expires_at IS NULL OR s.expires_at > now())'

/** SQL: how many messages of endpoint `e` are not finished, at most 10,000. */
export const waitingMessages = `(SELECT count(*)::int FROM (
            SELECT FROM webhook_messages m
             WHERE m.endpoint_id = e.id AND m.next_attempt_at IS NOT NULL LIMIT ${mostCounted}) AS unfinished)`

const secrets = `(SELECT coalesce(jsonb_agg(jsonb_build_object(
                     'kind', s.kind, 'public_key', 'whpk_' || encode(s.public_key, 'base64'),
                     'created_at', ${rfc3339('s.created_at')}, 'expires_at', ${rfc3339('s.expires_at')})
                     ORDER BY s.id DESC), '[]')
             FROM webhook_secrets s WHERE s.endpoint_id = e.id AND ${isSigning})`

const columns = `e.id, e.client_id, e.url, e.events, e.description, e.status, e.disabled_for, e.failing_since, e.created_at,
          ${secrets} AS secrets, ${waitingMessages} AS waiting`

/** $1 client_id, $2 id of one endpoint, or null for all */
export const listEndpointRows = statement(
  'list_webhook_endpoints',
  Endpoint,
  `SELECT ${columns} FROM webhook_endpoints e
    WHERE e.client_id = $1 AND ($2::uuid IS NULL OR e.id = $2) ORDER BY e.created_at, e.id`,
)

/**
 * SQL: the settings of an endpoint for the audit log, which is kept for years and exported. Paths and queries of addresses
 * contain secrets of the receiver, therefore only the host is recorded.
 */
const settingsOf = (e: string) =>
  `${jsonOf(e, ['events', 'description', 'status', 'disabled_for'])}
       || jsonb_build_object('url', substring(${e}.url FROM '^[^/]*//[^/?]*/') || '…')`

/** SQL: the audit row of a change of endpoint `e`, which `from` has. */
export const endpointRecord = (
  event: AuditEvent,
  origin: string,
  from: string,
  details: Record<string, string> = {},
) =>
  auditRow(event, {
    origin,
    from,
    target: { kind: 'webhook', id: 'e.id' },
    about: { client: 'e.client_id' },
    details,
  })

const Changed = Type.Object({ id: Type.String() })

/**
 * $1 client_id, $2 address, $3 types of events, $4 description or null, $5 kind of the secret, $6 sealed secret, $7 public key
 * or null, $8 origin. No row: no such partner. `id` is null if the partner has `mostEndpoints` already.
 */
export const insertEndpoint = statement(
  'insert_webhook_endpoint',
  Type.Object({ id: Type.Union([Type.String(), Type.Null()]) }),
  `WITH partner AS (
     SELECT client_id FROM partners WHERE client_id = $1 FOR NO KEY UPDATE
   ), e AS (
     INSERT INTO webhook_endpoints (client_id, url, events, description)
     SELECT client_id, $2, $3::text[], $4 FROM partner WHERE endpoints_of(client_id) < ${mostEndpoints} RETURNING *
   ), secret AS (
     INSERT INTO webhook_secrets (endpoint_id, kind, sealed, public_key) SELECT id, $5, $6, $7::bytea FROM e
   ), recorded AS (
     ${endpointRecord('webhook.added', '$8', 'e', { after: settingsOf('e') })}
   )
   SELECT (SELECT id FROM e) AS id FROM partner`,
)

/**
 * Changes the given settings. $1 client_id, $2 id, $3 address or null, $4 types of events or null, $5 description or null;
 * empty: none, $6 origin. No row: no such endpoint.
 */
export const updateEndpointRow = statement(
  'update_webhook_endpoint',
  Changed,
  `WITH old AS (
     SELECT * FROM webhook_endpoints WHERE client_id = $1 AND id = $2 FOR NO KEY UPDATE
   ), e AS (
     UPDATE webhook_endpoints n
        SET url = coalesce($3, n.url), events = coalesce($4::text[], n.events),
            description = CASE WHEN $5 = '' THEN NULL ELSE coalesce($5, n.description) END,
            failing_since = CASE WHEN $3 <> n.url THEN NULL ELSE n.failing_since END
       FROM old WHERE n.id = old.id RETURNING n.*
   ), recorded AS (
     ${endpointRecord('webhook.updated', '$6', 'e JOIN old ON old.id = e.id', {
       ...changedFields(settingsOf('old'), settingsOf('e')),
       url_changed: 'nullif(old.url <> e.url, false)',
     })}
   )
   SELECT id FROM e`,
)

/** Deletes the endpoint with its messages. $1 client_id, $2 id, $3 origin. No row: no such endpoint. */
export const deleteEndpoint = statement(
  'delete_webhook_endpoint',
  Changed,
  `WITH e AS (
     DELETE FROM webhook_endpoints WHERE client_id = $1 AND id = $2 RETURNING *
   ), recorded AS (
     ${endpointRecord('webhook.removed', '$3', 'e', { before: settingsOf('e') })}
   )
   SELECT id FROM e`,
)

/**
 * Adds a secret. Of the others, the newest one signs for `overlapHours` more, or, after a leak, none does.
 * $1 client_id, $2 id, $3 kind, $4 sealed secret, $5 public key or null, $6 whether the others end at once, $7 origin. No row:
 * no such endpoint.
 */
export const rotateSecretRow = statement(
  'rotate_webhook_secret',
  Changed,
  `WITH e AS (
     SELECT * FROM webhook_endpoints WHERE client_id = $1 AND id = $2 FOR NO KEY UPDATE
   ), newest AS (
     SELECT max(s.id) AS id FROM webhook_secrets s JOIN e ON e.id = s.endpoint_id
   ), others AS (
     UPDATE webhook_secrets s
        SET expires_at = least(s.expires_at, CASE WHEN s.id = newest.id AND NOT $6::boolean
                                                  THEN now() + interval '${overlapHours} hours' ELSE now() END)
       FROM e, newest WHERE s.endpoint_id = e.id
   ), added AS (
     INSERT INTO webhook_secrets (endpoint_id, kind, sealed, public_key) SELECT id, $3, $4, $5::bytea FROM e
   ), recorded AS (
     ${endpointRecord('webhook.secret_rotated', '$7', 'e', { kind: '$3::text', others_ended: '$6::boolean' })}
   )
   SELECT id FROM e`,
)

/**
 * $1 client_id, $2 id, $3 who: `partner` or `operator`, $4 origin. No row: no such endpoint. Messages wait until the endpoint
 * is enabled. An endpoint that is disabled already stays as it is, but an operator locks it: then developers cannot enable it.
 */
export const disableEndpointRow = statement(
  'disable_webhook_endpoint',
  Changed,
  `WITH e AS (
     UPDATE webhook_endpoints SET status = 'disabled', disabled_for = $3
      WHERE client_id = $1 AND id = $2 AND (status = 'active' OR $3 = 'operator' AND disabled_for <> 'operator') RETURNING *
   ), recorded AS (
     ${endpointRecord('webhook.disabled', '$4', 'e', { cause: 'e.disabled_for' })}
   )
   SELECT id FROM webhook_endpoints WHERE client_id = $1 AND id = $2`,
)

/**
 * Enables the endpoint, unless the operator disabled it and a developer of the partner wants to enable it. The messages that
 * wait become due. Those that were tried begin the schedule again, and their time until the purge: otherwise a message with
 * many failures would be given up after the next one. A message in an attempt is left alone.
 *
 * $1 client_id, $2 id, $3 who: `partner` or `operator`, $4 origin. No row: no such endpoint.
 */
export const enableEndpointRow = statement(
  'enable_webhook_endpoint',
  Type.Object({ ...Changed.properties, is_refused: Type.Boolean() }),
  `WITH old AS (
     SELECT * FROM webhook_endpoints WHERE client_id = $1 AND id = $2 AND status = 'disabled' FOR NO KEY UPDATE
   ), e AS (
     UPDATE webhook_endpoints n SET status = 'active', disabled_for = NULL, failing_since = NULL
       FROM old WHERE n.id = old.id AND NOT (old.disabled_for = 'operator' AND $3 = 'partner') RETURNING n.*
   ), due AS (
     UPDATE webhook_messages m SET next_attempt_at = now(), due_since = now(), failures = 0
       FROM e
      WHERE m.endpoint_id = e.id AND (m.next_attempt_at > now() AND m.taken_by IS NULL
                                      OR m.next_attempt_at <= now() AND m.failures > 0)
   ), recorded AS (
     ${endpointRecord('webhook.enabled', '$4', 'e JOIN old ON old.id = e.id', { cause: 'old.disabled_for' })}
   )
   SELECT id, EXISTS (SELECT FROM old) AND NOT EXISTS (SELECT FROM e) AS is_refused
     FROM webhook_endpoints WHERE client_id = $1 AND id = $2`,
)
