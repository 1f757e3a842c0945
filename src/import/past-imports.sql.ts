import { Instant, statement } from '../database/database.ts'
import Type from '../typebox.ts'

/**
 * Imports that the audit log has, the latest first. There is at most a handful a day, and they are found by their target.
 * $1 id before which the page begins, or null, $2 rows
 */
export const pageOfImports = statement(
  'page_of_imports',
  Type.Object({
    id: Type.String(),
    at: Instant,
    actor_kind: Type.String(),
    actor_id: Type.Union([Type.String(), Type.Null()]),
    address: Type.Union([Type.String(), Type.Null()]),
    files: Type.Unknown(),
    pruned: Type.Boolean(),
  }),
  `SELECT id, at, actor_kind, actor_id, address, details->'files' AS files,
          coalesce((details->>'pruned')::boolean, false) AS pruned
     FROM audit_log
    WHERE target_kind = 'directory' AND target_id = 'all' AND event = 'directory.imported'
      AND id < coalesce($1::bigint, 9223372036854775807)
    ORDER BY id DESC LIMIT $2`,
)
