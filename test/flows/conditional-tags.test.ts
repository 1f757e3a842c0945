import fc from 'fast-check'
import { expect, test } from 'vitest'
import { etagOf } from '../../src/resource/conditional.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'

const tokens = new Map<string, string>()

const server = await serverFixture()
const ids = Array.from({ length: 12 }, (_, number) => ({ id: `h${number}` }))
const accounts = ids.map(({ id }) => ({ id: `a-${id}`, household: id }))
const users = [{ id: 'ada' }, { id: 'bob' }, { id: 'cleo', sees: 'granted' as const, access: ['a-h1'] }]
await seed(server.database, { users, households: ids, accounts })
for (const { id } of users) tokens.set(id, await accessTokenOf(server.database, id))

const call = fc.record({
  user: fc.constantFrom('ada', 'bob', 'cleo'),
  path: fc.constantFrom('households', 'households/h1/accounts', 'households/h2/accounts'),
  page: fc.integer({ min: 0, max: 3 }),
  size: fc.constantFrom(1, 2, 100),
  pattern: fc.constantFrom('', 'h', 'H', 'h1', '&page=1', '%'),
  /** In microseconds. */
  version: fc.constantFrom(0, 1, 1_000_000),
})
type Call = typeof call extends fc.Arbitrary<infer Given> ? Given : never

async function tagOf({ user, path, page, size, pattern, version }: Call): Promise<string | null> {
  await query(server.database, `UPDATE firms SET changed_at = 'epoch'::timestamptz + $1 * interval '1 us'`, [
    version,
  ])
  const params = new URLSearchParams({ page: String(page), page_size: String(size), name_pattern: pattern })
  const { status, headers } = await api(server, `${path}?${params}`, tokens.get(user))
  expect([200, 404]).toContain(status)
  return headers.get('etag')
}

/** Everything that the ETag depends on. The accounts ignore the pattern. */
const identityOf = ({ pattern, ...rest }: Call) =>
  JSON.stringify({ ...rest, pattern: rest.path === 'households' ? pattern : '' })

test('the same call always has the same ETag, and two different calls never share one', async () => {
  const tags = new Map<string, string | null>()
  const owners = new Map<string, string>()
  const check = fc.asyncProperty(call, async (given) => {
    const tag = await tagOf(given)
    const key = identityOf(given)
    if (tags.has(key)) expect(tag).toBe(tags.get(key))
    tags.set(key, tag)
    if (tag !== null) expect(owners.get(tag) ?? key).toBe(key)
    if (tag !== null) owners.set(tag, key)
  })
  await fc.assert(check, { numRuns: ofRuns(400) })
  expect(owners.size).toBeGreaterThan(ofRuns(100))
})

test('a page read by cursor and the same page read by number have different ETags', async () => {
  const first = await api(server, 'households?page_size=2', tokens.get('ada'))
  const next = /<([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const headers = { authorization: `Bearer ${tokens.get('ada')}` }
  const byCursor = await fetch(next, { headers })
  const byNumber = await api(server, 'households?page_size=2&page=1', tokens.get('ada'))
  expect(await byCursor.text()).toBe(byNumber.text)
  expect(byCursor.headers.get('etag')).not.toBe(byNumber.headers.get('etag'))
})

const text = fc.string({ unit: fc.constantFrom('a', '1', ' ', ':', '"', ',', '{') })
const tagInput = fc.record({
  visibilityVersion: text,
  address: text,
  filters: fc.dictionary(text, text, { maxKeys: 2 }),
  number: fc.nat(20),
  size: fc.integer({ min: 1, max: 20 }),
  after: text,
})

test('different inputs have different tags, even if characters only move from one part to the next', () => {
  const key = Buffer.alloc(32, 1)
  const tag = ({
    visibilityVersion,
    address,
    filters,
    ...place
  }: typeof tagInput extends fc.Arbitrary<infer T> ? T : never) =>
    etagOf(key, visibilityVersion, { listing: { address, filters }, ...place })
  const check = fc.property(tagInput, tagInput, (one, other) => {
    expect(tag(one) === tag(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
    expect(tag(one)).toBe(tag({ ...one }))
    const [first = '', ...rest] = one.address
    if (first)
      expect(
        tag({ ...one, visibilityVersion: one.visibilityVersion + first, address: rest.join('') }),
      ).not.toBe(tag(one))
  })
  fc.assert(check, { numRuns: ofRuns(500) })
})
