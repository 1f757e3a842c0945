import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** $1 ids of users */
export const findPasswordHashes = statement(
  'find_password_hashes',
  Type.Object({ id: Type.String(), password_hash: Type.Union([Type.String(), Type.Null()]) }),
  'SELECT id, password_hash FROM users WHERE id = ANY ($1::text[])',
)
