import { statement } from '../database/database.ts'
import { userRecord } from '../directory/user-record.sql.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import Type from '../typebox.ts'
import { deleteCodesOfLastFactor } from './recovery-codes.sql.ts'

/** $1 id of the owner */
export const findTotpSecret = findSecretStatement('find_totp_secret', 'totp_secrets', 'user_id')

/** The statement that finds the secret of a user or of an operator. */
export function findSecretStatement(name: string, table: string, owner: string) {
  return statement(
    name,
    Type.Object({ sealed: Type.String() }),
    `SELECT sealed FROM ${table} WHERE ${owner} = $1`,
  )
}

/** $1 id of the owner, $2 time step of the code, $3 the sealed secret that the code was checked with */
export const useTotpStep = useStepStatement('use_totp_step', 'totp_secrets', 'user_id')

/**
 * The statement that uses a code up. The time step is compared in the locked row: of the same code sent twice at the same time,
 * one counts, and no code of that or an earlier step counts again (RFC 6238 section 5.2). No row: it does not count.
 */
export function useStepStatement(name: string, table: string, owner: string) {
  return statement(
    name,
    Type.Object({ used: Type.Boolean() }),
    `UPDATE ${table} SET last_step = $2, last_used_at = now()
    WHERE ${owner} = $1 AND last_step < $2 AND sealed = $3 RETURNING true AS used`,
  )
}

/**
 * Replaces the user's secret. $1 user id, $2 the sealed secret, $3 time step of the code with which the user showed it,
 * $4 whether the user gets a mail, $5 origin
 */
export const storeTotpSecret = statement(
  'store_totp_secret',
  Type.Object({ user_id: Type.String() }),
  `WITH stored AS (
     INSERT INTO totp_secrets (user_id, sealed, last_step)
     SELECT id, $2, $3 FROM users WHERE id = $1 AND status = 'active'
     ON CONFLICT (user_id) DO UPDATE SET sealed = excluded.sealed, last_step = excluded.last_step, created_at = now(),
                                         last_used_at = NULL
     RETURNING user_id
   ), mail AS (
     ${mailRow('factors_changed', {
       from: 'stored JOIN users u ON u.id = stored.user_id WHERE $4::boolean',
       facts: { change: `'totp_added'`, at: 'now()' },
     })}
   ), recorded AS (
     ${userRecord('user.factor_added', {
       origin: '$5',
       user: 'u',
       from: 'stored JOIN users u ON u.id = user_id',
       details: { method: `'totp'` },
     })}
   )
   SELECT user_id FROM stored`,
)

/**
 * With the last factor, the recovery codes go. $1 user id, $2 whether the user gets a mail, $3 origin. No row: the user has
 * none.
 */
export const deleteTotpSecret = statement(
  'delete_totp_secret',
  Type.Object({ user_id: Type.String() }),
  `WITH removed AS (
     DELETE FROM totp_secrets WHERE user_id = $1 RETURNING user_id
   ), codes AS (
     ${deleteCodesOfLastFactor('SELECT FROM removed', 'true', 'false')}
   ), mail AS (
     ${mailRow('factors_changed', {
       from: 'removed JOIN users u ON u.id = removed.user_id WHERE $2::boolean',
       facts: { change: `'totp_removed'`, at: 'now()' },
     })}
   ), recorded AS (
     ${userRecord('user.factor_removed', {
       origin: '$3',
       user: 'u',
       from: 'removed JOIN users u ON u.id = user_id',
       details: { method: `'totp'` },
     })}
   )
   SELECT user_id FROM removed`,
)
