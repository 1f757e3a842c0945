import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** $1 ids of users */
export const findPasswordHashes = statement(
  'find_password_hashes',
  Type.Object({ id: Type.String(), password_hash: Type.Union([Type.String(), Type.Null()]) }),
  'SELECT id, password_hash FROM users WHERE id = ANY ($1::text[])',
)

/** The columns of `users.csv` without the password. $1 id. No row: the user does not exist. */
export const findUserRow = statement(
  'find_user_to_change',
  Type.Object({
    id: Type.String(),
    firm_id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: Type.String(),
    status: Type.String(),
  }),
  'SELECT id, firm_id, email, name, role, status FROM users WHERE id = $1 FOR NO KEY UPDATE',
)
