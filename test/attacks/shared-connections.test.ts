import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DatabaseUnavailable, statement } from '../../src/database/database.ts'
import Type from '../../src/typebox.ts'
import { query, type TestDatabase, testDatabase } from '../support/database.ts'

const Row = Type.Object({ answer: Type.Integer(), pid: Type.Integer() })
const divide = statement('divide', Row, 'SELECT 12 / $1::int AS answer, pg_backend_pid() AS pid')
const slow = statement('slow', Row, 'SELECT 1 AS answer, pg_backend_pid() AS pid FROM pg_sleep($1::int)')

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

test('statements that share a connection fail alone', async () => {
  const divisors = [1, 0, 2, 3, 0, 4]
  // The second round has the statement prepared.
  for (let round = 0; round < 2; round++) {
    const results = await Promise.allSettled(divisors.map((by) => db.database.listing.one(divide, [by])))
    const rows = results.map((result) => (result.status === 'fulfilled' ? result.value : undefined))
    expect(rows.map((row) => row?.answer)).toEqual([12, undefined, 6, 4, undefined, 3])
    expect(new Set(rows.flatMap((row) => row?.pid ?? [])).size).toBe(1)
  }
})

test('a connection that is lost fails its statements as unavailable, and the next statements work', async () => {
  const lost = Promise.allSettled(
    [30, 1, 2].map((value) => db.database.listing.one(value === 30 ? slow : divide, [value])),
  )
  const killed =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep($1%' AND state = 'active' AND pid <> pg_backend_pid()"
  for (let tries = 0; tries < 200 && (await query(db.database, killed)).length === 0; tries++) await sleep(20)
  for (const result of await lost) {
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailable) })
  }
  expect(await db.database.listing.one(divide, [3])).toMatchObject({ answer: 4 })
})

test('more statements than the connections can carry at once all get their answers', async () => {
  const divisors = Array.from({ length: 500 }, (_, n) => n + 1)
  const rows = await Promise.all(divisors.map((by) => db.database.listing.one(divide, [by])))
  expect(rows.map(({ answer }) => answer)).toEqual(divisors.map((by) => Math.trunc(12 / by)))
})
