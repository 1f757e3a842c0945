import { mostOwnCounted, sampleSize, type searchSample } from './search-households.sql.ts'

/** What `searchSample` counted. */
export type SearchSample = ReturnType<typeof searchSample.parse>

/** Which statement reads the page, and for those in listing order, how many households it may read. */
export type SearchPlan = { by: 'grams' } | { by: 'firm' | 'own'; most: number }

/**
 * Costs are in reads of one household of the firm in listing order, about 0.4 µs. Looking up one of the caller's own
 * households, or fetching one that the index of grams names, costs about ten of them.
 */
const ownRead = 10
const gramsRead = 10

/** A sample may mislead: households whose names match may stand together. A read this far beyond its estimate ends. */
const margin = 5

const readInOrder = (by: 'firm' | 'own', estimate: number): SearchPlan => ({
  by,
  most: Math.max(sampleSize, Math.ceil(margin * estimate)),
})

/**
 * The cheapest way to find `needed` households (those before the page, the page, and one more), if all the firm's names
 * match as often as those of the sample.
 */
export function chooseSearchPlan(sample: SearchSample, needed: number): SearchPlan {
  const { sampled, matching, visible, own, total } = sample
  if (sampled < sampleSize) return readInOrder('firm', sampled)
  if (matching === 0) return { by: 'grams' }

  const visibleToRead = (needed * sampled) / matching
  const firmToRead = (visibleToRead * sampled) / visible // infinite where none is visible
  const ownToRead =
    own === null ? Number.POSITIVE_INFINITY : Math.min(visibleToRead, own < mostOwnCounted ? own : total)

  const costs = {
    grams: (gramsRead * total * matching) / sampled,
    firm: firmToRead,
    own: ownRead * ownToRead,
  }
  const cheapest = Math.min(costs.grams, costs.firm, costs.own)
  if (cheapest === costs.grams) return { by: 'grams' }
  return cheapest === costs.firm ? readInOrder('firm', firmToRead) : readInOrder('own', ownToRead)
}
