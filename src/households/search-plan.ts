import { mostOwnCounted, sampleSize } from './search-households.sql.ts'

/** What `searchSample` counted. */
export type SearchSample = {
  sampled: number
  matching: number
  visible: number
  own: number | null
  total: number
}

/** Which statement reads the page, and for those in listing order, how many households it may read. */
export type SearchPlan = { by: 'grams' } | { by: 'firm' | 'own'; most: number }

/**
 * Costs are in reads of one household of the firm in listing order, about 0.4 µs. Looking up one of the caller's own
 * households, or fetching one that the index of grams names, costs about ten of them.
 */
const ownRead = 10
const gramsRead = 10

/** A sample may mislead: names that match may stand together. A read that goes this far beyond its estimate ends. */
const margin = 5

/**
 * The cheapest way to find `needed` households (those before the page, the page, and one more), if all the firm's names
 * match as often as those of the sample.
 */
export function chooseSearchPlan(sample: SearchSample, needed: number): SearchPlan {
  const { sampled, matching, visible, own, total } = sample
  if (sampled < sampleSize) return { by: 'firm', most: sampleSize }
  if (matching === 0) return { by: 'grams' }
  const visibleToRead = (needed * sampled) / matching
  const firmToRead = visible > 0 ? (visibleToRead * sampled) / visible : Number.POSITIVE_INFINITY
  const ownToRead =
    own === null
      ? Number.POSITIVE_INFINITY
      : own < mostOwnCounted
        ? Math.min(visibleToRead, own)
        : visibleToRead
  const gramsCost = (gramsRead * total * matching) / sampled
  if (gramsCost < Math.min(firmToRead, ownRead * ownToRead)) return { by: 'grams' }
  return firmToRead <= ownRead * ownToRead
    ? { by: 'firm', most: Math.ceil(margin * firmToRead) }
    : { by: 'own', most: Math.ceil(margin * ownToRead) }
}
