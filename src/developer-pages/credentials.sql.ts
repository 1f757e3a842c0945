import { Instant, statement } from '../database/database.ts'
import Type from '../typebox.ts'

/**
 * When the last client secrets of a partner were made, the newest first, as far as the audit log goes back. By the target,
 * which is the partner in few rows: `client_id` is in those of all its users, too. $1 client_id, $2 rows
 */
export const secretRotations = statement(
  'secret_rotations',
  Type.Object({ at: Instant }),
  `SELECT at FROM audit_log
    WHERE target_kind = 'partner' AND target_id = $1 AND event = 'partner.secret_rotated' ORDER BY at DESC LIMIT $2`,
)
