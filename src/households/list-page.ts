import type { Queries } from '../database/database.ts'
import type { ReadRefusal } from '../process/limiters.ts'
import { Recent } from '../process/recent.ts'
import type { CallerColumns } from '../resource/bearer.sql.ts'
import type { BearerToken } from '../resource/bearer.ts'
import type { ExpensiveRead } from '../resource/expensive-read.ts'
import type { VisibilityVersionColumn } from '../resource/visibility-version.sql.ts'
import type { Static, TObject } from '../typebox.ts'
import { cutPage, type Entries, type PageOfEntries } from './entries.ts'
import { listByRole, listHouseholds, listHouseholdsByNumber } from './list-households.sql.ts'
import { entriesBefore, type Page } from './page.ts'
import { PagePlaces } from './page-places.ts'
import { searchHouseholds } from './search-households.ts'
import type { ByRole } from './visibility.sql.ts'

type CallerAndVersion = Static<TObject<typeof CallerColumns & typeof VisibilityVersionColumn>>
export type HouseholdsPage = CallerAndVersion & PageOfEntries

/** Bounds the memory of each generation: 100 bytes for each. */
const mostCallers = 1000

/** What this process remembers of earlier calls: where pages ended, and by `BearerToken.connectionKey` the callers' roles. */
export type Hints = { places: PagePlaces; roles: Recent<keyof ByRole> }

export function newHints(): Hints {
  return { places: new PagePlaces(), roles: new Recent(mostCallers) }
}

/**
 * Reads a page of the v1 listing. A page by its number begins where the page before it ended, if this process answered that
 * one and nothing has changed since. A search is an expensive read, a page of the whole listing never is.
 */
export async function readHouseholds(
  { listing, expensive }: { listing: Queries; expensive: ExpensiveRead },
  { places, roles }: Hints,
  { page, text, bearer }: { page: Page; text: string | undefined; bearer: BearerToken },
): Promise<HouseholdsPage | ReadRefusal> {
  const { after, size } = page
  const before = entriesBefore(page)
  const place = before > 0n ? places.find(bearer.connectionKey, page) : undefined
  const cut = ({ count, entries, ...caller }: CallerAndVersion & Entries): HouseholdsPage => {
    const entriesOfPage = cutPage({ count, entries }, size)
    if (caller.visibility_version)
      places.remember(bearer.connectionKey, page, caller.visibility_version, entriesOfPage.last)
    return { ...caller, ...entriesOfPage }
  }
  if (text !== undefined) {
    const search = { bearer, text, after, size, before, place, firstAsOf: null }
    return expensive(async (database) => cut(await searchHouseholds(database, search)))
  }
  const start = before === 0n ? { after, version: null } : place
  const role = roles.get(bearer.connectionKey)
  // No row if the role or the data has changed since, or if the call is refused.
  const asBefore =
    role && start && (await listing.maybe(listByRole[role], [bearer.value, start.after, size, start.version]))
  return cut(asBefore ?? (await readAnyRole(listing, roles, { bearer, size, after, before })))
}

/** Reads by a statement for all roles, which finds the page after an id, or by the number of households before it. */
async function readAnyRole(
  listing: Queries,
  roles: Hints['roles'],
  { bearer, after, size, before }: { bearer: BearerToken; after: string; size: number; before: bigint },
): Promise<CallerAndVersion & Entries> {
  const { sees: role, ...row } =
    before === 0n
      ? await listing.one(listHouseholds, [bearer.value, after, size])
      : await listing.one(listHouseholdsByNumber, [bearer.value, size, String(before)])
  if (role === null) roles.delete(bearer.connectionKey)
  else roles.set(bearer.connectionKey, role)
  return row
}
