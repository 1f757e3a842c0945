import fc from 'fast-check'
import pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { migrate, migrateUpTo } from '../../src/database/migrate.ts'
import { query, testDatabase } from '../support/database.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { countedRanges, useSmallRanges } from '../support/listings.ts'
import { ofRuns } from '../support/property-runs.ts'

// The triggers of migration 0016 count whatever writes. Here single statements write, as an API for the directory would.

const db = await databaseFixture()
const size = 3
await useSmallRanges(db.database, size)

const households = Array.from({ length: 24 }, (_, n) => `h${String(n).padStart(2, '0')}`)
const users = ['u', 'v']
beforeEach(() =>
  replaceDirectory(db.database, {
    firms: ['f', 'g'],
    users: users.map((id) => ({ id, firm: 'f', sees: 'granted' })),
  }),
)

const household = fc.constantFrom(...households)
const firm = fc.constantFrom('f', 'f', 'f', 'g')
const account = fc.tuple(household, fc.constantFrom('a', 'b')).map(([id, n]) => `${n}-${id}`)
const several = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 5 })

/** One statement with its values. */
type Write = [text: string, values: unknown[]]
const write: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(several(household), firm).map(
      ([ids, firm]): Write => [
        `WITH new AS (INSERT INTO households (id, firm_id) SELECT DISTINCT id, $2 FROM unnest($1::text[]) id
             ON CONFLICT DO NOTHING RETURNING id)
         INSERT INTO accounts (id, household_id, status)
         SELECT n || '-' || id, id, 'active' FROM new, unnest('{a,b}'::text[]) n ON CONFLICT DO NOTHING`,
        [ids, firm],
      ],
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(several(account), fc.constantFrom(...users)).map(
      ([ids, user]): Write => [
        `INSERT INTO account_access (user_id, account_id, household_id)
         SELECT $2, id, household_id FROM accounts WHERE id = ANY ($1) ON CONFLICT DO NOTHING`,
        [ids, user],
      ],
    ),
  },
  {
    weight: 2,
    arbitrary: several(account).map(
      (ids): Write => ['DELETE FROM account_access WHERE account_id = ANY ($1)', [ids]],
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(several(household), firm).map(
      ([ids, firm]): Write => [
        `INSERT INTO households (id, firm_id) SELECT DISTINCT id, $2 FROM unnest($1::text[]) id
             ON CONFLICT (id) DO UPDATE SET firm_id = excluded.firm_id`,
        [ids, firm],
      ],
    ),
  },
  {
    weight: 1,
    arbitrary: several(household).map(
      (ids): Write => [
        `WITH access AS (DELETE FROM account_access WHERE household_id = ANY ($1)),
              account AS (DELETE FROM accounts WHERE household_id = ANY ($1))
         DELETE FROM households WHERE id = ANY ($1)`,
        [ids],
      ],
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(several(household), firm)
      .map(([ids, firm]): Write => ['UPDATE households SET firm_id = $2 WHERE id = ANY ($1)', [ids, firm]]),
  },
  {
    weight: 1,
    arbitrary: several(household).map(
      (ids): Write => ['UPDATE households SET name = name_folded WHERE id = ANY ($1)', [ids]],
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(account, household)
      .map(
        ([id, to]): Write => [
          'UPDATE accounts SET household_id = $2 WHERE id = $1 AND EXISTS (SELECT FROM households WHERE id = $2)',
          [id, to],
        ],
      ),
  },
)

async function expectExactCounts(): Promise<number> {
  const ranges = await countedRanges(db.database)
  for (const { households, counted } of ranges) {
    expect(households, JSON.stringify(ranges)).toBe(counted)
    expect(households).toBeGreaterThan(0)
    expect(households).toBeLessThanOrEqual(2 * size)
  }
  return ranges.length
}

test('for any statements, each range has its true count, none is empty and none too large', async () => {
  let most = 0
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 10, maxLength: 40 }), async (writes) => {
      await replaceDirectory(db.database, {
        firms: ['f', 'g'],
        users: users.map((id) => ({ id, firm: 'f', sees: 'granted' })),
      })
      for (const [text, values] of writes) {
        await query(db.database, text, values)
        most = Math.max(most, await expectExactCounts())
      }
    }),
    { numRuns: ofRuns(60) },
  )
  expect(most).toBeGreaterThan(4)
}, 60_000)

test('writers in parallel, each in transactions of several statements, leave true counts', async () => {
  const writes = fc.sample(write, 400)
  const writer = async (from: number) => {
    const client = new pg.Client({ connectionString: db.url, options: '-c deadlock_timeout=20ms' })
    await client.connect()
    try {
      for (let n = from; n < writes.length; n += 8) {
        await client.query('BEGIN')
        try {
          for (const [text, values] of writes.slice(n, n + 2)) await client.query(text, values)
          await client.query(n % 3 === 0 ? 'ROLLBACK' : 'COMMIT')
        } catch (error) {
          await client.query('ROLLBACK')
          // A deadlock, a row that another transaction removed, or one that it added.
          if (!(error instanceof pg.DatabaseError && /^(40P01|23503|23505)$/.test(error.code ?? '')))
            throw error
          failures.push(error.code ?? '')
        }
      }
    } finally {
      await client.end()
    }
  }
  const failures: string[] = []
  // Waits for all writers, also when one of them fails, so that none still writes during the next test.
  const writers = await Promise.allSettled([0, 2, 4, 6].map(writer))
  expect(writers.filter(({ status }) => status === 'rejected')).toEqual([])
  expect(failures.length).toBeLessThan(150)
  expect(await expectExactCounts()).toBeGreaterThan(2)
}, 60_000)

const insert = (ids: string[]): Write => [
  `INSERT INTO households (id, firm_id) SELECT id, 'f' FROM unnest($1::text[]) id`,
  [ids],
]

test.each<[what: string, before: string[], first: Write[], second: Write]>([
  ['removes the last range', ['h10'], [[`DELETE FROM households WHERE id = 'h10'`, []]], insert(['h11'])],
  [
    'divides the range',
    ['h10', 'h11', 'h12'],
    [insert(['h13', 'h14', 'h15']), insert(['h16', 'h17'])],
    insert(['h18']),
  ],
])(
  'a writer that waits for a range while another one %s counts in the right one',
  async (_, before, first, second) => {
    await query(db.database, ...insert(before))
    await db.database.withConnection(async (other) => {
      await other.query('BEGIN')
      for (const [text, values] of first) await other.query(text, values)
      const waiting = query(db.database, ...second)
      await expect.poll(() => query(db.database, waitingForRow), { timeout: 10_000 }).toHaveLength(1)
      await other.query('COMMIT')
      await waiting
    })
    await expectExactCounts()
  },
)

const waitingForRow = `
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

test('a statement that changes many rows counts their listings anew, and TRUNCATE leaves none', async () => {
  await query(
    db.database,
    `INSERT INTO households (id, firm_id) SELECT 'h' || n, 'f' FROM generate_series(100, 199) n`,
  )
  expect(await countedRanges(db.database)).toHaveLength(Math.ceil(100 / size))
  await expectExactCounts()
  await query(db.database, 'TRUNCATE households CASCADE')
  expect(await countedRanges(db.database)).toEqual([])
})

const times = (count: number, text: string) => Array.from({ length: count }, () => text)

test('the migration counts the households that are already there', async () => {
  const older = await testDatabase()
  try {
    await query(older.database, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    await migrateUpTo(older.database, '0014~')
    await query(
      older.database,
      `INSERT INTO firms SELECT id, id FROM unnest('{f,g}'::text[]) id;
       INSERT INTO roles VALUES ('advisor', 'granted');
       INSERT INTO users (id, firm_id, email, email_folded, name, role, status) VALUES ('u', 'f', 'u@x', 'u@x', 'U', 'advisor', 'active');
       INSERT INTO households (id, firm_id) SELECT 'h' || n, CASE WHEN n % 5 = 0 THEN 'g' ELSE 'f' END FROM generate_series(1, 5000) n;
       INSERT INTO accounts (id, household_id, status) SELECT 'a' || id, id, 'active' FROM households;
       INSERT INTO account_access (user_id, account_id, household_id) SELECT 'u', 'a' || id, id FROM households`,
    )
    await migrate(older.database)
    const ranges = await countedRanges(older.database)
    for (const { households, counted } of ranges) expect(households).toBe(counted)
    const listings = ranges.map(({ firm_id, user_id }) => `${firm_id}:${user_id}`)
    expect(listings).toEqual([...times(4, 'f:'), ...times(4, 'f:u'), 'g:', 'g:u'])
  } finally {
    await older.drop()
  }
})
