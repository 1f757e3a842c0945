import { beforeEach, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { accountsHeader, base, emptyDirectory, startedUntil, taken, usersHeader } from '../support/import.ts'

const db = await databaseFixture()
beforeEach(() => emptyDirectory(db.database))

function logs() {
  return query(
    db.database,
    `SELECT firm_id AS of, household_id FROM household_changes UNION ALL
     SELECT user_id, household_id FROM access_changes ORDER BY 1, 2`,
  )
}

async function instants(): Promise<number[]> {
  const rows = await query<{ changed_at: Date }>(db.database, 'SELECT changed_at FROM firms ORDER BY id')
  return rows.map(({ changed_at }) => changed_at.getTime())
}

test('everything that an import records has the same instant, in whole milliseconds', async () => {
  await taken(db.database, base)
  await taken(db.database, {
    ...base,
    'households.csv': 'id,firm_id,name\nh1,f2,Straße\nh2,f1,Named\nh3,f2,"Baker, ""Butcher"""\n',
    'users.csv': `${usersHeader}u1,f2,ann@example.com,Ann,principal,active,\nu2,f2,bob@example.com,Bob,advisor,active,\n`,
    'account_access.csv': 'user_id,account_id\nu2,a1\n',
  })
  expect(
    await query(
      db.database,
      `SELECT count(*)::integer, changed_at = date_trunc('milliseconds', changed_at) AS whole
         FROM (SELECT changed_at FROM firms UNION ALL SELECT changed_at FROM household_changes
               UNION ALL SELECT changed_at FROM access_changes
               UNION ALL SELECT sees_since FROM users WHERE id = 'u1') AS recorded
        GROUP BY changed_at`,
    ),
  ).toEqual([{ count: 7, whole: true }])
  expect(await logs()).toEqual([
    { of: 'f1', household_id: 'h1' },
    { of: 'f1', household_id: 'h2' },
    { of: 'f2', household_id: 'h1' },
    { of: 'u2', household_id: 'h1' },
  ])
})

test('an import without changes records nothing, and a change in one firm records nothing for the other firm', async () => {
  await taken(db.database, base)
  const before = await instants()
  await taken(db.database, base)
  expect(await instants()).toEqual(before)
  await taken(db.database, { 'accounts.csv': `${accountsHeader}a2,h3,,,,,,active,\n` })
  const [first = 0, second = 0] = await instants()
  expect(first).toBe(before[0])
  expect(second).toBeGreaterThan(before[1] ?? 0)
  expect(await logs()).toEqual([])
})

test('when an account moves to another household, both households are logged for the user with access to it', async () => {
  const files = { ...base, 'households.csv': `${base['households.csv']}h4,f2,Empty\n` }
  await taken(db.database, files)
  await taken(db.database, { 'accounts.csv': `${accountsHeader}a2,h4,,,,,,closed,\n` })
  expect(await logs()).toEqual([
    { of: 'u2', household_id: 'h3' },
    { of: 'u2', household_id: 'h4' },
  ])
})

test('access to another account of a household that the user already sees is not logged', async () => {
  await taken(db.database, base)
  await taken(db.database, {
    'accounts.csv': `${accountsHeader}a3,h3,,,,,,active,\n`,
    'account_access.csv': 'user_id,account_id\nu2,a3\n',
  })
  expect(await logs()).toEqual([])
})

test('an instant is later than all earlier ones, even if the clock went back', async () => {
  await taken(db.database, base)
  await query(db.database, `UPDATE firms SET changed_at = '2100-01-01T00:00:00.123456Z' WHERE id = 'f1'`)
  await taken(db.database, { 'households.csv': 'id,firm_id,name\nh3,f2,Renamed\n' })
  expect((await instants())[1]).toBe(Date.parse('2100-01-01T00:00:00.124Z'))
})

test('an import that waited for another has the later instant', async () => {
  await taken(db.database, base)
  const { first, second } = await db.database.withConnection(async (holder) => {
    await holder.query(`BEGIN; LOCK TABLE firms IN SHARE ROW EXCLUSIVE MODE`)
    const waiting = await startedUntil(db.database, 'checking', {
      'households.csv': 'id,firm_id,name\nh1,f1,x\n',
    })
    await holder.query(
      `UPDATE firms SET changed_at = date_trunc('milliseconds', clock_timestamp()) WHERE id = 'f2'; COMMIT`,
    )
    await waiting.outcome
    const [second = 0, first = 0] = await instants()
    return { first, second }
  })
  expect(second).toBeGreaterThan(first)
})

// Does not check that pages are all-visible: other activity of PostgreSQL, such as ANALYZE, can keep VACUUM from marking them.
test('an import vacuums the table and empties the pending list of the search index', async () => {
  const vacuumed = async () => {
    const [row] = await query<{ times: number }>(
      db.database,
      `SELECT vacuum_count::integer AS times FROM pg_stat_user_tables WHERE relname = 'households'`,
    )
    return row?.times ?? 0
  }
  const before = await vacuumed()
  const rows = Array.from({ length: 2000 }, (_, n) => `h${n},f1,Name ${n}`).join('\n')
  await taken(db.database, { 'firms.csv': base['firms.csv'], 'households.csv': `id,firm_id,name\n${rows}\n` })
  expect(await vacuumed()).toBe(before + 1)
  expect(
    await query(
      db.database,
      `SELECT reltuples::integer AS rows, gin_clean_pending_list('households_by_grams')::integer AS pending
         FROM pg_class WHERE oid = 'households'::regclass`,
    ),
  ).toEqual([{ rows: 2000, pending: 0 }])
})
