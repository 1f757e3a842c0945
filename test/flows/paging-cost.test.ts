import { beforeAll, describe, expect, test } from 'vitest'
import { newHints, readHouseholds } from '../../src/households/list-page.ts'
import { pageOf } from '../../src/households/page.ts'
import { expensiveReadLimiter } from '../../src/process/limiters.ts'
import type { ExpensiveRead } from '../../src/resource/expensive-read.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { bearerOf } from '../support/bearer.ts'
import { query } from '../support/database.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { type Explained, explained } from '../support/explain.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { testKeys } from '../support/server.ts'

const db = await databaseFixture()
const households = 30_000
const size = 5
/** The user has access to every nth household. */
const everyNth = { few: 100, half: 2 }
const tokens: Record<string, string> = {}

beforeAll(async () => {
  const granted = Object.keys(everyNth).map((id) => ({ id, firm: 'firm-1', sees: 'granted' as const }))
  await replaceDirectory(db.database, {
    users: [...granted, { id: 'all', firm: 'firm-1', sees: 'firm' }],
  })
  const sql = (text: string) => query(db.database, text)
  await sql(
    `INSERT INTO households (id, firm_id, name, name_folded)
     SELECT 'h' || lpad(n::text, 6, '0'), 'firm-1', name, name
       FROM generate_series(1, ${households}) n, LATERAL (SELECT 'name ' || n % 20 AS name) AS named;
     INSERT INTO accounts (id, household_id, status) SELECT 'a' || id, id, 'active' FROM households`,
  )
  for (const [user, nth] of Object.entries(everyNth)) {
    await sql(`INSERT INTO account_access (user_id, account_id, household_id)
               SELECT '${user}', 'a' || id, id FROM households WHERE right(id, 6)::int % ${nth} = 0`)
  }
  await sql('VACUUM ANALYZE')
  for (const id of [...Object.keys(everyNth), 'all']) tokens[id] = await accessTokenOf(db.database, id)
})

/** A server process that reads pages, and the statements that each of them runs. */
function server(user: string, text?: string) {
  const hints = newHints()
  const limiter = expensiveReadLimiter()
  const bearer = bearerOf(tokens[user] ?? '')
  const listing = { address: '', filters: text === undefined ? {} : { name_pattern: text } }
  return async (number: number): Promise<{ plans: Explained[]; pages: number; count: number }> => {
    const page = pageOf({ page: number, page_size: size }, listing, testKeys('sandbox'))
    let count = Number.NaN
    const plans = await explained(db.database, 'listing', async (queries) => {
      const expensive: ExpensiveRead = async (read) =>
        limiter.admit(bearer.connectionKey, () => read(queries))
      const row = await readHouseholds({ listing: queries, expensive }, hints, { page, text, bearer })
      if ('count' in row) count = row.count
    })
    return { plans, pages: plans.reduce((sum, { pages }) => sum + pages, 0), count }
  }
}

/** Pages of the database. Indexes are two levels deep or three, so a look-up may touch one more. */
const tolerance = 12

describe(`a page of ${size} among ${households} households`, () => {
  const readers = [
    ['all', 5000, 'list_firm_households'],
    ['half', 2500, 'list_granted_households'],
    ['few', 50, 'list_granted_households'],
  ] as const

  test.each(readers)(
    'for a user who sees %s: page %i in sequence touches as much as page 0',
    async (user, deep, ofRole) => {
      const read = server(user)
      const first = await read(0)
      await read(deep - 1)
      const next = await read(deep)
      expect([first.count, next.count]).toEqual([size, size])
      expect(next.plans.map(({ name }) => name)).toEqual([ofRole])
      // This is the generic plan that the server keeps for all values, not a plan for these values.
      expect(next.plans[0]?.plan).toContain('($1).locator_hash')
      expect(next.pages).toBeLessThanOrEqual(first.pages + tolerance)
    },
  )

  test.each(readers)(
    'for a user who sees %s: page %i out of the blue reads the counts and one range',
    async (user, deep) => {
      const first = await server(user)(0)
      const { plans, pages, count } = await server(user)(deep)
      expect(count).toBe(size)
      expect(plans).toHaveLength(1)
      // 30 ranges, and up to 2,000 entries of an index: about 30 pages of households, or 20 of access rows.
      expect(pages).toBeLessThanOrEqual(first.pages + 60)
      expect(plans[0]?.plan).toContain('listing_ranges_pkey')
      expect(plans[0]?.plan).not.toMatch(/Seq Scan|Sort Method: external/)
    },
  )

  test.each(readers)(
    'for a user who sees %s, a search: pages in sequence touch as much as the first',
    async (user) => {
      const read = server(user, user === 'few' ? 'name' : 'name 1')
      const first = await read(0)
      const deep = user === 'few' ? 50 : 500
      await read(deep - 1)
      const next = await read(deep)
      expect([first.count, next.count]).toEqual([size, size])
      expect(next.plans.map(({ name }) => name)).toEqual(first.plans.map(({ name }) => name))
      expect(next.pages).toBeLessThanOrEqual(1.5 * first.pages + tolerance)
    },
  )

  test.each([
    ['all', 'list_firm_households'],
    ['half', 'list_granted_households'],
    ['few', 'list_granted_households'],
  ])(
    "the second page of a user who sees %s is read by a plan for the user's role alone",
    async (user, second) => {
      const read = server(user)
      const [first, next] = [await read(0), await read(0)]
      expect([...first.plans, ...next.plans].map(({ name }) => name)).toEqual(['list_households', second])
      expect(next.count).toBe(size)
      expect(next.plans[0]?.plan.includes('account_access')).toBe(user !== 'all')
      expect(next.plans[0]?.plan).toContain('Index Only Scan using households_listed')
      expect(next.pages).toBeLessThanOrEqual(first.pages)
    },
  )

  test('a page behind the end costs no more than the counts, and the one after it as much as an empty page', async () => {
    const read = server('half')
    const beyond = await read(5000)
    expect(beyond.count).toBe(0)
    expect((await read(5001)).pages).toBeLessThanOrEqual(beyond.pages)
  })
})
