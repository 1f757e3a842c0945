import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/**
 * Makes the next import set the password of sandbox users who have another one now. Otherwise it would keep the password that
 * a user has chosen since the last import of the same hash. $1 ids of the firms, $2 password hash of the sandbox users
 */
export const forgetChangedPasswords = statement(
  'forget_changed_passwords',
  Type.Object({ id: Type.String() }),
  `UPDATE users SET imported_hash_digest = NULL
    WHERE firm_id = ANY ($1) AND password_hash IS DISTINCT FROM $2 AND imported_hash_digest IS NOT NULL
   RETURNING id`,
)
