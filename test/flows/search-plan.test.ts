import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mostOwnCounted, sampleSize } from '../../src/households/search-households.sql.ts'
import { chooseSearchPlan, type SearchSample } from '../../src/households/search-plan.ts'

const firm = (sampled: number, matching: number, total: number): SearchSample => ({
  ...{ sampled, matching, total },
  ...{ visible: sampled, own: null },
})
const granted = (matching: number, visible: number, own: number, total: number): SearchSample => ({
  sampled: sampleSize,
  ...{ matching, visible, own, total },
})

describe('for a page of 100', () => {
  test.each<[title: string, sample: SearchSample, by: string]>([
    ['a small firm', firm(199, 0, 1_000_000), 'firm'],
    ['a name that is not in the sample', firm(200, 0, 100_000), 'grams'],
    ['most of the names', firm(200, 180, 100_000), 'firm'],
    ['1 of 20 names', firm(200, 10, 100_000), 'firm'],
    ['1 of 200 names', firm(200, 1, 100_000), 'grams'],
    ['1 of 200 names of a very large firm', firm(200, 1, 10_000_000), 'firm'],
    ['1 of 20 names, half of the firm visible', granted(10, 100, mostOwnCounted, 100_000), 'firm'],
    ['1 of 200 names, half of the firm visible', granted(1, 100, mostOwnCounted, 100_000), 'grams'],
    ['1 of 20 names, 300 own households', granted(10, 1, 300, 100_000), 'own'],
    ['1 of 20 names, none of the sample visible', granted(10, 0, mostOwnCounted, 100_000), 'own'],
    ['1 of 200 names, 300 own households', granted(1, 1, 300, 100_000), 'own'],
    ['1 of 200 names, many own households', granted(1, 1, mostOwnCounted, 100_000), 'grams'],
    ['a name that is not in the sample, no own household', granted(0, 0, 0, 100_000), 'grams'],
  ])('%s', (_, sample, by) => {
    expect(chooseSearchPlan(sample, 101).by).toBe(by)
  })
})

const samples = fc
  .record({
    sampled: fc.nat(sampleSize),
    total: fc.integer({ min: 1, max: 1e9 }),
    own: fc.nat(mostOwnCounted),
  })
  .chain((fixed) =>
    fc.record({
      sampled: fc.constant(fixed.sampled),
      total: fc.constant(fixed.total),
      own: fc.constantFrom(fixed.own, null),
      matching: fc.nat(fixed.sampled),
      visible: fc.nat(fixed.sampled),
    }),
  )

test('a read in order is limited by the cost of the index, regardless of the page number', () => {
  fc.assert(
    fc.property(samples, fc.bigInt({ min: 1n, max: 2n ** 63n }), (sample, needed) => {
      const plan = chooseSearchPlan(sample, Number(needed))
      if (plan.by === 'grams') return
      expect(Number.isInteger(plan.most)).toBe(true)
      expect(plan.most).toBeLessThanOrEqual(Math.max(5 * sampleSize, 50 * sample.total + 1))
      if (plan.by === 'own') expect(sample.own).not.toBeNull()
    }),
  )
})

test('for a rarer name, a read in order is never preferred if it was not before', () => {
  fc.assert(
    fc.property(samples, fc.integer({ min: 1, max: 100_000 }), (sample, needed) => {
      fc.pre(sample.matching > 1)
      const rarer = chooseSearchPlan({ ...sample, matching: sample.matching - 1 }, needed)
      if (chooseSearchPlan(sample, needed).by === 'grams') expect(rarer.by).toBe('grams')
    }),
  )
})
