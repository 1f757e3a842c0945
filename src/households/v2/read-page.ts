import type { Queries, Value } from '../../database/database.ts'
import type { ReadRefusal } from '../../process/limiters.ts'
import type { CallerRow } from '../../resource/authenticated-read.ts'
import type { BearerToken } from '../../resource/bearer.ts'
import type { ExpensiveRead } from '../../resource/expensive-read.ts'
import { cutPage, type Entries } from '../entries.ts'
import { searchHouseholds } from '../search-households.ts'
import { type ChangesRow, listChanges, listChangesOfOwn, mostOwnHouseholds } from './list-changes.sql.ts'
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

type PageRead = {
  /** For reads whose cost is bounded by the size of the page. */
  listing: Queries
  expensive: ExpensiveRead
  bearer: BearerToken
  sync: SyncRequest
  limit: number
}

export function readPage(page: PageRead): Promise<SyncRows | ReadRefusal> {
  const { name_contains: name, updated_since: since } = page.sync.filters
  if (since !== undefined) return readChanges(page, since)
  if (name !== undefined) return page.expensive((database) => searchPage(database, page, name))
  return listPage(page)
}

async function listPage({ listing, bearer, sync: { progress }, limit }: PageRead): Promise<SyncRows> {
  const values = [bearer.value, progress?.after ?? '', limit, progress?.as_of ?? null]
  return householdRows(await listing.one(syncHouseholds, values), limit)
}

async function searchPage(
  database: Queries,
  { bearer, sync: { progress }, limit }: PageRead,
  text: string,
): Promise<SyncRows> {
  const after = progress?.after ?? ''
  const firstAsOf = progress?.as_of ?? null
  return householdRows(
    await searchHouseholds(database, {
      bearer,
      text,
      after,
      size: limit,
      before: 0n,
      place: undefined,
      firstAsOf,
    }),
    limit,
  )
}

type HouseholdsRow = CallerRow & Entries & { expired: boolean; as_of: string }

function householdRows(row: HouseholdsRow, limit: number): SyncRows {
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

async function readChanges(page: PageRead, since: string): Promise<SyncRows | ReadRefusal> {
  const { bearer, sync, limit } = page
  const { changed_at = since, after = afterAllIds, as_of = null } = sync.progress ?? {}
  const values = [bearer.value, changed_at, after, limit, since, as_of]
  const first = await page.listing.one(listChanges, [...values, false])
  if (first.complete) return changeRows(first)
  return page.expensive(async (database) => changeRows(await readManyChanges(database, values, first.own)))
}

/** If the firm's log has many changes and the user has few households, looks up these households instead of the log. */
async function readManyChanges(
  database: Queries,
  values: Value[],
  ownHouseholds: number,
): Promise<ChangesRow> {
  if (ownHouseholds <= mostOwnHouseholds) {
    const ofOwn = await database.one(listChangesOfOwn, values)
    if (ofOwn.complete) return ofOwn
  }
  return database.one(listChanges, [...values, true])
}

function changeRows(row: ChangesRow): SyncRows {
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
