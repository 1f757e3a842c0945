import type { Queries } from '../database/database.ts'
import { searchedFor } from './name-pattern.ts'
import { searchByGrams, searchFirmInOrder, searchOwnInOrder, searchSample } from './search-households.sql.ts'
import { chooseSearchPlan } from './search-plan.ts'

export type Search = {
  /** SHA-256 of the access token. */
  tokenHash: Buffer
  /** Text that the name must contain. */
  text: string
  /** The id that all households follow; empty: from the first one. */
  after: string
  /** Page size. */
  size: number
  /** Households to pass over. */
  before: bigint
  /** `as_of` of the first page of a sync; null on that page and outside of a sync. */
  firstAsOf: string | null
}

/**
 * Authenticates the call and reads a page of the visible households whose name contains the text. Counts first, then
 * reads; the statement that reads authenticates again, and its row alone is the answer.
 */
export async function searchHouseholds(database: Queries, search: Search) {
  const { tokenHash, text, after, size, before, firstAsOf } = search
  const [like, grams] = searchedFor(text)
  const values = [tokenHash, after, like, size, String(before), firstAsOf]
  const sample = await database.maybe(searchSample, [tokenHash, after, like])
  const plan = sample && chooseSearchPlan(sample, Number(before) + size + 1)
  if (plan && plan.by !== 'grams') {
    const inOrder = plan.by === 'firm' ? searchFirmInOrder : searchOwnInOrder
    const page = await database.one(inOrder, [...values, plan.most])
    if (page.complete) return page
  }
  return database.one(searchByGrams, [...values, grams])
}
