import { auditRow } from '../audit/audit-row.sql.ts'
import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

/** Sessions that an operator may have. The next login ends the least recently active one. */
const maxSessions = 10

/** Hours after which a session ends, and minutes without a request after which it ends. */
const sessionHours = 8
const idleMinutes = 30

/** Minutes after a proof of identity in which an operator may do what is dangerous. */
export const recentMinutes = 15

const orNull = <T extends Parameters<typeof Type.Array>[0]>(type: T) => Type.Union([type, Type.Null()])

export const Role = Type.Union([Type.Literal('owner'), Type.Literal('support'), Type.Literal('read_only')])

const OperatorSession = Type.Object({
  operator_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: Role,
  login_version: Type.String(),
  /** Whether the operator has proved their identity in the last minutes. */
  is_recent: Type.Boolean(),
  /** The provider through which the operator logged in. Null: with a password. */
  provider_id: orNull(Type.String()),
})

/** For `operator_sessions s`: the session has not expired and has not been idle for too long. */
export const isOperatorSessionWithinLimits = `s.expires_at > now() AND s.last_seen_at > now() - interval '${idleMinutes} minutes'`

/** For `operator_sessions s` and its `operators o`. A change of password, role or status changes `login_version`. */
const isLive = `${isOperatorSessionWithinLimits} AND s.login_version = o.login_version AND o.status = 'active'`

/** The live session of an active operator. Updates `last_seen_at` at most once a minute. $1 SHA-256 of the session id */
export const findOperatorSession = statement(
  'find_operator_session',
  OperatorSession,
  `WITH found AS (
     SELECT s.hash, o.id, o.name, o.email, o.role, o.login_version, s.provider_id,
            s.proved_at > now() - interval '${recentMinutes} minutes' AS is_recent
       FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
      WHERE s.hash = $1 AND ${isLive}
   ), seen AS (
     UPDATE operator_sessions s SET last_seen_at = now()
       FROM found WHERE s.hash = found.hash AND s.last_seen_at < now() - interval '1 minute'
   )
   SELECT id::text AS operator_id, name, email, role, login_version::text, is_recent, provider_id FROM found`,
)

/**
 * Opens a session. Ends the browser's previous session, which an attacker may have planted there (session fixation), and the
 * least recently active ones above the limit. No row: the operator is disabled, or the credentials or the role have changed
 * since they were checked.
 *
 * $1 SHA-256 of the new id, $2 operator id, $3 SHA-256 of the old id or null, $4 `login_version` when the login was checked,
 * $5 browser or null, $6 operating system or null, $7 to $9 of a login through a provider, otherwise null: id of the provider,
 * `sub`, `sid` or null, $10 origin
 */
export const openOperatorSession = statement(
  'open_operator_session',
  Type.Object({ operator_id: Type.String() }),
  `WITH opened AS (
     INSERT INTO operator_sessions (hash, operator_id, login_version, expires_at, browser, system, address, provider_id,
                                    provider_sub, provider_sid)
     SELECT $1, o.id, o.login_version, now() + interval '${sessionHours} hours', $5, $6, $10::jsonb->>'address', $7, $8, $9
       FROM operators o WHERE o.id = $2::uuid AND o.login_version = $4::uuid AND o.status = 'active'
     RETURNING operator_id
   ), seen AS (
     UPDATE operators o SET last_login_at = now() FROM opened WHERE o.id = opened.operator_id
   ), ended AS (
     DELETE FROM operator_sessions WHERE EXISTS (SELECT FROM opened) AND (hash = $3 OR hash = ANY (ARRAY(
       SELECT hash FROM operator_sessions WHERE hash IN (
         SELECT hash FROM operator_sessions WHERE operator_id = $2::uuid
          ORDER BY last_seen_at DESC OFFSET ${maxSessions - 1}
       ) FOR UPDATE SKIP LOCKED -- does not wait for rows that the purge has locked
     )))
   ), audit AS (
     ${auditRow('operator.logged_in', {
       origin: '$10',
       from: 'opened',
       target: { kind: 'operator', id: 'opened.operator_id' },
       details: { provider: '$7::text', sub: '$8::text' },
     })}
   )
   SELECT operator_id::text FROM opened`,
)

/**
 * The operator has proved their identity again. The session gets a new id, and keeps its end. No row: it has ended.
 * $1 SHA-256 of the old id, $2 SHA-256 of the new id
 */
export const confirmOperatorSession = statement(
  'confirm_operator_session',
  Type.Object({ operator_id: Type.String() }),
  `UPDATE operator_sessions s SET hash = $2, proved_at = now()
     FROM operators o WHERE s.hash = $1 AND o.id = s.operator_id AND ${isLive}
   RETURNING s.operator_id::text`,
)

/** $1 SHA-256 of the session id, $2 origin */
export const endOperatorSession = statement(
  'end_operator_session',
  Type.Object({ operator_id: Type.String() }),
  `WITH ended AS (
     DELETE FROM operator_sessions WHERE hash = $1 RETURNING operator_id
   ), audit AS (
     ${auditRow('operator.logged_out', {
       origin: '$2',
       from: 'ended',
       target: { kind: 'operator', id: 'ended.operator_id' },
     })}
   )
   SELECT operator_id::text FROM ended`,
)

const ListedOperatorSession = Type.Object({
  id: Type.String(),
  browser: orNull(Type.String()),
  system: orNull(Type.String()),
  address: orNull(Type.String()),
  created_at: Instant,
  last_seen_at: Instant,
  current: Type.Boolean(),
})
export type ListedOperatorSession = Static<typeof ListedOperatorSession>

/** The operator's live sessions, the current one first. $1 operator id, $2 SHA-256 of the id of the current session */
export const sessionsOfOperator = statement(
  'sessions_of_operator',
  ListedOperatorSession,
  `SELECT s.id, s.browser, s.system, s.address, s.created_at, s.last_seen_at, s.hash = $2 AS current
     FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
    WHERE s.operator_id = $1::uuid AND ${isLive}
    ORDER BY current DESC, s.last_seen_at DESC, s.id`,
)

/**
 * Ends one session of an operator, or all except the current one.
 * $1 operator id, $2 `id` of a session from `sessionsOfOperator`, null for all others, $3 SHA-256 of the id of the current
 * session, $4 origin
 */
export const endSessionsOfOperator = statement(
  'end_sessions_of_operator',
  Type.Object({ ended: Type.Integer() }),
  `WITH ended AS (
     DELETE FROM operator_sessions
      WHERE operator_id = $1::uuid AND CASE WHEN $2::bigint IS NULL THEN hash <> $3 ELSE id = $2 END
     RETURNING id
   ), audit AS (
     ${auditRow('operator.logged_out', {
       origin: '$4',
       from: '(SELECT count(*) AS ended FROM ended) AS sessions WHERE ended > 0',
       target: { kind: 'operator', id: '$1' },
       details: { sessions_ended: 'ended' },
     })}
   )
   SELECT count(*)::int AS ended FROM ended`,
)
