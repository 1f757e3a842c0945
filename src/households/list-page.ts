import type { Queries } from '../database/database.ts'
import type { ReadRefusal } from '../process/limiters.ts'
import type { CallerColumns } from '../resource/bearer.sql.ts'
import type { BearerToken } from '../resource/bearer.ts'
import type { ExpensiveRead } from '../resource/expensive-read.ts'
import type { VisibilityVersionColumn } from '../resource/visibility-version.sql.ts'
import type { Static, TObject } from '../typebox.ts'
import { cutPage, type Entries, type PageOfEntries } from './entries.ts'
import type { FirmCallers } from './firm-callers.ts'
import { listFirmHouseholds, listHouseholds, listHouseholdsByNumber } from './list-households.sql.ts'
import { entriesBefore, type Page } from './page.ts'
import type { PagePlaces } from './page-places.ts'
import { searchHouseholds } from './search-households.ts'

type CallerAndVersion = Static<TObject<typeof CallerColumns & typeof VisibilityVersionColumn>>
export type HouseholdsPage = CallerAndVersion & PageOfEntries

/** What this process remembers of earlier calls. */
export type Hints = { places: PagePlaces; firmCallers: FirmCallers }

/**
 * Reads a page of the v1 listing. A page by its number begins where the page before it ended, if this process answered that
 * one and nothing has changed since. A search is an expensive read, a page of the whole listing never is.
 */
export function readHouseholds(
  { listing, expensive }: { listing: Queries; expensive: ExpensiveRead },
  { places, firmCallers }: Hints,
  { page, text, bearer }: { page: Page; text: string | undefined; bearer: BearerToken },
): Promise<HouseholdsPage | ReadRefusal> {
  const before = entriesBefore(page)
  const place = before > 0n ? places.find(bearer.connectionKey, page) : undefined
  const cut = ({ count, entries, ...caller }: CallerAndVersion & Entries): HouseholdsPage => {
    const entriesOfPage = cutPage({ count, entries }, page.size)
    if (caller.visibility_version)
      places.remember(bearer.connectionKey, page, caller.visibility_version, entriesOfPage.last)
    return { ...caller, ...entriesOfPage }
  }
  if (text !== undefined) {
    const { after, size } = page
    const search = { bearer, text, after, size, before, place, firstAsOf: null }
    return expensive(async (database) => cut(await searchHouseholds(database, search)))
  }
  if (before === 0n) return readNext(listing, firmCallers, page, bearer).then(cut)
  const values = [bearer.value, page.size, String(before), place?.version ?? null, place?.after ?? null]
  return listing.one(listHouseholdsByNumber, values).then(cut)
}

/**
 * Reads the page after an id, or the first one. If the role of a remembered caller has changed, this takes a second statement.
 */
async function readNext(
  listing: Queries,
  firmCallers: FirmCallers,
  { after, size }: Page,
  { value, connectionKey }: BearerToken,
): Promise<CallerAndVersion & Entries> {
  const values = [value, after, size]
  if (firmCallers.has(connectionKey)) {
    const ofFirm = await listing.maybe(listFirmHouseholds, values)
    if (ofFirm) return ofFirm
  }
  const { sees, ...row } = await listing.one(listHouseholds, values)
  firmCallers.remember(connectionKey, sees === 'firm')
  return row
}
