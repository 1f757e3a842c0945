import { describe, expect, test } from 'vitest'
import { readPage } from '../../src/households/v2/read-page.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { bearerOf } from '../support/bearer.ts'
import { query } from '../support/database.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { explained } from '../support/explain.ts'
import { serverFixture } from '../support/fixtures.ts'
import { page, type Resource, walk } from '../support/walks.ts'

const households = 30_000
/** The user has access to every nth household. */
const everyNth = { few: 1000, some: 10, many: 2 }
const users = Object.keys(everyNth)
const tokens: Record<string, string> = {}
const sql = (text: string) => query(server.database, text)

const server = await serverFixture()
const granted = users.map((id) => ({ id, firm: 'firm-1', sees: 'granted' as const }))
await replaceDirectory(server.database, {
  users: [...granted, { id: 'all', firm: 'firm-1', sees: 'firm' }],
})
await sql(
  `INSERT INTO households (id, firm_id) SELECT 'h' || lpad(n::text, 6, '0'), 'firm-1' FROM generate_series(1, ${households}) n;
   INSERT INTO accounts (id, household_id, status) SELECT 'a' || id, id, 'active' FROM households`,
)
for (const [user, nth] of Object.entries(everyNth)) {
  await sql(`INSERT INTO account_access (user_id, account_id, household_id)
             SELECT '${user}', 'a' || id, id FROM households WHERE right(id, 6)::int % ${nth} = 0`)
}
await sql(
  `UPDATE users SET sees_since = now() - interval '1 day'; UPDATE firms SET changed_at = now();
   INSERT INTO access_changes SELECT user_id, household_id, now() - interval '2 hours' FROM account_access;
   INSERT INTO account_access_changes SELECT user_id, account_id, now() - interval '2 hours' FROM account_access;
   INSERT INTO household_changes SELECT firm_id, id, now() - interval '1 hour' FROM households;
   INSERT INTO account_changes SELECT firm_id, id, now() - interval '1 hour' FROM accounts`,
)
await sql(
  `UPDATE household_changes SET changed_at = now() - interval '1 minute' WHERE right(household_id, 6)::int % 1000 = 0;
   UPDATE account_changes SET changed_at = now() - interval '1 minute' WHERE right(account_id, 6)::int % 300 = 0`,
)
await sql('VACUUM ANALYZE')
for (const id of [...users, 'all']) tokens[id] = await accessTokenOf(server.database, id)

/** The number of database pages that one page touches. `since` is SQL; without it, a page of all is read. */
async function touched(
  user: string,
  since: string | null,
  { resource = 'households', limit = 100 }: { resource?: Resource; limit?: number } = {},
): Promise<number> {
  const [row] = await query<{ at: string }>(server.database, `SELECT (${since ?? 'now()'})::text AS at`)
  const sync = { filters: { ...(since && { updated_since: row?.at ?? '' }) }, progress: null }
  const bearer = bearerOf(tokens[user] ?? '')
  const plans = await explained(server.database, 'listing', async (listing) =>
    readPage[resource]({ listing, expensive: (read) => read(listing), bearer, sync, limit }),
  )
  return plans.reduce((sum, { pages }) => sum + pages, 0)
}

describe('among 30,000 households', () => {
  const everything = `now() - interval '3 hours'`
  const little = `now() - interval '30 minutes'`

  test.each([
    ['all', households],
    ['few', 30],
    ['some', 3000],
    ['many', 15_000],
  ])('a sync for %s gives all changes', async (user, count) => {
    const [row] = await query<{ at: string }>(
      server.database,
      `SELECT to_char((${everything}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at`,
    )
    const { data, removed } = await walk(server, tokens[user] ?? '', {
      updated_since: row?.at ?? '',
      limit: 1000,
    })
    expect([new Set(data.map(({ id }) => id)).size, removed]).toEqual([count, []])
    expect(data.length).toBe(user === 'all' ? count : 2 * count)
  })

  test('for a user with access to few households, the cost of a page depends on these, not on the firm', async () => {
    expect(await touched('few', everything)).toBeLessThan(2000)
  })

  test('for a user who sees many or all households, the cost of a page depends on its length', async () => {
    expect(await touched('many', everything)).toBeLessThan(4000)
    expect(await touched('all', everything)).toBeLessThan(1000)
  })

  test.each([...users, 'all'])('a page for %s is cheap if little has changed', async (user) => {
    expect(await touched(user, little)).toBeLessThan(1000)
  })
})

describe('among 30,000 accounts', () => {
  const resource = 'accounts'

  test.each([
    ['all', 100],
    ['many', 100],
    ['some', 100],
    ['few', 10],
  ])(
    'a nightly sync for %s, after 100 have changed, is one call that reads only these',
    async (user, count) => {
      const [row] = await query<{ at: string }>(
        server.database,
        `SELECT to_char((now() - interval '30 minutes') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at`,
      )
      const params = { updated_since: row?.at ?? '', limit: 1000 }
      const { data, next_cursor, receipt } = await page(server, tokens[user] ?? '', params, resource)
      expect([data.length, next_cursor, receipt?.count]).toEqual([count, null, count])
      expect(await touched(user, `now() - interval '30 minutes'`, { resource, limit: 1000 })).toBeLessThan(
        2000,
      )
    },
  )

  test.each([
    ['all', 100],
    ['many', 700],
    ['some', 700],
    ['few', 300],
  ])('the first page for %s touches at most %i pages of the database', async (user, most) => {
    expect(await touched(user, null, { resource })).toBeLessThan(most)
  })

  test('a page of many changes depends on its length or on the accounts that the user has access to', async () => {
    const since = `now() - interval '3 hours'`
    expect(await touched('few', since, { resource })).toBeLessThan(2500)
    expect(await touched('many', since, { resource })).toBeLessThan(6000)
    expect(await touched('all', since, { resource })).toBeLessThan(1500)
  })
})
