import { statement } from '../database/database.ts'
import { userRecord } from '../directory/user-record.sql.ts'
import Type from '../typebox.ts'

/**
 * SQL that deletes the recovery codes of the user $1 when the statement removes the last second factor: codes alone are not a
 * factor. A part of a statement does not see what its other parts delete, so the conditions leave the removed factor out.
 *
 * @param removed a SELECT that has a row if a factor was removed
 * @param otherPasskeys a condition on passkeys `k` that stay
 * @param otherTotp a condition on a TOTP secret that stays
 */
export const deleteCodesOfLastFactor = (removed: string, otherPasskeys: string, otherTotp: string) =>
  `DELETE FROM recovery_codes c WHERE c.user_id = $1 AND EXISTS (${removed})
      AND NOT EXISTS (SELECT FROM passkeys k WHERE k.user_id = $1 AND ${otherPasskeys})
      AND NOT EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = $1 AND ${otherTotp})`

/** Replaces all codes of the user. $1 user id, $2 hashes of the new codes, $3 origin */
export const replaceRecoveryCodes = statement(
  'replace_recovery_codes',
  Type.Object({ user_id: Type.String() }),
  `WITH stored AS (
     INSERT INTO recovery_codes (user_id, hashes) VALUES ($1, $2)
     ON CONFLICT (user_id) DO UPDATE SET hashes = excluded.hashes, created_at = now()
     RETURNING user_id, hashes
   ), recorded AS (
     ${userRecord('user.factor_added', {
       origin: '$3',
       user: 'u',
       from: 'stored JOIN users u ON u.id = user_id',
       details: { method: `'recovery_codes'`, codes: 'cardinality(stored.hashes)' },
     })}
   )
   SELECT user_id FROM stored`,
)

/** $1 id of the owner, $2 the hash of the code */
export const useRecoveryCode = useCodeStatement('use_recovery_code', 'recovery_codes', 'user_id')

/**
 * The statement that uses up a code of a user or of an operator. Attempts at the same time wait for the lock of the row, and
 * the second does not find the code in it. No row: no such code.
 */
export function useCodeStatement(name: string, table: string, owner: string) {
  return statement(
    name,
    Type.Object({ left: Type.Integer() }),
    `UPDATE ${table} SET hashes = array_remove(hashes, $2::bytea)
    WHERE ${owner} = $1 AND $2 = ANY (hashes) RETURNING cardinality(hashes) AS left`,
  )
}
