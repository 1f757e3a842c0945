import { auditRow } from '../audit/audit-row.sql.ts'
import { Instant, type Statement, statement } from '../database/database.ts'
import Type, { orNull, type Static, type TSchema } from '../typebox.ts'
import { forEachKind, type PeopleKind } from './kind.ts'

/** Sessions that a person may have. The next login ends the least recently active one. */
const maxSessions = 10

/** Hours after which a session ends, and minutes without a request after which it ends. */
const sessionHours = 8
const idleMinutes = 30

/** Minutes after a proof of identity in which a person may do what is dangerous. */
export const recentMinutes = 15

/** A live session with its person. */
export const SessionRow = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  login_version: Type.String(),
  /** Whether the person has proved their identity in the last minutes. */
  is_recent: Type.Boolean(),
  /** The provider through which the person logged in. Null: with a password. */
  provider_id: orNull(Type.String()),
})
export type SessionRow = Static<typeof SessionRow>

/** For `operator_sessions s` or `developer_sessions s`: the session has not expired and has not been idle for too long. */
export const isPersonSessionWithinLimits = `s.expires_at > now() AND s.last_seen_at > now() - interval '${idleMinutes} minutes'`

/**
 * For a session `s` and its person `o`. A change of password, role or status changes `login_version`. A login that ends at the
 * moment in which the operator disables the provider may leave a session: it does not count.
 */
const isLive = (kind: PeopleKind) =>
  `${isPersonSessionWithinLimits} AND s.login_version = o.login_version AND o.status = 'active'
        AND (s.provider_id IS NULL OR EXISTS (SELECT FROM identity_providers p WHERE p.id = s.provider_id AND p.${kind}s))`

/**
 * The statement that finds the live session of an active account. Updates `last_seen_at` at most once a minute. Its parameter
 * $1 is SHA-256 of the session id.
 * @param row the columns of `SessionRow`, and those of `more.columns`
 * @param more.columns SQL: further columns of the person `found`, of which `more.account` are in its table
 * @param more.ctes SQL: further parts of the statement, which begin with a comma
 * @param more.join SQL after FROM `found`
 */
export function findSessionStatement<Row extends TSchema>(
  kind: PeopleKind,
  row: Row,
  more: { account?: string; columns: string; ctes?: string; join?: string },
): Statement<Static<Row>> {
  const { account = '', columns, ctes = '', join = '' } = more
  return statement(
    `find_${kind}_session`,
    row,
    `WITH found AS (
     SELECT s.hash, o.id, o.name, o.email, o.login_version, s.provider_id, ${account}
            s.proved_at > now() - interval '${recentMinutes} minutes' AS is_recent
       FROM ${kind}_sessions s JOIN ${kind}s o ON o.id = s.${kind}_id
      WHERE s.hash = $1 AND ${isLive(kind)}
   ), seen AS (
     UPDATE ${kind}_sessions s SET last_seen_at = now()
       FROM found WHERE s.hash = found.hash AND s.last_seen_at < now() - interval '1 minute'
   )${ctes}
   SELECT found.id::text, found.name, found.email, found.login_version::text, found.is_recent, found.provider_id, ${columns}
     FROM found ${join}`,
  )
}

/**
 * Opens a session. Ends the browser's previous session, which an attacker may have planted there (session fixation), and the
 * least recently active ones above the limit. No row: the account is disabled, or the credentials or the role have changed
 * since they were checked, or these people no longer log in through the provider.
 *
 * A login through a provider takes time: meanwhile the operator may have disabled the provider for these people. Therefore
 * the provider is checked again, under a lock. A person with an old session at the provider has not authenticated again:
 * `proved_at` is the time that the provider reports.
 *
 * $1 SHA-256 of the new id, $2 id of the person, $3 SHA-256 of the old id or null, $4 `login_version` when the login was
 * checked, $5 browser or null, $6 operating system or null, $7 to $9 of a login through a provider, otherwise null: id of the
 * provider, `sub`, `sid` or null, $10 origin, $11 when the person authenticated at the provider, or null
 */
const openStatement = (kind: PeopleKind) =>
  statement(
    `open_${kind}_session`,
    Type.Object({ id: Type.String() }),
    `WITH provider AS (
     SELECT FROM identity_providers WHERE id = $7::text AND ${kind}s FOR SHARE
   ), opened AS (
     INSERT INTO ${kind}_sessions (hash, ${kind}_id, login_version, expires_at, browser, system, address, provider_id,
                                    provider_sub, provider_sid, proved_at)
     SELECT $1, o.id, o.login_version, now() + interval '${sessionHours} hours', $5, $6, $10::jsonb->>'address', $7, $8, $9,
            CASE WHEN $7::text IS NULL THEN now() ELSE least(coalesce($11::timestamptz, '-infinity'), now()) END
       FROM ${kind}s o WHERE o.id = $2::uuid AND o.login_version = $4::uuid AND o.status = 'active'
        AND ($7::text IS NULL OR EXISTS (SELECT FROM provider))
     RETURNING ${kind}_id
   ), seen AS (
     UPDATE ${kind}s o SET last_login_at = now() FROM opened WHERE o.id = opened.${kind}_id
   ), ended AS (
     DELETE FROM ${kind}_sessions WHERE EXISTS (SELECT FROM opened) AND (hash = $3 OR hash = ANY (ARRAY(
       SELECT hash FROM ${kind}_sessions WHERE hash IN (
         SELECT hash FROM ${kind}_sessions WHERE ${kind}_id = $2::uuid
          ORDER BY last_seen_at DESC OFFSET ${maxSessions - 1}
       ) FOR UPDATE SKIP LOCKED -- does not wait for rows that the purge has locked
     )))
   ), audit AS (
     ${auditRow(`${kind}.logged_in`, {
       origin: '$10',
       from: 'opened',
       target: { kind, id: `opened.${kind}_id` },
       details: { provider: '$7::text', sub: '$8::text' },
     })}
   )
   SELECT ${kind}_id::text AS id FROM opened`,
  )

/**
 * The person has proved their identity again. The session gets a new id, and keeps its end. No row: it has ended.
 * $1 SHA-256 of the old id, $2 SHA-256 of the new id
 */
const confirmStatement = (kind: PeopleKind) =>
  statement(
    `confirm_${kind}_session`,
    Type.Object({ id: Type.String() }),
    `UPDATE ${kind}_sessions s SET hash = $2, proved_at = now()
     FROM ${kind}s o WHERE s.hash = $1 AND o.id = s.${kind}_id AND ${isLive(kind)}
   RETURNING s.${kind}_id::text AS id`,
  )

/** Ends a session, because its person logs out. $1 SHA-256 of the session id, $2 origin */
const endStatement = (kind: PeopleKind) =>
  statement(
    `end_${kind}_session`,
    Type.Object({ id: Type.String() }),
    `WITH ended AS (
     DELETE FROM ${kind}_sessions WHERE hash = $1 RETURNING ${kind}_id
   ), audit AS (
     ${auditRow(`${kind}.logged_out`, {
       origin: '$2',
       from: 'ended',
       target: { kind, id: `ended.${kind}_id` },
     })}
   )
   SELECT ${kind}_id::text AS id FROM ended`,
  )

const ListedSession = Type.Object({
  id: Type.String(),
  browser: orNull(Type.String()),
  system: orNull(Type.String()),
  address: orNull(Type.String()),
  created_at: Instant,
  last_seen_at: Instant,
  current: Type.Boolean(),
})
export type ListedSession = Static<typeof ListedSession>

/** The live sessions of a person, the current one first. $1 id of the person, $2 SHA-256 of the id of the current session */
const listStatement = (kind: PeopleKind) =>
  statement(
    `sessions_of_${kind}`,
    ListedSession,
    `SELECT s.id, s.browser, s.system, s.address, s.created_at, s.last_seen_at, s.hash = $2 AS current
     FROM ${kind}_sessions s JOIN ${kind}s o ON o.id = s.${kind}_id
    WHERE s.${kind}_id = $1::uuid AND ${isLive(kind)}
    ORDER BY current DESC, s.last_seen_at DESC, s.id`,
  )

/**
 * Ends one session of a person, or all except the current one.
 * $1 id of the person, $2 `id` of a session from `list`, null for all others, $3 SHA-256 of the id of the current session,
 * $4 origin
 */
const endOthersStatement = (kind: PeopleKind) =>
  statement(
    `end_sessions_of_${kind}`,
    Type.Object({ ended: Type.Integer() }),
    `WITH ended AS (
     DELETE FROM ${kind}_sessions
      WHERE ${kind}_id = $1::uuid AND CASE WHEN $2::bigint IS NULL THEN hash <> $3 ELSE id = $2 END
     RETURNING id
   ), audit AS (
     ${auditRow(`${kind}.logged_out`, {
       origin: '$4',
       from: '(SELECT count(*) AS ended FROM ended) AS sessions WHERE ended > 0',
       target: { kind, id: '$1' },
       details: { sessions_ended: 'ended' },
     })}
   )
   SELECT count(*)::int AS ended FROM ended`,
  )

/** The statements of the sessions of operators and developers. */
export const sessionStatements = forEachKind((kind) => ({
  open: openStatement(kind),
  confirm: confirmStatement(kind),
  end: endStatement(kind),
  list: listStatement(kind),
  endOthers: endOthersStatement(kind),
}))
