import type { Database } from '../database/database.ts'
import { type FilterName, type ListedRecord, listRecords } from './list.sql.ts'

/** Undefined: any. `since` and `until` are instants in ISO 8601; a record at `until` is not in the list. */
export type AuditFilter = { [Name in FilterName]?: string | undefined }

/** `after` is the place of the last record of the page before: `placeOf`. */
export type AuditPage = { after?: string | undefined; limit: number }

/** Records of the audit log, the newest first. `next` continues the list; undefined: this is the last page. */
export async function listAudit(
  database: Database,
  filter: AuditFilter,
  { after, limit }: AuditPage,
): Promise<{ records: ListedRecord[]; next: string | undefined }> {
  const names = filterNames.filter((name) => filter[name] !== undefined)
  const [at = null, id = null] = after === undefined ? [] : after.split(' ')
  const values = [...names.map((name) => filter[name] ?? null), at, id, limit + 1]
  const rows = await database.run(listRecords(names), values)
  const records = rows.slice(0, limit)
  const last = records.at(-1)
  return { records, next: rows.length > limit && last ? placeOf(last) : undefined }
}

/** Where a list continues after this record. */
export function placeOf({ at, id }: Pick<ListedRecord, 'at' | 'id'>): string {
  return `${at} ${id}`
}

const filterNames: FilterName[] = [
  'user',
  'client',
  'firm',
  'event',
  'actorKind',
  'actorId',
  'targetKind',
  'targetId',
  'requestId',
  'since',
  'until',
]
