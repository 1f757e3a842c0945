import Type from 'typebox'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { statement } from '../../src/database/database.ts'
import { createOpsServer } from '../../src/ops-server.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { interruptibleDatabase } from '../support/interruptible-database.ts'

const database = await databaseFixture(interruptibleDatabase)
const server = await serverFixture({ on: database })
const operations = createOpsServer({ database: database.database, metrics: server.context.metrics })
const opsUrl = await operations.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => operations.close())

async function get(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url)
  return { status: response.status, body: await response.json() }
}

describe('the operations listener', () => {
  test('reports that the server is live and ready', async () => {
    expect(await get(`${opsUrl}/livez`)).toEqual({ status: 200, body: { status: 'live' } })
    expect(await get(`${opsUrl}/readyz`)).toEqual({ status: 200, body: { status: 'ready' } })
  })

  /** Waits until the result of an earlier successful check has expired. */
  const unavailable = (reason: unknown) =>
    vi.waitFor(
      async () =>
        expect(await get(`${opsUrl}/readyz`)).toEqual({
          status: 503,
          body: { status: 'unavailable', reason },
        }),
      { timeout: 20_000, interval: 200 },
    )

  test('while the database is unavailable the server is live but not ready; afterwards it is ready without a restart', async () => {
    await database.cut()
    await unavailable('The database does not answer.')
    expect((await get(`${opsUrl}/livez`)).status).toBe(200)
    await database.heal()
    expect((await get(`${opsUrl}/readyz`)).status).toBe(200)
  })

  test('while the database refuses writes the server is not ready; afterwards it is ready without a restart', async () => {
    const name = new URL(database.url).pathname.slice(1)
    await query(server.database, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await unavailable(expect.stringMatching(/^The database does not accept writes: .*read-only transaction/))
    expect((await get(`${opsUrl}/livez`)).status).toBe(200)
    await query(
      server.database,
      `BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`,
    )
    expect((await get(`${opsUrl}/readyz`)).status).toBe(200)
  })

  test('while another transaction locks the row that the check writes, the server is not ready, and the check does not wait', async () => {
    await server.database.withConnection(async (client) => {
      await client.query('BEGIN; LOCK TABLE readiness')
      await unavailable('The database does not answer.')
      for (let n = 0; n < 3; n++) expect((await get(`${opsUrl}/readyz`)).status).toBe(503)
      // PostgreSQL must end what waits for the lock: otherwise checks would use up its connections.
      const waiting = () =>
        query<{ count: number }>(
          server.database,
          `SELECT count(*)::int FROM pg_locks WHERE relation = 'readiness'::regclass AND NOT granted`,
        )
      await vi.waitFor(async () => expect(await waiting()).toEqual([{ count: 0 }]), { timeout: 10_000 })
      await client.query('COMMIT')
    })
    expect((await get(`${opsUrl}/readyz`)).status).toBe(200)
  })

  test('while no connection of the pool is free the server is ready, and many checks write once', async () => {
    const sleep = statement('sleep', Type.Object({ ok: Type.Integer() }), 'SELECT 1 AS ok FROM pg_sleep(4)')
    const busy = Array.from({ length: 40 }, () => database.database.run(sleep, []).catch(() => []))
    const writes = () => query<{ xmin: string }>(server.database, 'SELECT xmin::text FROM readiness')
    await new Promise((resolve) => setTimeout(resolve, 2100)) // an earlier check counts for two seconds
    expect((await get(`${opsUrl}/readyz`)).status).toBe(200)
    const first = await writes()
    for (let n = 0; n < 10; n++) expect((await get(`${opsUrl}/readyz`)).status).toBe(200)
    expect(await writes()).toEqual(first)
    await Promise.all(busy)
  })

  test.each(['/livez', '/readyz', '/metrics'])('%s is not on the public listener', async (path) => {
    for (const url of [server.authUrl, server.baseUrl.replace(/\/$/, '')]) {
      expect((await fetch(url + path)).status).toBe(404)
    }
  })

  test.each(['/login', '/api/v1/households', '/service-open-api/api/v1/households'])(
    '%s is not on the operations listener',
    async (path) => {
      expect((await fetch(opsUrl + path)).status).toBe(404)
    },
  )
})
