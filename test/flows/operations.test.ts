import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { statement } from '../../src/database/database.ts'
import { createOpsServer } from '../../src/ops-server.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { interruptibleDatabase } from '../support/interruptible-database.ts'

const database = await databaseFixture(interruptibleDatabase)
const server = await serverFixture({ on: database })
const operations = createOpsServer(database.database)
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

type Parameter = { name: string; in: string; required?: boolean; schema: Record<string, unknown> }
type Operation = {
  operationId: string
  deprecated?: boolean
  security: unknown
  parameters: Parameter[]
  responses: Record<string, { content: Record<string, unknown>; headers?: Record<string, unknown> }>
}
type Description = {
  openapi: string
  servers: { url: string }[]
  components: { securitySchemes: Record<string, unknown> }
  paths: Record<string, Record<string, Operation>>
}

describe('openapi.json', () => {
  let description: Description
  beforeAll(async () => {
    const response = await fetch(`${server.baseUrl}openapi.json`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    description = JSON.parse(await response.text())
  })
  const operation = (path: string): Operation => {
    const found = description.paths[path]?.get
    if (!found) throw new Error(`${path} is not described`)
    return found
  }
  const limits = (path: string) =>
    Object.fromEntries(operation(path).parameters.map(({ name, schema }) => [name, schema]))

  test('describes each operation of the API once, and no pages or token endpoint', () => {
    expect(description.openapi).toMatch(/^3\.1\./)
    expect(description.servers.map(({ url }) => url)).toEqual([server.baseUrl.slice(0, -1)])
    expect(Object.entries(description.paths).map(([path, methods]) => [path, Object.keys(methods)])).toEqual([
      ['/api/v1/households', ['get']],
      ['/api/v1/households/{household_id}/accounts', ['get']],
      ['/api/v2/households', ['get']],
      ['/api/v2/accounts', ['get']],
      ['/api/v2/households/{household_id}', ['get']],
    ])
  })

  test('the server URL followed by a path is an address that answers', async () => {
    for (const path of Object.keys(description.paths)) {
      const address = `${description.servers[0]?.url.replace(/\/$/, '')}${path.replace('{household_id}', 'x')}`
      expect((await fetch(address)).status).toBe(401)
    }
  })

  test('the listing is deprecated and has the limits of the contract', () => {
    const path = '/api/v1/households'
    expect(operation(path)).toMatchObject({ operationId: 'listHouseholds', deprecated: true })
    expect(limits(path)).toEqual({
      page: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
      page_size: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
      cursor: { type: 'string', maxLength: 200 },
      name_pattern: { type: 'string', maxLength: 256 },
    })
    expect(operation(path).parameters.filter(({ required }) => required)).toEqual([])
  })

  test('the accounts are not deprecated, and need a household_id in the path', () => {
    const path = '/api/v1/households/{household_id}/accounts'
    expect(operation(path).deprecated).toBeUndefined()
    expect(operation(path).parameters.filter(({ required }) => required)).toMatchObject([
      { name: 'household_id', in: 'path' },
    ])
    expect(limits(path)).toMatchObject({ page: { minimum: 0 }, page_size: { maximum: 1000 } })
  })

  test('the version 2 listing is not deprecated and has its limits', () => {
    const path = '/api/v2/households'
    expect(operation(path).deprecated).toBeUndefined()
    expect(limits(path)).toEqual({
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
      cursor: { type: 'string' },
      name_contains: { type: 'string', maxLength: 256 },
      updated_since: { type: 'string' },
    })
    expect(operation(path).parameters.filter(({ required }) => required)).toEqual([])
    expect(Object.keys(operation(path).responses)).toEqual(['200', '304', '400', '401', '410', '429', '503'])
    expect(operation(`${path}/{household_id}`).parameters).toMatchObject([
      { name: 'household_id', in: 'path', required: true },
    ])
  })

  test('every operation needs the bearer token, and describes its errors as problem+json', () => {
    expect(description.components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
    })
    for (const path of Object.keys(description.paths)) {
      const { security, responses } = operation(path)
      expect(security).toEqual([{ bearer: [] }])
      expect(Object.keys(responses['200']?.content ?? {})).toEqual(['application/json'])
      for (const status of ['400', '401', '503']) {
        expect(Object.keys(responses[status]?.content ?? {})).toEqual(['application/problem+json'])
      }
    }
  })

  test('every operation describes its headers, and a 304 that has no body and no links', () => {
    const cached = ['Cache-Control', 'ETag', 'Vary']
    const dated = ['Deprecation', 'Sunset']
    for (const [path, more] of [
      ['/api/v1/households', dated],
      ['/api/v1/households/{household_id}/accounts', []],
    ] as const) {
      const { responses } = operation(path)
      expect(Object.keys(responses['200']?.headers ?? {}).sort()).toEqual([...cached, 'Link', ...more].sort())
      expect(Object.keys(responses['304']?.headers ?? {}).sort()).toEqual([...cached, ...more].sort())
      expect(responses['304']?.content).toBeUndefined()
    }
  })

  test('has no references, and every operationId is unique', () => {
    const text = JSON.stringify(description)
    expect(text).not.toContain('$ref')
    const names = Object.keys(description.paths).map((path) => operation(path).operationId)
    expect(new Set(names).size).toBe(names.length)
  })
})
