import { Instant, statement } from '../database/database.ts'
import Type from '../typebox.ts'

/**
 * When the last client secrets of a partner were made, the newest first, as far as the audit log goes back. Selects by target,
 * because few rows have the partner as target. Rows about its users also have its `client_id`, and may be millions.
 * $1 client_id, $2 rows
 */
export const secretRotations = statement(
  'secret_rotations',
  Type.Object({ at: Instant }),
  `SELECT at FROM audit_log
    WHERE target_kind = 'partner' AND target_id = $1 AND event = 'partner.secret_rotated' ORDER BY at DESC LIMIT $2`,
)
