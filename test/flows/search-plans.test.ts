import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { foldCase } from '../../src/directory/case-folding.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { api } from '../support/journey.ts'
import { type TestServer, testServer } from '../support/server.ts'

/** More than are looked at before it is decided how to go on; all are nameless, so that the index of grams is asked. */
const crowdBefore = 2000

let server: TestServer

beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

/** Behind the crowd stand households with these names, every other one of them also in a firm that nobody asks for. */
async function households(names: (string | null)[], sees: 'firm' | 'granted', crowd = crowdBefore) {
  const number = (index: number) => String(index).padStart(6, '0')
  const nameless = Array.from({ length: crowd }, (_, i) => ({ id: `a${number(i)}`, firm: 'f1', name: null }))
  const named = names.map((name, i) => ({ id: `b${number(i)}`, firm: 'f1', name }))
  const foreign = named.map(({ id, name }) => ({ id: `${id}-foreign`, firm: 'f10', name }))
  const all = [...nameless, ...named, ...foreign]
  await replaceDirectory(server.database, {
    firms: ['f1', 'f10'],
    users: [{ id: 'ada', firm: 'f1', sees }],
    households: all,
    accounts: all.map(({ id }) => ({ id: `of-${id}`, household: id, status: 'active' })),
    access: sees === 'granted' ? all.map(({ id }) => ({ user: 'ada', account: `of-${id}` })) : [],
  })
  const accessToken = await accessTokenOf(server.database, 'ada')
  const holding = (pattern: string) =>
    named.filter(({ name }) => name !== null && foldCase(name).includes(foldCase(pattern)))
  return { accessToken, holding: (pattern: string) => holding(pattern).map(({ id }) => id) }
}

/** All ids that a client finds that follows Link, and the pages it was given. */
async function walk(accessToken: string, pattern: string, size: number): Promise<string[][]> {
  const pages: string[][] = []
  let path = `households?${new URLSearchParams({ name_pattern: pattern, page_size: String(size) })}`
  for (;;) {
    const { body, headers } = await api(server, path, accessToken)
    pages.push(idsOf(body))
    const next = /<[^>]*\?([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    if (next === undefined) return pages
    path = `households?${next}`
  }
}

function idsOf(body: unknown): string[] {
  if (!Array.isArray(body)) throw new Error(JSON.stringify(body))
  return body.map(({ id }) => id)
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

describe.each(['firm', 'granted'] as const)('for a role that sees %s, far behind the first page', (sees) => {
  test('whatever the names and the pattern, each that holds it is found once, by Link and by number', async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(cases, async ({ names, patterns, size }) => {
        const { accessToken, holding } = await households(names, sees)
        const pieces = names.flatMap((name) => (name ? [[...name].slice(0, 3).join('')] : []))
        for (const pattern of [...patterns, ...pieces.slice(0, 3)]) {
          const expected = holding(pattern)
          const pages = await walk(accessToken, pattern, size)
          expect(pages.flat(), JSON.stringify(pattern)).toEqual(expected)
          const second = new URLSearchParams({ name_pattern: pattern, page_size: String(size), page: '1' })
          const { body } = await api(server, `households?${second}`, accessToken)
          expect(idsOf(body), JSON.stringify(pattern)).toEqual(expected.slice(size, 2 * size))
          found += expected.length
        }
      }),
      { numRuns: 40 },
    )
    expect(found).toBeGreaterThan(50)
  })

  test('many at the beginning and one at the far end: all are found', async () => {
    const far = sees === 'firm' ? 50_300 : 10_300 // further than is read on
    const names = Array.from({ length: far }, (_, i) => (i < 60 || i === far - 1 ? `Rarely ${i}` : null))
    const { accessToken, holding } = await households(names, sees, 0)
    expect(holding('rarely')).toHaveLength(61)
    for (const size of [50, 100]) {
      const pages = await walk(accessToken, 'rarely', size)
      expect(pages.flat()).toEqual(holding('rarely'))
    }
  })

  test('a name that many have is read on in the order of the ids, and one that few have is not', async () => {
    const many = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? `Common ${i}` : `Other ${i}`))
    const { accessToken, holding } = await households(many, sees)
    for (const pattern of ['common', 'r 2', 'e', '29']) {
      const pages = await walk(accessToken, pattern, 7)
      expect(pages.flat()).toEqual(holding(pattern))
      expect(pages.slice(0, -1).every((page) => page.length === 7)).toBe(true)
    }
  })
})
