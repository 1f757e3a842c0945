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

/** What this process remembers of earlier calls. `roles` is by `BearerToken.connectionKey`. */
export type Hints = { places: PagePlaces; roles: Recent<keyof ByRole> }

export function newHints(): Hints {
  return { places: new PagePlaces(), roles: new Recent(mostCallers) }
}

/** Bounds the memory: 100 to 200 bytes for each. */
const mostCallers = 2000

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
  return cut(
    (start && (await readAsBefore(listing, roles, { bearer, size, ...start }))) ??
      (await readAnyRole(listing, roles, { bearer, size, after, before })),
  )
}

/**
 * Reads by the statement for the role that the caller had at the last call. Undefined if it cannot: the role is not known or
 * not the same any more, the call is refused, or the data has changed since `version`.
 */
async function readAsBefore(
  listing: Queries,
  roles: Hints['roles'],
  {
    bearer,
    after,
    size,
    version,
  }: { bearer: BearerToken; after: string; size: number; version: string | null },
): Promise<(CallerAndVersion & Entries) | undefined> {
  const role = roles.get(bearer.connectionKey)
  return role && listing.maybe(listByRole[role], [bearer.value, after, size, version])
}

/** Reads by a statement for all roles, which finds the page after an id, or by the number of households before it. */
async function readAnyRole(
  listing: Queries,
  roles: Hints['roles'],
  { bearer, after, size, before }: { bearer: BearerToken; after: string; size: number; before: bigint },
): Promise<CallerAndVersion & Entries> {
  const { sees, ...row } =
    before === 0n
      ? await listing.one(listHouseholds, [bearer.value, after, size])
      : await listing.one(listHouseholdsByNumber, [bearer.value, size, String(before)])
  if (sees === null) roles.delete(bearer.connectionKey)
  else roles.set(bearer.connectionKey, sees)
  return row
}
