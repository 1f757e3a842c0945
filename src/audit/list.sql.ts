import { type Statement, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'
import { AuditRecord, recordColumns } from './chain-hash.ts'

const ListedRecord = Type.Object({
  ...AuditRecord.properties,
  /** The place in the chain. Null: not chained yet. */
  place: Type.Union([Type.String(), Type.Null()]),
})
export type ListedRecord = Static<typeof ListedRecord>

/** Conditions on a row `a`, with the parameter `$`. */
const conditions = {
  user: 'a.user_id = $',
  client: 'a.client_id = $',
  firm: 'a.firm_id = $',
  event: 'a.event = $',
  actorKind: 'a.actor_kind = $',
  actorId: 'a.actor_id = $',
  targetKind: 'a.target_kind = $',
  targetId: 'a.target_id = $',
  requestId: 'a.request_id = $',
  since: 'a.at >= $::timestamptz',
  until: 'a.at < $::timestamptz',
}
export type FilterName = keyof typeof conditions

const statements = new Map<string, Statement<ListedRecord>>()

/**
 * The records that meet these filters, the newest first. Each set of filters has its own statement: with all filters in one,
 * no index would help. The parameters are the values of the filters, then `at` and `id` of the last record of the page before
 * (null: the first page), and how many records at most.
 */
export function listRecords(filters: FilterName[]): Statement<ListedRecord> {
  const name = ['list_audit_records', ...filters].join('_')
  const known = statements.get(name)
  if (known) return known
  const [at, id, limit] = [1, 2, 3].map((more) => `$${filters.length + more}`)
  const where = filters.map((filter, index) => conditions[filter].replace('$', `$${index + 1}`))
  const list = statement(
    name,
    ListedRecord,
    `SELECT ${recordColumns('a')}, (SELECT c.place::text FROM audit_chain c WHERE c.audit_id = a.id) AS place
       FROM audit_log a
      WHERE ${[...where, `(${at}::timestamptz IS NULL OR (a.at, a.id) < (${at}, ${id}::bigint))`].join(' AND ')}
      ORDER BY a.at DESC, a.id DESC LIMIT ${limit}`,
  )
  statements.set(name, list)
  return list
}
