import Type, { type Static } from 'typebox'
import { Instant, statement } from '../database/database.ts'
import { proofOver } from '../login/login.sql.ts'

/** Logins that a user may have; the one that was active the longest ago ends with the next one. */
const mostSessions = 50

/** Hours a login lasts in one browser, and minutes it lasts there without a request. */
export const sessionHours = 8
export const idleMinutes = 30

export const Session = Type.Object({
  user_id: Type.String(),
  user_name: Type.String(),
  email: Type.String(),
  auth_time: Instant,
  has_grant: Type.Boolean(),
  /** What the partner knows the user by, also from a grant that has ended. */
  subject: Type.Union([Type.String(), Type.Null()]),
})
export type Session = Static<typeof Session>

/** Of `sessions s`. */
export const isWithinLimits = `s.expires_at > now() AND s.last_seen_at > now() - interval '${idleMinutes} minutes'`

/** Of `sessions s` and its `users u`: it has not ended, and the user still has the password that it was opened with. */
const isLive = `${isWithinLimits} AND s.credential = sha256(convert_to(u.password_hash, 'UTF8'))`

/**
 * The live session of an active user, and what a partner has of the user: a live grant, and the subject.
 * That it was active is noted once a minute at most.
 * $1 SHA-256 of the session id, $2 client_id or null
 */
export const findSession = statement(
  'find_session',
  Session,
  `WITH found AS (
     SELECT s.hash, s.user_id, u.name AS user_name, u.email, s.auth_time
       FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.hash = $1 AND ${isLive} AND u.status = 'active'
   ), seen AS (
     UPDATE sessions s SET last_seen_at = now()
       FROM found WHERE s.hash = found.hash AND s.last_seen_at < now() - interval '1 minute'
   )
   SELECT user_id, user_name, email, auth_time,
          EXISTS (SELECT FROM grants g WHERE g.user_id = found.user_id AND g.client_id = $2 AND g.revoked_at IS NULL) AS has_grant,
           (SELECT g.subject FROM grants g WHERE g.user_id = found.user_id AND g.client_id = $2 LIMIT 1) AS subject
     FROM found`,
)

/**
 * Opens a session and ends the one that the browser came with, which somebody else may have planted there, and those
 * that are too many by now, the longest unused.
 *
 * $1 SHA-256 of the new id, $2 user id, $3 SHA-256 of the old id or null, $4 time of authentication: by the server's
 * clock, for it is compared with a sealed request's time, and ends in the id_token (docs/adr/0006), $5 SHA-256 of the
 * password hash that was checked: a password that is changed meanwhile leaves the session dead, $6 browser or null,
 * $7 operating system or null
 */
export const openSession = statement(
  'open_session',
  Type.Object({ user_id: Type.String() }),
  `WITH old AS (
     DELETE FROM sessions WHERE hash = $3 OR hash = ANY (ARRAY(
       SELECT hash FROM sessions WHERE hash IN (
         SELECT hash FROM sessions WHERE user_id = $2 ORDER BY last_seen_at DESC OFFSET ${mostSessions - 1}
       ) FOR UPDATE SKIP LOCKED -- what is being purged need not be waited for
     ))
   )
   INSERT INTO sessions (hash, user_id, credential, auth_time, expires_at, browser, system)
   VALUES ($1, $2, $5, $4, now() + interval '${sessionHours} hours', $6, $7)
   RETURNING user_id`,
)

/** $1 SHA-256 of the session id */
export const endSession = statement(
  'end_session',
  Type.Object({ user_id: Type.String() }),
  'DELETE FROM sessions WHERE hash = $1 RETURNING user_id',
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

/** The user's live sessions, this one first. $1 user id, $2 SHA-256 of the id of the session that asks */
export const sessionsOfUser = statement(
  'sessions_of_user',
  ListedSession,
  `SELECT s.id, s.browser, s.system, s.auth_time, s.last_seen_at, s.hash = $2 AS current
     FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.user_id = $1 AND ${isLive}
    ORDER BY current DESC, s.last_seen_at DESC, s.id`,
)

/** $1 user id, $2 id of the session as the page lists it */
export const endSessionOfUser = statement(
  'end_session_of_user',
  Type.Object({ id: Type.String() }),
  'DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id',
)

/** $1 user id, $2 SHA-256 of the id of the session that stays */
export const endOtherSessions = statement(
  'end_other_sessions',
  Type.Object({ id: Type.String() }),
  'DELETE FROM sessions WHERE user_id = $1 AND hash <> $2 RETURNING id',
)

/**
 * Changes the password, ends the user's sessions and opens one for this browser in the place of its own, which lasts
 * as long as that would have. No row: the password is another one by now, or the session has ended.
 *
 * $1 SHA-256 of the old session id, $2 SHA-256 of the password hash that was checked, $3 the new password hash,
 * $4 SHA-256 of the new session id, $5 key of this browser's proof, which the new password makes another
 */
export const changePasswordInSession = statement(
  'change_password_in_session',
  Type.Object({ proof: Type.String() }),
  `WITH changed AS (
     UPDATE users u SET password_hash = $3 FROM sessions s
      WHERE s.hash = $1 AND ${isLive} AND u.id = s.user_id AND s.credential = $2
     RETURNING u.id
   ), ended AS (
     DELETE FROM sessions s USING changed WHERE s.user_id = changed.id
     RETURNING s.hash, s.user_id, s.auth_time, s.expires_at, s.browser, s.system
   ), opened AS (
     INSERT INTO sessions (hash, user_id, credential, auth_time, expires_at, browser, system)
     SELECT $4, user_id, sha256(convert_to($3, 'UTF8')), auth_time, expires_at, browser, system FROM ended WHERE hash = $1
   )
   SELECT ${proofOver('$5', '$3')} AS proof FROM changed`,
)
