import Type, { type Static } from 'typebox'
import { Instant, statement } from '../database/database.ts'

/** Hours a login lasts in one browser. */
const sessionHours = 8

export const Session = Type.Object({
  user_id: Type.String(),
  user_name: Type.String(),
  auth_time: Instant,
  has_grant: Type.Boolean(),
  /** What the partner knows the user by, also from a grant that has ended. */
  subject: Type.Union([Type.String(), Type.Null()]),
})
export type Session = Static<typeof Session>

/**
 * The live session of an active user who still has the password that it was opened with, and what a partner has of
 * the user: a live grant, and the subject.
 * $1 SHA-256 of the session id, $2 client_id or null
 */
export const findSession = statement(
  'find_session',
  Session,
  `SELECT u.id AS user_id, u.name AS user_name, s.auth_time,
          EXISTS (SELECT FROM grants g WHERE g.user_id = u.id AND g.client_id = $2 AND g.revoked_at IS NULL) AS has_grant,
          (SELECT g.subject FROM grants g WHERE g.user_id = u.id AND g.client_id = $2 LIMIT 1) AS subject
     FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.hash = $1 AND s.expires_at > now() AND u.status = 'active'
      AND s.credential = sha256(convert_to(u.password_hash, 'UTF8'))`,
)

/**
 * Opens a session and ends the one that the browser came with, which somebody else may have planted there.
 * $1 SHA-256 of the new id, $2 user id, $3 SHA-256 of the old id or null, $4 time of authentication: by the server's
 * clock, for it is compared with a sealed request's time, and ends in the id_token (docs/adr/0006), $5 SHA-256 of the
 * password hash that was checked: a password that is changed meanwhile leaves the session dead
 */
export const openSession = statement(
  'open_session',
  Type.Object({ user_id: Type.String() }),
  `WITH old AS (DELETE FROM sessions WHERE hash = $3)
   INSERT INTO sessions (hash, user_id, credential, auth_time, expires_at)
   VALUES ($1, $2, $5, $4, now() + interval '${sessionHours} hours')
   RETURNING user_id`,
)

/** $1 SHA-256 of the session id */
export const endSession = statement(
  'end_session',
  Type.Object({ user_id: Type.String() }),
  'DELETE FROM sessions WHERE hash = $1 RETURNING user_id',
)
