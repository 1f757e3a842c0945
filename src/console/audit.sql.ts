import { AuditRecord, recordColumns } from '../audit/chain-hash.ts'
import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** One record, and its place in the chain; null: not chained yet. $1 `at`, with microseconds, $2 id. No row: there is none. */
export const findRecord = statement(
  'find_audit_record',
  Type.Object({ ...AuditRecord.properties, place: Type.Union([Type.String(), Type.Null()]) }),
  `SELECT ${recordColumns('a')}, (SELECT c.place::text FROM audit_chain c WHERE c.audit_id = a.id) AS place
     FROM audit_log a WHERE a.at = $1::timestamptz AND a.id = $2::bigint`,
)
