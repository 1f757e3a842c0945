import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { foldCase } from '../../src/directory/case-folding.ts'
import { searchValues } from '../../src/households/name-pattern.ts'
import {
  sampleSize,
  searchByGrams,
  searchFirmInOrder,
  searchOwnInOrder,
} from '../../src/households/search-households.sql.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { bearerOf } from '../support/bearer.ts'
import { query } from '../support/database.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { ofRuns } from '../support/property-runs.ts'

const server = await serverFixture()
afterEach(() => vi.restoreAllMocks())

type Sees = 'firm' | 'granted'

const number = (index: number) => String(index).padStart(6, '0')
const nameless = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `${prefix}${number(i)}`, name: null }))

/** Further households: nameless ones before the named ones, and ones before and after all others that the user does not see. */
type Others = { crowd?: number; hiddenBefore?: (string | null)[]; hiddenAfter?: number }

/**
 * Households with these names, each of which also exists in another firm and, for a role that sees `granted`, a second
 * time in the firm without access.
 */
async function households(
  names: (string | null)[],
  sees: Sees,
  { crowd = 0, hiddenBefore = [], hiddenAfter = 0 }: Others = {},
) {
  const named = names.map((name, i) => ({ id: `b${number(i)}`, name }))
  const accessible = [
    ...[...nameless('a', crowd), ...named].map((household) => ({ ...household, firm: 'f1' })),
    ...named.map(({ id, name }) => ({ id: `${id}-foreign`, name, firm: 'f10' })),
  ]
  const hidden = [
    ...hiddenBefore.map((name, i) => ({ id: `A${number(i)}`, name })),
    ...named.map(({ id, name }) => ({ id: `${id}-hidden`, name })),
    ...nameless('c', hiddenAfter),
  ].map((household) => ({ ...household, firm: 'f1' }))
  await replaceDirectory(server.database, {
    firms: ['f1', 'f10'],
    users: [{ id: 'ada', firm: 'f1', sees }],
    households: sees === 'firm' ? accessible : [...accessible, ...hidden],
    accounts: accessible.map(({ id }) => ({ id: `of-${id}`, household: id, status: 'active' })),
    access: sees === 'granted' ? accessible.map(({ id }) => ({ user: 'ada', account: `of-${id}` })) : [],
  })
  await query(server.database, 'ANALYZE households')
  const accessToken = await accessTokenOf(server.database, 'ada')
  const matching = (pattern: string) =>
    named.filter(({ name }) => name !== null && foldCase(name).includes(foldCase(pattern)))
  return { accessToken, matching: (pattern: string) => matching(pattern).map(({ id }) => id) }
}

/** All ids that a client finds by following Link. */
async function found(accessToken: string, pattern: string, size: number): Promise<string[]> {
  const ids: string[] = []
  let path = `households?${new URLSearchParams({ name_pattern: pattern, page_size: String(size) })}`
  for (;;) {
    const { body, headers } = await api(server, path, accessToken)
    const page = idsOf(body)
    ids.push(...page)
    const next = /<[^>]*\?([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    if (next === undefined) return ids
    expect(page).toHaveLength(size)
    path = `households?${next}`
  }
}

function idsOf(body: unknown): string[] {
  if (!Array.isArray(body)) throw new Error(JSON.stringify(body))
  return body.map(({ id }) => id)
}

/** The names of the statements that read a page during `work`, in order and once each. */
async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const one = vi.spyOn(server.database.expensive, 'one')
  await work()
  const names = one.mock.calls.map(([statement]) => statement.name)
  one.mockRestore()
  return [...new Set(names)]
}

const piece = fc.constantFrom(
  ...'aAbBßİıςΣéÉ漢字😀%_\\\'"&|!:*() \n\uffff\ufffd',
  'abc',
  'e\u0301',
  "''",
  '\\\\',
)
const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
const cases = fc.record({
  names: fc.array(fc.option(text, { freq: 8 }), { minLength: 1, maxLength: 12 }),
  patterns: fc.array(text, { minLength: 1, maxLength: 3 }),
  size: fc.integer({ min: 1, max: 5 }),
})

describe.each([
  ['firm', [searchFirmInOrder, searchByGrams]],
  ['granted', [searchFirmInOrder, searchOwnInOrder, searchByGrams]],
] as const)('for a role that sees %s', (sees, statements) => {
  test('each statement gives the same page for any names and pattern', async () => {
    let entries = 0
    await fc.assert(
      fc.asyncProperty(cases, async ({ names, patterns, size }) => {
        const { accessToken, matching } = await households(names, sees, { crowd: sampleSize })
        const { value } = bearerOf(accessToken)
        const pieces = names.flatMap((name) => (name ? [[...name].slice(0, 3).join('')] : []))
        for (const pattern of [...patterns, ...pieces.slice(0, 3)]) {
          const expected = matching(pattern)
          expect(await found(accessToken, pattern, size), JSON.stringify(pattern)).toEqual(expected)
          const [like, grams] = searchValues(pattern)
          for (const statement of statements) {
            const last = statement === searchByGrams ? grams : 100_000
            const page = await server.database.expensive.one(statement, [
              ...[value, '', like, size, 1, null, last],
              ...[null, null],
            ])
            expect(idsOf(JSON.parse(`[${page.entries ?? ''}]`)), statement.name).toEqual(
              expected.slice(1, size + 2),
            )
          }
          entries += expected.length
        }
      }),
      { numRuns: ofRuns(40) },
    )
    expect(entries).toBeGreaterThan(ofRuns(20))
  }, 90_000)

  test('a statement that reaches its limit reports that it is incomplete, and an unknown token reads nothing', async () => {
    const { accessToken } = await households(['Rarely 0', null, 'Rarely 1'], sees)
    for (const statement of statements) {
      if (statement === searchByGrams) continue
      const read = (token: string, size: number, most: number) =>
        server.database.expensive.one(statement, [
          ...[bearerOf(token).value, '', '%rarely%', size, 0, null, most],
          ...[null, null],
        ])
      expect(await read(accessToken, 1, 2)).toMatchObject({ count: 1, complete: false })
      expect(await read(accessToken, 1, 10)).toMatchObject({ count: 2, complete: true })
      expect(await read(accessToken, 5, 10)).toMatchObject({ count: 2, complete: true })
      expect(await read(neverIssued('at'), 5, 10)).toMatchObject({ grant_id: null, entries: null, count: 0 })
    }
  })
})

const thirds = (count: number) => Array.from({ length: count }, (_, i) => (i % 3 ? 'Other' : `Common ${i}`))
const beginningAndEnd = (count: number) =>
  Array.from({ length: count }, (_, i) => (i < 60 || i === count - 1 ? `Rarely ${i}` : null))

test('a user whose role changes to seeing the firm between the two statements gets the whole firm', async () => {
  const { accessToken } = await households(thirds(900), 'granted', { hiddenBefore: thirds(600) })
  const one = server.database.expensive.one
  const promote = async () => {
    await query(server.database, `UPDATE users SET role = 'sees-firm' WHERE id = 'ada'`)
  }
  const names: string[] = []
  vi.spyOn(server.database.expensive, 'one').mockImplementation(async (statement, values) => {
    if (names.push(statement.name) === 1) await promote()
    return one(statement, values)
  })
  const { body } = await api(server, 'households?name_pattern=common&page_size=100', accessToken)
  expect(names).toEqual(['search_own_in_order', 'search_by_grams'])
  expect(idsOf(body)).toEqual(Array.from({ length: 100 }, (_, i) => `A${number(3 * i)}`))
})

describe('the chosen statements', () => {
  test.each<[who: string, sees: Sees, others: Others, statement: string]>([
    ['the whole firm', 'firm', {}, 'search_firm_in_order'],
    ['half of the firm', 'granted', {}, 'search_firm_in_order'],
    ['few of the firm', 'granted', { hiddenBefore: thirds(600) }, 'search_own_in_order'],
  ])('for a common name and a user who sees %s', async (_, sees, others, statement) => {
    const { accessToken, matching } = await households(thirds(900), sees, others)
    const read = await statementsDuring(async () => {
      expect(await found(accessToken, 'common', 50)).toEqual(matching('common'))
    })
    expect(read[0]).toBe(statement)
  })

  test('for a user without access to any account', async () => {
    await households(thirds(900), 'granted')
    await query(server.database, 'DELETE FROM account_access')
    const read = await statementsDuring(async () => {
      expect(await found(await accessTokenOf(server.database, 'ada'), 'common', 50)).toEqual([])
    })
    expect(read).toEqual(['search_own_in_order'])
  })

  test('for a name that no household has', async () => {
    const { accessToken } = await households(thirds(900), 'firm')
    const read = await statementsDuring(() => found(accessToken, 'nobody', 50))
    expect(read).toEqual(['search_by_grams'])
  })

  test.each<[who: string, sees: Sees, others: Others, count: number]>([
    ['the whole firm', 'firm', {}, 3000],
    ['half of the firm', 'granted', {}, 3000],
    ['the beginning of a large firm', 'granted', { hiddenAfter: 5000 }, 300],
  ])(
    'for many matches at the beginning and one far away, and a user who sees %s',
    async (_, sees, others, count) => {
      const { accessToken, matching } = await households(beginningAndEnd(count), sees, others)
      expect(matching('rarely')).toHaveLength(61)
      const read = await statementsDuring(async () => {
        expect(await found(accessToken, 'rarely', 100)).toEqual(matching('rarely'))
      })
      expect(read).toEqual(['search_firm_in_order', 'search_by_grams'])
    },
  )
})
