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

/** Bounds the memory of the roles: at most twice as many, of 100 bytes. */
const mostCallers = 1000

/**
 * What this process remembers of earlier calls: where pages ended, and the roles of the callers by
 * `BearerToken.connectionKey`, null if the last call was refused.
 */
export type Hints = { places: PagePlaces; roles: Recent<keyof ByRole | null> }

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
  if (role && start) {
    const row = await listing.maybe(listByRole[role], [bearer.value, start.after, size, start.version])
    if (row) {
      roles.set(bearer.connectionKey, role) // remembered for longer
      return cut(row)
    }
    // The role or the data has changed since, or the call is refused.
  }
  const { sees, ...row } =
    before === 0n
      ? await listing.one(listHouseholds, [bearer.value, after, size])
      : await listing.one(listHouseholdsByNumber, [bearer.value, size, String(before)])
  roles.set(bearer.connectionKey, sees)
  return cut(row)
}
