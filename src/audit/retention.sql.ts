import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

const bound = `(date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1::int)) AT TIME ZONE 'UTC'`

/** Whether there are rows that are too old. $1 months for which rows are kept, 12 or more */
export const isRemovalDue = statement(
  'is_audit_removal_due',
  Type.Object({ due: Type.Boolean() }),
  `SELECT EXISTS (SELECT FROM audit_log WHERE at < ${bound}) AS due`,
)

/**
 * What is too old: its time, and the places of its rows together with those that were removed before. $1 months for which rows
 * are kept, $2 the places that were removed before, as `int8multirange`. No row: nothing.
 */
export const planRemoval = statement(
  'plan_audit_removal',
  Type.Object({ before: Type.String(), places: Type.String() }),
  `SELECT to_char(${bound} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS before,
          (range_agg(int8range(c.place, c.place + 1)) + $2::int8multirange)::text AS places
     FROM audit_log a JOIN audit_chain c ON c.audit_id = a.id AND c.audit_at = a.at
    WHERE a.at < ${bound} HAVING count(*) > 0`,
)

/**
 * Makes the partitions of the next months. Removes the rows that are too old, and stores the record of it.
 * $1 months for which rows are kept; 0: without end, $2 the signed removal as JSON, or null: removes nothing
 */
export const keepAuditLog = statement(
  'keep_audit_log',
  Type.Object({ removed: Type.Number() }),
  'SELECT keep_audit_log($1::int, $2::jsonb)::float8 AS removed',
)
