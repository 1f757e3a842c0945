import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { api } from '../support/journey.ts'
import { type TestServer, testServer } from '../support/server.ts'
import type { TestServerOptions } from '../support/server-config.ts'

const dates = (deprecated?: string, sunset?: string) =>
  readConfig({
    LATCHKEY_SECRET: 'a secret of 32 bytes or more, truly',
    ...(deprecated !== undefined && { LATCHKEY_V1_DEPRECATED_ON: deprecated }),
    ...(sunset !== undefined && { LATCHKEY_V1_SUNSET_ON: sunset }),
  }).v1

function faults(...given: Parameters<typeof dates>): string[] {
  try {
    dates(...given)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('the dates', () => {
  test('are a day in UTC, an instant, or absent', () => {
    expect(dates()).toBeUndefined()
    expect(dates('', '')).toBeUndefined()
    expect(dates('2027-01-31')).toEqual({ deprecatedOn: new Date('2027-01-31T00:00:00Z') })
    expect(dates('2027-01-31T12:00:00+02:00', '2027-01-31T10:00:00Z')).toEqual({
      deprecatedOn: new Date('2027-01-31T10:00:00Z'),
      sunsetOn: new Date('2027-01-31T10:00:00Z'),
    })
  })

  test.each([
    '2027-02-30',
    '31.1.2027',
    '2027-1-31',
    '2027-01-31T12:00',
    '2027-01-31 12:00:00Z',
    '1800000000',
    'soon',
  ])('are refused if they are %s', (text) => {
    expect(faults(text)).toEqual([expect.stringMatching(/^LATCHKEY_V1_DEPRECATED_ON: must be a date/)])
    expect(faults('2020-01-01', text)).toEqual([
      expect.stringMatching(/^LATCHKEY_V1_SUNSET_ON: must be a date/),
    ])
  })

  test('a sunset before the deprecation or without one is refused, together with all other faults', () => {
    const early = 'LATCHKEY_V1_SUNSET_ON: must not be before LATCHKEY_V1_DEPRECATED_ON'
    const alone = 'LATCHKEY_V1_SUNSET_ON: needs LATCHKEY_V1_DEPRECATED_ON as well'
    expect(faults('2027-01-31', '2027-01-30T23:59:59Z')).toEqual([early])
    expect(faults(undefined, '2027-01-30')).toEqual([alone])
    expect(faults('soon', 'later')).toHaveLength(2)
    const also = { LATCHKEY_V1_SUNSET_ON: '2027-01-30', LATCHKEY_PORT: 'x', LATCHKEY_SECRET: 'short' }
    expect(() => readConfig(also)).toThrow(/3 faults/)
  })
})

describe('v1', () => {
  let db: TestDatabase
  let accessToken: string
  const servers: TestServer[] = []
  const serverWith = async (v1?: TestServerOptions['v1']) => {
    const server = await testServer({ on: db, ...(v1 && { v1 }) })
    servers.push(server)
    return server
  }

  beforeAll(async () => {
    db = await testDatabase()
    const accounts = [{ id: 'a1', household: 'h1' }]
    await seed(db.database, { users: [{ id: 'ada' }], households: [{ id: 'h1' }], accounts })
    accessToken = await accessTokenOf(db.database, 'ada')
  })
  afterAll(async () => {
    for (const server of servers) await server.close()
    await db?.drop()
  })

  async function deprecationHeaders(
    server: TestServer,
    path: string,
    token: string,
    more: Record<string, string> = {},
  ) {
    const { status, headers } = await api(server, path, token, more)
    return [status, headers.get('deprecation'), headers.get('sunset')]
  }

  test('sends both headers in every answer of the listing, and none with the accounts', async () => {
    const server = await serverWith(dates('2026-12-01', '2027-06-01T12:30:00Z'))
    const both = ['@1796083200', 'Tue, 01 Jun 2027 12:30:00 GMT']
    expect(await deprecationHeaders(server, 'households', accessToken)).toEqual([200, ...both])
    expect(await deprecationHeaders(server, 'households?name_pattern=h', accessToken)).toEqual([200, ...both])
    expect(await deprecationHeaders(server, 'households', accessToken, { 'if-none-match': '*' })).toEqual([
      304,
      ...both,
    ])
    expect(await deprecationHeaders(server, 'households', 'nonsense')).toEqual([401, ...both])
    expect(await deprecationHeaders(server, 'households?page=x', accessToken)).toEqual([400, ...both])
    expect(await deprecationHeaders(server, 'households/h1/accounts', accessToken)).toEqual([200, null, null])
    const root = await fetch(`${server.authUrl}/api/v1/households`)
    expect(root.headers.get('deprecation')).toBe(both[0])
  })

  test('ends on the sunset: 410 with or without a token, and the accounts go on', async () => {
    const server = await serverWith(dates('2026-01-01', new Date(Date.now() + 1000 * 3600).toISOString()))
    expect((await api(server, 'households', accessToken)).status).toBe(200)
    server.advanceClock(1001 * 3600)
    const gone = await api(server, 'households?page=x', 'nonsense')
    expect(gone).toMatchObject({ status: 410, body: { code: 'gone' } })
    expect(gone.headers.get('link')).toBe(`<${server.baseUrl}api/v2/households>; rel="successor-version"`)
    expect(gone.headers.get('sunset')).toMatch(/ GMT$/)
    expect((await fetch(`${server.authUrl}/api/v1/households`)).status).toBe(410)
    expect((await api(server, 'households/h1/accounts')).status).toBe(401)
  })

  test('sends only the headers that the operator configured', async () => {
    const deprecated = await serverWith(dates('1970-01-02T00:00:01.9Z'))
    expect(await deprecationHeaders(deprecated, 'households', accessToken)).toEqual([200, '@86401', null])
    expect(await deprecationHeaders(await serverWith(), 'households', accessToken)).toEqual([200, null, null])
  })
})
