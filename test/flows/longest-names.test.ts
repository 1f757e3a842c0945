import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkHouseholdName } from '../../src/directory/values.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'

const server = await serverFixture()

/** The most expensive names of 500 characters: bytes that do not compress, escapes of six bytes, and mixtures of both. */
const emoji = fc.integer({ min: 0x1f300, max: 0x1f9ff }).map((code) => String.fromCodePoint(code))
const rare = fc.integer({ min: 0x20000, max: 0x2a6df }).map((code) => String.fromCodePoint(code))
const control = fc.integer({ min: 1, max: 31 }).map((code) => String.fromCharCode(code))
const quotes = fc.constantFrom('"', '\\')
const expanding = fc.constantFrom('\u0958', '\u{1d160}', '\u{1d163}', 'ß', 'ΐ', 'ﬃ') // longer when folded
const longest = fc.oneof(
  ...[
    expanding,
    emoji,
    rare,
    control,
    quotes,
    fc.oneof({ weight: 9, arbitrary: rare }, { weight: 5, arbitrary: control }),
    fc.oneof(rare, control, quotes),
    fc.constantFrom('\u0001', '\u0002'),
  ].map((char) => fc.array(char, { minLength: 500, maxLength: 500 }).map((chars) => chars.join(''))),
)

const fits = longest.filter((name) => checkHouseholdName(name) === null)

test('a name of 500 control characters is refused, and a name of 100 is accepted', () => {
  expect(checkHouseholdName('\u0001'.repeat(500))).toBe('contains too many control characters')
  expect(checkHouseholdName('\u0001'.repeat(100))).toBe(null)
})

test('a name of any 500 characters is stored, listed and found without loss', async () => {
  const firm = 'F'.repeat(64)
  await fc.assert(
    fc.asyncProperty(fits, async (name) => {
      const id = 'h'.repeat(64)
      await replaceDirectory(server.database, {
        firms: [firm],
        users: [{ id: 'ada', firm, sees: 'firm' }],
        households: [{ id, firm, name }],
      })
      const accessToken = await accessTokenOf(server.database, 'ada')
      expect((await api(server, 'households', accessToken)).body).toEqual([{ id, name }])
      const pattern = [...name].slice(-80).join('')
      const found = await api(
        server,
        `households?${new URLSearchParams({ name_pattern: pattern })}`,
        accessToken,
      )
      expect(found.body).toEqual([{ id, name }])
    }),
    { numRuns: 40, endOnFailure: true },
  )
})
