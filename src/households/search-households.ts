import type { Queries, Value } from '../database/database.ts'
import type { BearerToken } from '../resource/bearer.ts'
import { searchValues } from './name-pattern.ts'
import type { Place } from './page-places.ts'
import { searchByGrams, searchFirmInOrder, searchOwnInOrder, searchSample } from './search-households.sql.ts'
import { chooseSearchPlan } from './search-plan.ts'

export type Search = {
  bearer: BearerToken
  /** Text that the name must contain. */
  text: string
  /** The id after which the households begin. If empty, begin with the first household. */
  after: string
  /** Page size. */
  size: number
  /** Number of households to skip. */
  before: bigint
  /** Where the page before ended. The statement uses it in place of `after` and `before` if it is still valid. */
  place: Place | undefined
  /** The `as_of` of the first page of a sync. Null on that page and outside a sync. */
  firstAsOf: string | null
}

/**
 * Authenticates the call and reads a page of the visible households whose name contains the text. First counts, then reads.
 * The second statement authenticates again, and the answer comes only from this statement.
 */
export async function searchHouseholds(database: Queries, search: Search) {
  const { bearer, text, size, place, firstAsOf } = search
  const { after, before } = place ? { after: place.after, before: 0n } : search
  const [like, grams] = searchValues(text)
  const pageWith = (mostOrGrams: Value) => [
    ...[bearer.value, search.after, like, size, String(search.before), firstAsOf, mostOrGrams],
    ...[place?.version ?? null, place?.after ?? null],
  ]
  const sample = await database.maybe(searchSample, [bearer.value, after, like])
  const plan = sample && chooseSearchPlan(sample, Number(before) + size + 1)
  if (plan && plan.by !== 'grams') {
    const inOrder = plan.by === 'firm' ? searchFirmInOrder : searchOwnInOrder
    const page = await database.one(inOrder, pageWith(plan.most))
    if (page.complete) return page
  }
  return database.one(searchByGrams, pageWith(grams))
}
