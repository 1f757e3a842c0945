import { changedFields, jsonOf } from '../audit/audit-row.sql.ts'
import { Instant, statement } from '../database/database.ts'
import { isLiveGrant } from '../grants/ended.sql.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import Type, { type Static } from '../typebox.ts'
import { userRecord } from './user-record.sql.ts'

/**
 * Stores the user, unless a column of the result gives a reason against it. If no reason is given and `created` is false,
 * another session took the id or the address at the same time.
 *
 * $1 id, $2 firm, $3 email, $4 folded email, $5 name, $6 role, $7 origin
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
     INSERT INTO users (id, firm_id, email, email_folded, name, role, status, source)
     SELECT $1, $2, $3, $4, $5, $6, 'active', 'operator'
       FROM facts WHERE firm_exists AND role_exists AND NOT id_taken AND NOT email_taken
         ON CONFLICT DO NOTHING
     RETURNING *
   ), recorded AS (
     ${userRecord('user.created', {
       origin: '$7',
       user: 'created',
       from: 'created',
       details: { after: jsonOf('created', ['firm_id', 'email', 'name', 'role', 'status']) },
     })}
   )
   SELECT facts.*, EXISTS (SELECT FROM created) AS created FROM facts`,
)

const changedUser = Type.Object({ id: Type.String(), sessions_ended: Type.Integer() })

/**
 * $1 id or folded email (an address has an @, an id has none), $2 password hash, $3 whether the user gets a mail, $4 origin. No
 * row: the user does not exist.
 */
export const updatePassword = statement(
  'update-password',
  changedUser,
  `WITH changed AS (
     UPDATE users SET password_hash = $2, login_version = gen_random_uuid() WHERE id = $1 OR email_folded = $1
     RETURNING id, firm_id
   ), ended AS (
     DELETE FROM sessions USING changed WHERE sessions.user_id = changed.id RETURNING 1
   ), mail AS (
     ${mailRow('password_changed', {
       from: 'changed JOIN users u USING (id) WHERE $3::boolean',
       facts: { by: `'operator'`, at: 'now()' },
     })}
   ), recorded AS (
     ${userRecord('user.password_set', {
       origin: '$4',
       user: 'changed',
       from: 'changed',
       details: { by: `'operator'`, sessions_ended: '(SELECT count(*) FROM ended)' },
     })}
   )
   SELECT id, (SELECT count(*)::integer FROM ended) AS sessions_ended FROM changed`,
)

/** The user before a change of the status, locked. */
const lockedUser = `old AS (SELECT id, status FROM users WHERE id = $1 OR email_folded = $1 FOR NO KEY UPDATE)`

const statusChange = changedFields(jsonOf('old', ['status']), jsonOf('changed', ['status']))

/** An import does not undo it (docs/users.md). $1 id or folded email, $2 origin. No row: the user does not exist. */
export const updateToDisabled = statement(
  'update-to-disabled',
  changedUser,
  `WITH ${lockedUser}, changed AS (
     UPDATE users SET status = 'disabled', disabled_by_operator_at = coalesce(disabled_by_operator_at, now())
      WHERE id = (SELECT id FROM old) RETURNING id, firm_id, status
   ), ended AS (
     DELETE FROM sessions USING changed WHERE sessions.user_id = changed.id RETURNING 1
   ), recorded AS (
     ${userRecord('user.disabled', {
       origin: '$2',
       user: 'changed',
       from: 'changed JOIN old USING (id)',
       details: { ...statusChange, sessions_ended: '(SELECT count(*) FROM ended)' },
     })}
   )
   SELECT id, (SELECT count(*)::integer FROM ended) AS sessions_ended FROM changed`,
)

/** $1 id or folded email, $2 origin. No row: the user does not exist. */
export const updateToActive = statement(
  'update-to-active',
  Type.Object({ id: Type.String() }),
  `WITH ${lockedUser}, changed AS (
     UPDATE users SET status = 'active', disabled_by_operator_at = NULL
      WHERE id = (SELECT id FROM old) RETURNING id, firm_id, status
   ), recorded AS (
     ${userRecord('user.enabled', {
       origin: '$2',
       user: 'changed',
       from: 'changed JOIN old USING (id)',
       details: statusChange,
     })}
   )
   SELECT id FROM changed`,
)

const ListedUser = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  firm_id: Type.String(),
  role: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('disabled')]),
  /** Null if the user is not disabled, or was disabled only by an import. */
  disabled_by_operator_at: Type.Union([Instant, Type.Null()]),
})
export type ListedUser = Static<typeof ListedUser>

const listed = 'u.id, u.email, u.name, u.firm_id, u.role, u.status, u.disabled_by_operator_at'

/** $1 firm or null, $2 status or null */
export const listUsers = statement(
  'list-users',
  ListedUser,
  `SELECT ${listed} FROM users u
    WHERE ($1::text IS NULL OR u.firm_id = $1) AND ($2::text IS NULL OR u.status = $2) ORDER BY u.id`,
)

/** In the order of the ids. $1 id after which the page begins, or null, $2 rows, $3 firm or null, $4 status or null */
export const pageOfUsers = statement(
  'page_of_users',
  ListedUser,
  `SELECT ${listed} FROM users u
    WHERE u.id > coalesce($1::text, '') AND ($3::text IS NULL OR u.firm_id = $3) AND ($4::text IS NULL OR u.status = $4)
    ORDER BY u.id LIMIT $2`,
)

const UserFacts = Type.Object({
  ...ListedUser.properties,
  firm_name: Type.String(),
  sees: Type.Union([Type.Literal('firm'), Type.Literal('granted')]),
  has_password: Type.Boolean(),
  sessions: Type.Integer(),
  live_grants: Type.Integer(),
  passkeys: Type.Integer(),
  has_totp: Type.Boolean(),
  /** Recovery codes that are left. */
  recovery_codes: Type.Integer(),
})
export type UserFacts = Static<typeof UserFacts>

/** $1 id or folded email. No row: the user does not exist. */
export const findUserFacts = statement(
  'find-user-facts',
  UserFacts,
  `SELECT ${listed}, f.name AS firm_name, r.sees, u.password_hash IS NOT NULL AS has_password,
          (SELECT count(*)::integer FROM sessions s WHERE s.user_id = u.id AND s.expires_at > now()) AS sessions,
          (SELECT count(*)::integer FROM grants g WHERE g.user_id = u.id AND ${isLiveGrant('g')}) AS live_grants,
          (SELECT count(*)::integer FROM passkeys k WHERE k.user_id = u.id) AS passkeys,
          EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = u.id) AS has_totp,
          coalesce((SELECT cardinality(c.hashes) FROM recovery_codes c WHERE c.user_id = u.id), 0) AS recovery_codes
     FROM users u JOIN firms f ON f.id = u.firm_id JOIN roles r ON r.name = u.role
    WHERE u.id = $1 OR u.email_folded = $1`,
)
