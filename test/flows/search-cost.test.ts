import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchHouseholds } from '../../src/households/search-households.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { bearerOf } from '../support/bearer.ts'
import { query } from '../support/database.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { explained } from '../support/explain.ts'
import { type TestServer, testServer } from '../support/server.ts'

let server: TestServer
/** The user has access to every nth household. */
const everyNth = { few: 100, half: 2 }
const tokens: Record<string, string> = {}

beforeAll(async () => {
  server = await testServer()
  const granted = Object.keys(everyNth).map((id) => ({ id, firm: 'firm-1', sees: 'granted' as const }))
  await replaceDirectory(server.database, {
    users: [...granted, { id: 'all', firm: 'firm-1', sees: 'firm' }],
  })
  const sql = (text: string) => query(server.database, text)
  await sql(
    `INSERT INTO households (id, firm_id, name, name_folded)
     SELECT id, 'firm-1', name, name FROM (
       SELECT 'h' || lpad(n::text, 6, '0') AS id,
              CASE WHEN n = 15000 THEN 'unique' WHEN n % 20 = 1 THEN 'common' ELSE 'other' END || ' ' || n AS name
         FROM generate_series(1, 30000) n) AS named;
     INSERT INTO accounts (id, household_id, status) SELECT 'a' || id, id, 'active' FROM households`,
  )
  for (const [user, nth] of Object.entries(everyNth)) {
    await sql(`INSERT INTO account_access (user_id, account_id, household_id)
               SELECT '${user}', 'a' || id, id FROM households WHERE (right(id, 6)::int / 7) % ${nth} = 0`)
  }
  await sql('VACUUM ANALYZE')
  for (const id of [...Object.keys(everyNth), 'all']) tokens[id] = await accessTokenOf(server.database, id)
})
afterAll(() => server.close())

/** The statements that a search runs, and the number of database pages that each of them touches. */
const search = (user: string, text: string) =>
  explained(server.database, 'expensive', (queries) =>
    searchHouseholds(queries, {
      bearer: bearerOf(tokens[user] ?? ''),
      ...{ text, after: '', size: 100, before: 0n, place: undefined, firstAsOf: null },
    }),
  )

describe('a page of 100 among 30,000 households', () => {
  test.each([
    ['all', 'common', 'search_firm_in_order', 200],
    ['half', 'common', 'search_firm_in_order', 1500],
    ['few', 'common', 'search_own_in_order', 2500],
    ['all', 'unique', 'search_by_grams', 100],
    ['half', 'unique', 'search_by_grams', 100],
    ['few', 'unique', 'search_by_grams', 100],
    ['all', 'nowhere', 'search_by_grams', 100],
  ])('for a user who sees %s, a name with "%s" is read by %s', async (user, text, statement, pages) => {
    const [sample, read, ...more] = await search(user, text)
    expect([sample?.name, read?.name, more]).toEqual(['search_sample', statement, []])
    // This is the generic plan that the server keeps for all values, not a plan for these values.
    for (const plan of [sample?.plan, read?.plan]) {
      expect(plan).toContain('Index Cond: (access_locator_hash = ($1).locator_hash)')
    }
    expect(sample?.pages).toBeLessThan(100)
    expect(read?.pages).toBeLessThan(pages)
  })
})
