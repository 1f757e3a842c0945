import Type from 'typebox'
import { statement } from '../database/database.ts'

/**
 * $1 id, $2 firm, $3 email, $4 email folded, $5 name, $6 role. Stores the user unless a
 * column of the answer says why not; should `created` alone be false, somebody else took the id or the address just now.
 */
export const insertUser = statement(
  'insert-user',
  Type.Object({
    firm_exists: Type.Boolean(),
    role_exists: Type.Boolean(),
    id_taken: Type.Boolean(),
    email_taken: Type.Boolean(),
    created: Type.Boolean(),
  }),
  `WITH facts AS (
     SELECT EXISTS (SELECT FROM firms WHERE id = $2) AS firm_exists,
            EXISTS (SELECT FROM roles WHERE name = $6) AS role_exists,
            EXISTS (SELECT FROM users WHERE id = $1) AS id_taken,
            EXISTS (SELECT FROM users WHERE email_folded = $4) AS email_taken
   ), created AS (
     INSERT INTO users (id, firm_id, email, email_folded, name, role, status)
     SELECT $1, $2, $3, $4, $5, $6, 'active'
       FROM facts WHERE firm_exists AND role_exists AND NOT id_taken AND NOT email_taken
         ON CONFLICT DO NOTHING
     RETURNING id
   )
   SELECT facts.*, EXISTS (SELECT FROM created) AS created FROM facts`,
)

const changedUser = Type.Object({ id: Type.String(), sessions_ended: Type.Integer() })

/** $1 id or email folded (an id has no @, an address has one), $2 password hash. No row: no such user. */
export const updatePassword = statement(
  'update-password',
  changedUser,
  `WITH changed AS (
     UPDATE users SET password_hash = $2 WHERE id = $1 OR email_folded = $1 RETURNING id
   ), ended AS (
     DELETE FROM sessions USING changed WHERE sessions.user_id = changed.id RETURNING 1
   )
   SELECT id, (SELECT count(*)::integer FROM ended) AS sessions_ended FROM changed`,
)

/** $1 id or email folded. No row: no such user. */
export const updateToDisabled = statement(
  'update-to-disabled',
  changedUser,
  `WITH changed AS (
     UPDATE users SET status = 'disabled' WHERE id = $1 OR email_folded = $1 RETURNING id
   ), ended AS (
     DELETE FROM sessions USING changed WHERE sessions.user_id = changed.id RETURNING 1
   )
   SELECT id, (SELECT count(*)::integer FROM ended) AS sessions_ended FROM changed`,
)
