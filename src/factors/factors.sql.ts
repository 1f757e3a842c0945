import { statement } from '../database/database.ts'
import { userRecord } from '../directory/user-record.sql.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import Type, { type Static } from '../typebox.ts'

/**
 * How many recovery codes are left; null: the user has none. $1 user id
 */
export const countRecoveryCodes = statement(
  'count_recovery_codes',
  Type.Object({ left: Type.Integer() }),
  'SELECT cardinality(hashes) AS left FROM recovery_codes WHERE user_id = $1',
)

const Removed = Type.Object({
  id: Type.String(),
  passkeys: Type.Integer(),
  totp: Type.Boolean(),
  recovery_codes: Type.Integer(),
  sessions_ended: Type.Integer(),
})
export type RemovedFactors = Static<typeof Removed>

/**
 * Removes all second factors of a user and ends the user's sessions and pending logins, which hold `login_version`.
 * $1 id or folded email, $2 whether the user gets a mail if there was a factor, $3 origin. No row: the user does not exist.
 */
export const deleteFactors = statement(
  'delete_factors',
  Removed,
  `WITH changed AS (
     UPDATE users SET login_version = gen_random_uuid() WHERE id = $1 OR email_folded = $1
     RETURNING id, firm_id
   ), passkeys AS (
     DELETE FROM passkeys k USING changed WHERE k.user_id = changed.id RETURNING 1
   ), totp AS (
     DELETE FROM totp_secrets t USING changed WHERE t.user_id = changed.id RETURNING 1
   ), codes AS (
     DELETE FROM recovery_codes c USING changed WHERE c.user_id = changed.id RETURNING cardinality(c.hashes) AS count
   ), ended AS (
     DELETE FROM sessions s USING changed WHERE s.user_id = changed.id RETURNING 1
   ), mail AS (
     ${mailRow('factors_changed', {
       from: `changed JOIN users u USING (id)
              WHERE $2::boolean AND (EXISTS (SELECT FROM passkeys) OR EXISTS (SELECT FROM totp))`,
       facts: { change: `'reset'`, at: 'now()' },
     })}
   ), facts AS (
     SELECT id, firm_id, (SELECT count(*)::int FROM passkeys) AS passkeys, EXISTS (SELECT FROM totp) AS totp,
            coalesce((SELECT count FROM codes), 0) AS recovery_codes, (SELECT count(*)::int FROM ended) AS sessions_ended
       FROM changed
   ), recorded AS (
     ${userRecord('user.factors_reset', {
       origin: '$3',
       user: 'facts',
       from: 'facts',
       details: {
         passkeys: 'facts.passkeys',
         totp: 'facts.totp',
         recovery_codes: 'facts.recovery_codes',
         sessions_ended: 'facts.sessions_ended',
       },
     })}
   )
   SELECT id, passkeys, totp, recovery_codes, sessions_ended FROM facts`,
)
