import { mostOwnCounted, sampleSize, type searchSample } from './search-households.sql.ts'

/** The counts from `searchSample`. */
export type SearchSample = ReturnType<typeof searchSample.parse>

/** The statement that reads the page. `most` is the maximum number of households that it may read in listing order. */
export type SearchPlan = { by: 'grams' } | { by: 'firm' | 'own'; most: number }

/**
 * The unit of cost is one read of a household of the firm in listing order, about 0.4 µs. Looking up one of the caller's own
 * households, or fetching a household that the index of grams found, costs about ten units.
 */
const ownReadCost = 10
const gramsReadCost = 10

/** The sample can be wrong, because matching names may be clustered. A read stops at this multiple of its estimate. */
const margin = 5

const readInOrder = (by: 'firm' | 'own', estimate: number): SearchPlan => ({
  by,
  most: Math.max(sampleSize, Math.ceil(margin * estimate)),
})

/**
 * Chooses the cheapest way to find `needed` households (those before the page, the page, and one more). It assumes that names
 * match in the whole firm as often as in the sample.
 */
export function chooseSearchPlan(sample: SearchSample, needed: number): SearchPlan {
  const { sampled, matching, visible, own, total } = sample
  if (sampled < sampleSize) return readInOrder('firm', sampled)
  if (matching === 0) return { by: 'grams' }

  const visibleToRead = (needed * sampled) / matching
  const firmToRead = (visibleToRead * sampled) / visible // infinite if none is visible
  const ownToRead =
    own === null ? Number.POSITIVE_INFINITY : Math.min(visibleToRead, own < mostOwnCounted ? own : total)

  const costs = {
    grams: (gramsReadCost * total * matching) / sampled,
    firm: firmToRead,
    own: ownReadCost * ownToRead,
  }
  const cheapest = Math.min(costs.grams, costs.firm, costs.own)
  if (cheapest === costs.grams) return { by: 'grams' }
  return cheapest === costs.firm ? readInOrder('firm', firmToRead) : readInOrder('own', ownToRead)
}
