import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { Usage } from '../../src/process/usage.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { interruptibleDatabase } from '../support/interruptible-database.ts'
import { api } from '../support/journey.ts'
import { type TestServer, testServer } from '../support/server.ts'
import { readsOf } from '../support/usage.ts'

const db = await databaseFixture(interruptibleDatabase)
const server = await serverFixture({ on: db })
await server.context.usage.stop() // from now on it writes only when the test calls write()
await seed(db.direct, {
  users: ['ada', 'bob', 'cleo', 'dan', 'eve'],
  households: ['h1', 'h2', 'h3'],
})

async function call(on: TestServer, accessToken: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) expect((await api(on, 'households', accessToken)).status).toBe(200)
}

describe('39: counting reads while the database is unavailable', () => {
  test('counts that cannot be written are kept, and written once when the database is back', async () => {
    const accessToken = await accessTokenOf(db.direct, 'ada')
    await server.context.usage.write()
    await call(server, accessToken, 4)
    await db.cut()
    await server.context.usage.write()
    await server.context.usage.write()
    expect(server.logs()).toContain('not_written')
    expect(await readsOf(db.direct, 'ada')).toEqual({ requests: 0, households: 0, accounts: 0 })
    await db.heal()
    await expect.poll(async () => (await api(server, 'households', accessToken)).status).toBe(200)
    await expect
      .poll(async () => {
        await server.context.usage.write()
        return readsOf(db.direct, 'ada')
      })
      .toEqual({ requests: 5, households: 15, accounts: 0 })
    await server.context.usage.write()
    expect(await readsOf(db.direct, 'ada')).toEqual({ requests: 5, households: 15, accounts: 0 })
  })

  test('a grant that was deleted meanwhile does not lose the other counts', async () => {
    const [gone, kept] = [await accessTokenOf(db.direct, 'bob'), await accessTokenOf(db.direct, 'cleo')]
    await call(server, gone, 2)
    await call(server, kept, 2)
    await query(db.direct, `DELETE FROM grants WHERE user_id = 'bob'`)
    await server.context.usage.write()
    expect(await readsOf(db.direct, 'cleo')).toEqual({ requests: 2, households: 6, accounts: 0 })
  })

  test('memory is bounded: beyond 10,000 grants, uncounted reads are logged', async () => {
    await server.context.usage.write()
    for (let id = 1; id <= 10_003; id++) {
      server.context.usage.read(String(id + 1_000_000), new Date(), { households: 1, accounts: 0 })
    }
    await server.context.usage.write()
    expect(server.logs()).toMatch(/"event":"usage","outcome":"uncounted","uses":3\b/)
  })
})

test('40: four servers that write the counts of the same 500 grants at once do not deadlock', async () => {
  await accessTokenOf(db.direct, 'eve')
  const grants = await query<{ id: string }>(
    db.direct,
    `INSERT INTO grants (user_id, client_id, subject, revoked_at)
     SELECT user_id, client_id, subject, now() FROM grants, generate_series(1, 500) WHERE user_id = 'eve' RETURNING id`,
  )
  const lines: string[] = []
  const logger = pino({}, { write: (line) => lines.push(line) })
  const usages = Array.from({ length: 4 }, () => new Usage(db.direct, logger))
  for (let round = 0; round < 10; round++) {
    for (const usage of usages) {
      const shuffled = grants.toSorted(() => Math.random() - 0.5)
      for (const { id } of shuffled) usage.read(id, new Date(), { households: 2, accounts: 1 })
    }
    await Promise.all(usages.map((usage) => usage.write()))
  }
  await Promise.all(usages.map((usage) => usage.stop()))
  expect(lines).toEqual([])
  const requests = 500 * 4 * 10
  expect(await readsOf(db.direct, 'eve')).toEqual({ requests, households: 2 * requests, accounts: requests })
})

test('43: a server that stops writes its counts', async () => {
  const stopping = await testServer({ on: { ...db, database: db.direct } })
  const accessToken = await accessTokenOf(db.direct, 'dan')
  await call(stopping, accessToken, 7)
  await stopping.close()
  expect(await readsOf(db.direct, 'dan')).toEqual({ requests: 7, households: 21, accounts: 0 })
})
