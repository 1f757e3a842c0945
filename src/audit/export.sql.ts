import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

const Place = Type.Union([Type.String(), Type.Null()])

/**
 * The first and the last place of rows in a time. Null: there are none. Those up to the last one that the retention has
 * removed are left out: the places from the first to the last have all their rows. $1 since or null, $2 until or null, $3 the
 * last removed place or 0
 */
export const findRange = statement(
  'find_audit_range',
  Type.Object({ first: Place, last: Place }),
  `SELECT min(place)::text AS first, max(place)::text AS last
     FROM audit_chain
    WHERE ($1::timestamptz IS NULL OR audit_at >= $1) AND ($2::timestamptz IS NULL OR audit_at < $2)
      AND place > $3::bigint`,
)
