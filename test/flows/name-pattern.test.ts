import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldCase } from '../../src/directory/case-folding.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'

const server = await serverFixture()

/** Stores households with these names. @returns `find`, which returns the names that a pattern finds */
async function households(names: (string | null)[]) {
  const numbered = names.map((name, index) => ({ id: String(index).padStart(6, '0'), firm: 'firm-1', name }))
  await replaceDirectory(server.database, {
    users: [{ id: 'ada', firm: 'firm-1', sees: 'firm' }],
    households: numbered,
  })
  const accessToken = await accessTokenOf(server.database, 'ada')
  return async function find(pattern: string): Promise<unknown[]> {
    const query = new URLSearchParams({ name_pattern: pattern, page_size: '1000' })
    const { status, body } = await api(server, `households?${query}`, accessToken)
    if (status !== 200 || !Array.isArray(body)) throw new Error(JSON.stringify(body))
    return body.map(({ name }) => name ?? null)
  }
}

/** Characters that are error-prone in case folding, LIKE and encodings. */
const tricky = fc.constantFrom(
  ...'aAbBsSiIkKeEß ẞİıſσςΣæÆéÉ가漢字😀👩%_\\\'"*.?[](){}^$|+-/&=#;,',
  '\u0301',
  '\u0307',
  '\u0345',
  '\u200d',
  '\ufe0f',
  'e\u0301',
  'i\u0307',
  'ﬁ',
  '\u212a',
  '\n',
  '--',
  '%%',
  '\\%',
)
const text = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: tricky },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 2 }) },
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''))

/** Ways to write a part of a name. Most patterns are such parts, because a pattern that finds nothing tests little. */
const spelling = fc.constantFrom<(piece: string) => string>(
  (piece) => piece,
  (piece) => piece.toUpperCase(),
  (piece) => piece.toLowerCase(),
  (piece) => piece.normalize('NFD'),
  (piece) => piece.normalize('NFC'),
)
const search = fc.array(fc.option(text, { freq: 8 }), { minLength: 1, maxLength: 12 }).chain((names) =>
  fc.record({
    names: fc.constant(names),
    patterns: fc.array(
      fc.oneof(
        text,
        fc
          .tuple(fc.constantFrom(...names), fc.nat(8), fc.integer({ min: 1, max: 4 }), spelling)
          .map(([name, from, length, write]) => write([...(name ?? '')].slice(from, from + length).join(''))),
      ),
      { minLength: 1, maxLength: 8 },
    ),
  }),
)

test('for any names and patterns, exactly the names are found that contain the pattern after case folding', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(search, async ({ names, patterns }) => {
      const find = await households(names)
      for (const pattern of patterns) {
        const expected = names.filter(
          (name) => pattern === '' || (name !== null && foldCase(name).includes(foldCase(pattern))),
        )
        expect(await find(pattern), JSON.stringify(pattern)).toEqual(expected)
        found += expected.length
      }
    }),
    { numRuns: ofRuns(120) },
  )
  expect(found).toBeGreaterThan(ofRuns(100))
})

describe('attack 31: name_pattern is plain text, not a pattern language', () => {
  const names = [
    '100 % Miller',
    'under_score',
    'back\\slash',
    'ends in \\',
    "O'Brien",
    'a.b*c',
    'plain',
    null,
  ]
  test.each([
    ['%', ['100 % Miller']],
    ['%%', []],
    ['_', ['under_score']],
    ['__', []],
    ['r_s', ['under_score']],
    ['p_ain', []],
    ['\\', ['back\\slash', 'ends in \\']],
    ['in \\', ['ends in \\']],
    ['\\\\', []],
    ['\\%', []],
    ['\\s', ['back\\slash']],
    ['.', ['a.b*c']],
    ['.*', []],
    ['^plain$', []],
    ['[a-z]', []],
    ['b*', ['a.b*c']],
    ["'", ["O'Brien"]],
    ["' OR 1=1", []],
    ["' OR '1'='1", []],
    ["%'; DROP TABLE households; --", []],
    ['$2', []],
    ['null', []],
  ])('%j is searched for literally', async (pattern, expected) => {
    const find = await households(names)
    expect(await find(pattern)).toEqual(expected)
  })

  test.each([
    ['STRASSE', 'straße'],
    ['straße', 'STRASSE'],
    ['ẞ', 'Fuß'],
    ['SS', 'Fuß'],
    ['s', 'Fuß'], // ß folds to ss, which contains s
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'ΟΔΟΣ'],
    ['İ', 'i\u0307stanbul'],
    ['é', 'CAFE\u0301'],
    ['E\u0301', 'Café'],
    ['Å', '\u212bngström'],
    ['FI', 'ﬁnance'],
    ['漢', '漢字'],
    ['👩', '👩\u200d👧'],
  ])('%s finds %s', async (pattern, name) => {
    const find = await households([name, 'another'])
    expect(await find(pattern)).toEqual([name])
  })

  test.each([
    ['i', 'ı'],
    ['I', 'ı'],
    ['ı', 'Istanbul'],
    ['e', 'é'],
    ['cafe', 'Café'],
    ['ö', 'oe'],
    ['字漢', '漢字'],
  ])('%s does not find %s', async (pattern, name) => {
    const find = await households([name])
    expect(await find(pattern)).toEqual([])
  })
})

test('an empty name_pattern counts as absent: households without a name are listed, and Link omits it', async () => {
  const find = await households(['one', null, ''])
  expect(await find('')).toEqual(['one', null, ''])
  const accessToken = await accessTokenOf(server.database, 'ada')
  const { headers } = await api(server, 'households?name_pattern=&page_size=1', accessToken)
  expect(headers.get('link')).toMatch(/\?page=1&page_size=1&cursor=[\w.-]+>; rel="next", /)
})

describe('at most 256 characters are allowed, regardless of the bytes of each', () => {
  test.each(['a', 'é', '漢', '😀', '\u0301'])('%j', async (char) => {
    const find = await households([char.repeat(256), char.repeat(255)])
    expect(await find(char.repeat(256))).toEqual([char.repeat(256)])
    const accessToken = await accessTokenOf(server.database, 'ada')
    const tooLong = await api(
      server,
      `households?name_pattern=${encodeURIComponent(char.repeat(257))}`,
      accessToken,
    )
    expect(tooLong.status).toBe(400)
    expect(tooLong.body).toMatchObject({
      code: 'invalid_parameter',
      errors: [{ parameter: 'name_pattern', detail: expect.stringContaining('256') }],
    })
  })
})
