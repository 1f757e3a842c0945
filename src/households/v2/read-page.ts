import type { Queries, Value } from '../../database/database.ts'
import type { CallerRow } from '../../resource/authenticated-read.ts'
import { cutPage } from '../entries.ts'
import { searchHouseholds } from '../search-households.ts'
import { listChanges, listChangesOfOwn, mostOwnHouseholds } from './list-changes.sql.ts'
import { syncHouseholds } from './sync-households.sql.ts'
import type { SyncRequest } from './sync-request.ts'

/** The rows of one page of a sync; empty if there is a fault or the call is refused. */
export type SyncRows = CallerRow & {
  fault: 'future' | 'expired' | null
  as_of: string
  /** A JSON array of households. */
  data: string
  count: number
  /** A JSON array of ids; null unless changes are read. */
  removed: string | null
  removedCount: number
  /** The position of the page's last entry, null if no more follow. */
  last: { after: string; changed_at?: string } | null
}

/** Sorts after every id. */
const afterAllIds = '~'

/** @param hash SHA-256 of the access token */
export function readPage(
  database: Queries,
  hash: Buffer,
  sync: SyncRequest,
  limit: number,
): Promise<SyncRows> {
  const { updated_since: since } = sync.filters
  return since === undefined
    ? readHouseholds(database, hash, sync, limit)
    : readChanges(database, hash, sync, limit, since)
}

async function readHouseholds(
  database: Queries,
  hash: Buffer,
  { filters: { name_contains: name }, progress }: SyncRequest,
  limit: number,
): Promise<SyncRows> {
  const after = progress?.after ?? ''
  const firstAsOf = progress?.as_of ?? null
  const row =
    name === undefined
      ? await database.one(syncHouseholds, [hash, after, limit, 0, firstAsOf])
      : await searchHouseholds(database, {
          tokenHash: hash,
          text: name,
          after,
          size: limit,
          before: 0n,
          firstAsOf,
        })
  const { body, count, last } = cutPage(row, limit)
  return {
    ...row,
    fault: row.expired ? 'expired' : null,
    as_of: row.as_of,
    data: body,
    count,
    removed: null,
    removedCount: 0,
    last: last === null ? null : { after: last },
  }
}

async function readChanges(
  database: Queries,
  hash: Buffer,
  { progress }: SyncRequest,
  limit: number,
  since: string,
): Promise<SyncRows> {
  const { changed_at = since, after = afterAllIds, as_of = null } = progress ?? {}
  const values = [hash, changed_at, after, limit, since, as_of]
  const row = await changesRow(database, values)
  const { more, last_id: id, last_changed_at: changedAt } = row
  return {
    ...row,
    fault: row.fault,
    as_of: row.as_of,
    data: `[${row.entries ?? ''}]`,
    count: row.count,
    removed: `[${row.removed ?? ''}]`,
    removedCount: row.removed_count,
    last: more && id !== null && changedAt !== null ? { after: id, changed_at: changedAt } : null,
  }
}

/** Reads the firm's log. If it has many changes and the user has few households, looks up these households instead. */
async function changesRow(database: Queries, values: Value[]) {
  const first = await database.one(listChanges, [...values, false])
  if (first.complete) return first
  if (first.own <= mostOwnHouseholds) {
    const ofOwn = await database.one(listChangesOfOwn, values)
    if (ofOwn.complete) return ofOwn
  }
  return database.one(listChanges, [...values, true])
}
