import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldCase } from '../../src/directory/case-folding.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'

/** More than are looked at before it is decided how to go on; all are nameless, so that the index of grams is asked. */
const crowdBefore = 2000

const server = await serverFixture()

type Reader = {
  who: string
  sees: 'firm' | 'granted'
  /** So many households of the firm, which the user does not see, come first. */
  hiddenBefore: number
  /** Further, in named households, than is read on. */
  far: number
}
const readers: Reader[] = [
  { who: 'the whole firm', sees: 'firm', hiddenBefore: 0, far: 50_300 },
  { who: 'half of the firm', sees: 'granted', hiddenBefore: 0, far: 25_300 },
  { who: 'few of the firm, at first', sees: 'granted', hiddenBefore: 600, far: 10_300 },
]

/**
 * Behind the crowd stand households with these names, each of them also in a firm that nobody asks for, and, for a role
 * that sees `granted`, without access.
 */
async function households(
  names: (string | null)[],
  { sees, hiddenBefore }: Pick<Reader, 'sees' | 'hiddenBefore'>,
  { crowd = crowdBefore, hiddenAfter = 0 } = {},
) {
  const number = (index: number) => String(index).padStart(6, '0')
  const nameless = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: `${prefix}${number(i)}`, firm: 'f1', name: null }))
  const named = names.map((name, i) => ({ id: `b${number(i)}`, firm: 'f1', name }))
  const accessible = [
    ...nameless('a', crowd),
    ...named,
    ...named.map(({ id, name }) => ({ id: `${id}-foreign`, firm: 'f10', name })),
  ]
  const hidden =
    sees === 'granted'
      ? [
          ...nameless('A', hiddenBefore),
          ...named.map((household) => ({ ...household, id: `${household.id}-hidden` })),
          ...nameless('c', hiddenAfter),
        ]
      : []
  await replaceDirectory(server.database, {
    firms: ['f1', 'f10'],
    users: [{ id: 'ada', firm: 'f1', sees }],
    households: [...accessible, ...hidden],
    accounts: accessible.map(({ id }) => ({ id: `of-${id}`, household: id, status: 'active' })),
    access: sees === 'granted' ? accessible.map(({ id }) => ({ user: 'ada', account: `of-${id}` })) : [],
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

describe.each(readers)('for a user who sees $who', (reader) => {
  test('whatever the names and the pattern, each that holds it is found once, by Link and by number', async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(cases, async ({ names, patterns, size }) => {
        const { accessToken, holding } = await households(names, reader)
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
      { numRuns: ofRuns(40) },
    )
    expect(found).toBeGreaterThan(ofRuns(50))
  }, 90_000)

  test('many at the beginning and one at the far end: all are found', async () => {
    const { far } = reader
    const names = Array.from({ length: far }, (_, i) => (i < 60 || i === far - 1 ? `Rarely ${i}` : null))
    const { accessToken, holding } = await households(names, reader, { crowd: 0 })
    expect(holding('rarely')).toHaveLength(61)
    for (const size of [50, 100]) {
      const pages = await walk(accessToken, 'rarely', size)
      expect(pages.flat()).toEqual(holding('rarely'))
    }
  })

  test('a name that many have is read on in the order of the ids, and one that few have is not', async () => {
    const many = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? `Common ${i}` : `Other ${i}`))
    const { accessToken, holding } = await households(many, reader)
    for (const pattern of ['common', 'r 2', 'e', '29']) {
      const pages = await walk(accessToken, pattern, 7)
      expect(pages.flat()).toEqual(holding(pattern))
      expect(pages.slice(0, -1).every((page) => page.length === 7)).toBe(true)
    }
  })
})

test('for a user who sees just the beginning of a large firm, all of it is found', async () => {
  const names = Array.from({ length: 2300 }, (_, i) => (i < 60 ? `Rarely ${i}` : null))
  const reader = { sees: 'granted', hiddenBefore: 0 } as const
  const { accessToken, holding } = await households(names, reader, { crowd: 0, hiddenAfter: 50_300 })
  expect(holding('rarely')).toHaveLength(60)
  expect((await walk(accessToken, 'rarely', 100)).flat()).toEqual(holding('rarely'))
})
