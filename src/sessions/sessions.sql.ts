import { auditRow } from '../audit/audit-row.sql.ts'
import type { AuditEvent } from '../audit/events.ts'
import { Instant, statement } from '../database/database.ts'
import { userRecord } from '../directory/user-record.sql.ts'
import { isLiveGrant } from '../grants/ended.sql.ts'
import { FactorFacts, factorColumns } from '../login/factor-facts.sql.ts'
import { browserProof, counting } from '../login/login.sql.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import Type, { type Static } from '../typebox.ts'

/** Mails about new browsers that a user gets in an hour. More would hide other mails. */
const maxBrowserMails = 5

/** Sessions that a user may have. The next login ends the least recently active one. */
const maxSessions = 50

/** Hours after which a session ends, and minutes without a request after which it ends. */
export const sessionHours = 8
export const idleMinutes = 30

export const Session = Type.Object({
  user_id: Type.String(),
  user_name: Type.String(),
  email: Type.String(),
  /** When the user authenticated, here or at the provider. */
  auth_time: Instant,
  /** False if the provider did not say when: `auth_time` is then the time of the login here. */
  auth_time_is_known: Type.Boolean(),
  /** The authorization request for which the user logged in through a provider. Null for other logins. */
  request_id: Type.Union([Type.String(), Type.Null()]),
  acr: Type.String(),
  amr: Type.Array(Type.String()),
  has_grant: Type.Boolean(),
  /** The user's subject for the partner, even if the grant has ended. */
  subject: Type.Union([Type.String(), Type.Null()]),
  login_version: Type.String(),
  ...FactorFacts.properties,
})
export type Session = Static<typeof Session>

/** For `sessions s`: the session has not expired and has not been idle for too long. */
export const isWithinLimits = `s.expires_at > now() AND s.last_seen_at > now() - interval '${idleMinutes} minutes'`

/**
 * For `sessions s` and its `users u`: the session has not ended, and the user's credentials have not changed since it was
 * opened.
 */
const isLive = `${isWithinLimits} AND s.login_version = u.login_version`

/**
 * The live session of an active user, whether a partner has a live grant of the user, and the user's subject for the
 * partner. Updates `last_seen_at` at most once a minute.
 * $1 SHA-256 of the session id, $2 client_id or null
 */
export const findSession = statement(
  'find_session',
  Session,
  `WITH found AS (
     SELECT s.hash, s.user_id, u.name AS user_name, u.email, s.auth_time, s.auth_time_is_known, s.request_id, s.acr, s.amr,
            s.login_version, ${factorColumns}
       FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.hash = $1 AND ${isLive} AND u.status = 'active'
   ), seen AS (
     UPDATE sessions s SET last_seen_at = now()
       FROM found WHERE s.hash = found.hash AND s.last_seen_at < now() - interval '1 minute'
   )
   SELECT user_id, user_name, email, auth_time, auth_time_is_known, request_id, acr, amr, login_version,
          has_passkey, has_totp, firm_require_acr, role_require_acr,
          EXISTS (SELECT FROM grants g
                   WHERE g.user_id = found.user_id AND g.client_id = $2 AND ${isLiveGrant('g')}) AS has_grant,
          (SELECT g.subject FROM grants g WHERE g.user_id = found.user_id AND g.client_id = $2 LIMIT 1) AS subject
     FROM found`,
)

/** SQL: audit rows about the sessions `s` in `from`, with the columns `id` and `user_id`. */
const sessionRecord = (
  event: AuditEvent,
  row: { origin: string; from: string; details: Record<string, string> },
) => auditRow(event, { ...row, target: { kind: 'session', id: 's.id' }, about: { user: 's.user_id' } })

const loginDetails = {
  acr: 's.acr',
  amr: 's.amr',
  provider: 's.provider_id',
  browser: 's.browser',
  system: 's.system',
}

/**
 * Opens a session. Ends the browser's previous session, which an attacker may have planted there (session fixation), and
 * the least recently active sessions above the limit.
 *
 * $1 SHA-256 of the new id, $2 user id, $3 SHA-256 of the old id or null, $4 time of authentication by the server's clock:
 * it is compared with the time of a sealed request and is `auth_time` in the id_token (docs/adr/0006), $5 `login_version` of
 * the user when the login was checked: if it changes meanwhile, the session is not live, $6 acr, $7 amr, $8 browser or null,
 * $9 operating system or null, $10 of a login through a provider: id of the authorization request or null, $11 whether
 * the time of authentication is known, $12 to $15 of a login through a provider, otherwise null: id of the provider, `sub`,
 * `sid` or null, sealed id_token or null, $16 language of the page, for later mails; null if the server sends none, $17 key by
 * which the mails about new browsers are counted; null if the account knows this browser, or the server sends no mails,
 * $18 origin
 */
export const openSession = statement(
  'open_session',
  Type.Object({ user_id: Type.String() }),
  `WITH old AS (
     DELETE FROM sessions WHERE hash = $3 OR hash = ANY (ARRAY(
       SELECT hash FROM sessions WHERE hash IN (
         SELECT hash FROM sessions WHERE user_id = $2 ORDER BY last_seen_at DESC OFFSET ${maxSessions - 1}
       ) FOR UPDATE SKIP LOCKED -- does not wait for rows that the purge has locked
     ))
     RETURNING id, user_id, CASE WHEN hash = $3 THEN 'replaced' ELSE 'too_many' END AS cause
   ), remembered AS (
     INSERT INTO user_languages (user_id, language)
     SELECT $2, $16::text
      WHERE $16::text IS NOT NULL AND NOT EXISTS (SELECT FROM user_languages WHERE user_id = $2 AND language = $16)
     ON CONFLICT (user_id) DO UPDATE SET language = excluded.language
   ), browser_mails AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     SELECT $17::bytea, 1, now() + interval '1 hour' WHERE $17 IS NOT NULL
     ${counting}
   ), mail AS (
     ${mailRow('new_browser', {
       from: `browser_mails b JOIN users u ON u.id = $2 WHERE b.count <= ${maxBrowserMails}`,
       language: '$16::text',
       facts: { browser: '$8::text', system: '$9::text', at: 'now()' },
     })}
   ), opened AS (
     INSERT INTO sessions (hash, user_id, auth_time, expires_at, login_version, acr, amr, browser, system, request_id,
                           auth_time_is_known, provider_id, provider_sub, provider_sid, provider_id_token)
     VALUES ($1, $2, $4, now() + interval '${sessionHours} hours', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     RETURNING *
   ), recorded AS (
     ${sessionRecord('login.succeeded', { origin: '$18', from: 'opened s', details: loginDetails })}
   ), recorded_ends AS (
     ${sessionRecord('session.ended', { origin: '$18', from: 'old s', details: { cause: 's.cause' } })}
   )
   SELECT user_id FROM opened`,
)

/**
 * Makes a session stronger, after the user has proved a second factor. It gets a new id, and keeps its end. No row: it has
 * ended, or belongs to another user. $1 SHA-256 of the old id, $2 user id, $3 SHA-256 of the new id, $4 acr, $5 amr, $6 time
 * of authentication, null to keep it, $7 origin
 */
export const strengthenSession = statement(
  'strengthen_session',
  Type.Object({ user_id: Type.String() }),
  `WITH stronger AS (
     UPDATE sessions s SET hash = $3, acr = $4, amr = $5, auth_time = coalesce($6, s.auth_time),
                         auth_time_is_known = s.auth_time_is_known OR $6 IS NOT NULL
       FROM users u WHERE s.hash = $1 AND s.user_id = $2 AND u.id = s.user_id AND ${isLive}
     RETURNING s.*
   ), recorded AS (
     ${sessionRecord('login.succeeded', { origin: '$7', from: 'stronger s', details: { ...loginDetails, step_up: 'true' } })}
   )
   SELECT user_id FROM stronger`,
)

/** $1 SHA-256 of the session id, $2 origin without the user, whom the session names */
export const endSession = statement(
  'end_session',
  Type.Object({
    user_id: Type.String(),
    /** Of a login through a provider. */
    provider_id: Type.Union([Type.String(), Type.Null()]),
    /** Sealed. */
    provider_id_token: Type.Union([Type.String(), Type.Null()]),
  }),
  `WITH ended AS (
     DELETE FROM sessions WHERE hash = $1 RETURNING id, user_id, provider_id, provider_id_token
   ), recorded AS (
     ${sessionRecord('login.ended', { origin: `$2::jsonb || jsonb_build_object('actor_id', (SELECT user_id FROM ended))`, from: 'ended s', details: { provider: 's.provider_id' } })}
   )
   SELECT user_id, provider_id, provider_id_token FROM ended`,
)

export const ListedSession = Type.Object({
  id: Type.String(),
  browser: Type.Union([Type.String(), Type.Null()]),
  system: Type.Union([Type.String(), Type.Null()]),
  auth_time: Instant,
  last_seen_at: Instant,
  current: Type.Boolean(),
})
export type ListedSession = Static<typeof ListedSession>

/** The user's live sessions, the current one first. $1 user id, $2 SHA-256 of the id of the current session */
export const sessionsOfUser = statement(
  'sessions_of_user',
  ListedSession,
  `SELECT s.id, s.browser, s.system, s.auth_time, s.last_seen_at, s.hash = $2 AS current
     FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.user_id = $1 AND ${isLive}
    ORDER BY current DESC, s.last_seen_at DESC, s.id`,
)

/** $1 user id, $2 `id` of a session from `sessionsOfUser`, $3 origin */
export const endSessionOfUser = statement(
  'end_session_of_user',
  Type.Object({ id: Type.String() }),
  `WITH ended AS (
     DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id, user_id
   ), recorded AS (
     ${sessionRecord('session.ended', { origin: '$3', from: 'ended s', details: { cause: `'requested'` } })}
   )
   SELECT id FROM ended`,
)

/** $1 user id, $2 SHA-256 of the id of the session that does not end, $3 origin */
export const endOtherSessions = statement(
  'end_other_sessions',
  Type.Object({ id: Type.String() }),
  `WITH ended AS (
     DELETE FROM sessions WHERE user_id = $1 AND hash <> $2 RETURNING id, user_id
   ), recorded AS (
     ${sessionRecord('session.ended', { origin: '$3', from: 'ended s', details: { cause: `'requested'` } })}
   )
   SELECT id FROM ended`,
)

/** Whether the user has a password, and whether the firm lets its users log in with one. $1 user id */
export const findPasswordFacts = statement(
  'find_password_facts',
  Type.Object({ has_password: Type.Boolean(), local_passwords: Type.Boolean() }),
  `SELECT u.password_hash IS NOT NULL AS has_password, f.local_passwords
     FROM users u JOIN firms f ON f.id = u.firm_id WHERE u.id = $1`,
)

/** What a session keeps when it gets a new id. */
const continued = [
  ...[
    'user_id',
    'auth_time',
    'auth_time_is_known',
    'expires_at',
    'acr',
    'amr',
    'browser',
    'system',
    'request_id',
  ],
  ...['provider_id', 'provider_sub', 'provider_sid', 'provider_id_token'],
]

/**
 * Changes the password, ends all sessions of the user and opens a new session for this browser, with the same end as its
 * old session. No row if the credentials have changed since they were checked, or if the session has ended.
 *
 * $1 SHA-256 of the old session id, $2 `login_version` when the password was checked, $3 the new password hash,
 * $4 SHA-256 of the new session id, $5 key of this browser's proof, which changes with the password, $6 whether the user
 * gets a mail, $7 origin
 */
export const changePasswordInSession = statement(
  'change_password_in_session',
  Type.Object({ proof: Type.String() }),
  `WITH changed AS (
     UPDATE users u SET password_hash = $3, login_version = gen_random_uuid() FROM sessions s
      WHERE s.hash = $1 AND ${isLive} AND u.id = s.user_id AND u.login_version = $2
     RETURNING u.id, u.firm_id, u.login_version
   ), ended AS (
     DELETE FROM sessions s USING changed WHERE s.user_id = changed.id
     RETURNING s.hash, changed.login_version, ${continued.map((column) => `s.${column}`).join(', ')}
   ), opened AS (
     INSERT INTO sessions (hash, login_version, ${continued.join(', ')})
     SELECT $4, login_version, ${continued.join(', ')} FROM ended WHERE hash = $1
   ), mail AS (
     ${mailRow('password_changed', {
       from: 'changed JOIN users u USING (id) WHERE $6::boolean',
       facts: { by: `'user'`, at: 'now()' },
     })}
   ), recorded AS (
     ${userRecord('user.password_changed', {
       origin: '$7',
       user: 'changed',
       from: 'changed',
       details: { sessions_ended: '(SELECT count(*) - 1 FROM ended)' },
     })}
   )
   SELECT ${browserProof('$5', 'login_version')} AS proof FROM changed`,
)
