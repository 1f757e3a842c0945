import { statement } from '../database/database.ts'
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

/** Replaces all codes of the user, who must have a second factor. $1 user id, $2 hashes of the new codes */
export const replaceRecoveryCodes = statement(
  'replace_recovery_codes',
  Type.Object({ stored: Type.Integer() }),
  `WITH old AS (
     DELETE FROM recovery_codes WHERE user_id = $1 AND hash <> ALL ($2::bytea[])
   ), stored AS (
     INSERT INTO recovery_codes (user_id, hash) SELECT u.id, unnest($2::bytea[]) FROM users u WHERE u.id = $1
     ON CONFLICT DO NOTHING
     RETURNING 1
   )
   SELECT count(*)::int AS stored FROM stored`,
)

/** Uses up a code. Of several attempts at the same time, one deletes the row. No row: no such code. $1 user id, $2 its hash */
export const useRecoveryCode = statement(
  'use_recovery_code',
  Type.Object({ left: Type.Integer() }),
  `WITH used AS (DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2 RETURNING 1)
   SELECT (SELECT count(*)::int FROM recovery_codes WHERE user_id = $1) - 1 AS left FROM used`,
)
