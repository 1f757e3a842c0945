import type { Queries } from '../../database/database.ts'
import type { ReadRefusal } from '../../process/limiters.ts'
import type { CallerRow } from '../../resource/authenticated-read.ts'
import { cutPage, type Entries, lastHouseholdId } from '../entries.ts'
import { searchHouseholds } from '../search-households.ts'
import { accountChanges, householdChanges } from './list-changes.sql.ts'
import { readChanges } from './read-changes.ts'
import { syncAccounts } from './sync-accounts.sql.ts'
import type { Resource } from './sync-cursor.ts'
import { syncHouseholds } from './sync-households.sql.ts'
import type { PageRead, SyncRows } from './sync-rows.ts'

type Read = Promise<SyncRows | ReadRefusal>

/** How the pages of each resource are read. */
export const readPage: Record<Resource, (page: PageRead) => Read> = {
  households(page) {
    const { name_contains: name, updated_since: since } = page.sync.filters
    if (since !== undefined) return readChanges(householdChanges, page, since)
    if (name !== undefined) return page.expensive((database) => searchPage(database, page, name))
    return listHouseholds(page)
  },
  accounts(page) {
    const { updated_since: since } = page.sync.filters
    return since === undefined ? listAccounts(page) : readChanges(accountChanges, page, since)
  },
}

async function listHouseholds({ listing, bearer, sync: { progress }, limit }: PageRead): Promise<SyncRows> {
  const values = [bearer.value, progress?.after ?? '', limit, progress?.as_of ?? null]
  return listedRows(await listing.one(syncHouseholds, values), limit)
}

async function searchPage(
  database: Queries,
  { bearer, sync: { progress }, limit }: PageRead,
  text: string,
): Promise<SyncRows> {
  const after = progress?.after ?? ''
  const firstAsOf = progress?.as_of ?? null
  return listedRows(
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

async function listAccounts({ listing, bearer, sync: { progress }, limit }: PageRead): Promise<SyncRows> {
  const { household_id = '', after = '', as_of = null } = progress ?? {}
  const rows = listedRows(
    await listing.one(syncAccounts, [bearer.value, household_id, after, limit, as_of]),
    limit,
  )
  return { ...rows, last: rows.last && { ...rows.last, household_id: lastHouseholdId(rows.data) } }
}

type ListedRow = CallerRow & Entries & { expired: boolean; as_of: string }

function listedRows(row: ListedRow, limit: number): SyncRows {
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
