import { describe, expect, test, vi } from 'vitest'
import { listRequests, type RequestFilter } from '../../src/request-log/requests.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorizeUrl, refresh, token } from '../support/journey.ts'
import { purge } from '../support/purge.ts'

const server = await serverFixture({ users: ['ada', 'bob', 'cleo'], households: ['h1', 'h2'] })
const { database } = server
const { requestLog } = server.context
await requestLog?.stop() // from here on, calls are written only when a test calls write()
const partner = await server.partner({ name: 'Ledger' })
const { clientId } = partner

async function requests(filter: RequestFilter, page = { after: null as string | null, limit: 100 }) {
  await requestLog?.write()
  const outcome = await listRequests(database, server.baseUrl, filter, page)
  if (outcome.kind === 'refused') throw new Error(outcome.reason)
  return outcome.requests
}

async function call(path: string, requestId: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(`${server.baseUrl}${path}`, {
    headers: { 'x-api-request-id': requestId, ...headers },
  })
  return answer.status
}

const bearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` })

describe('a call is explained by its request id', () => {
  test('an answered one', async () => {
    const { accessToken } = await tokensFor(server, partner, 'ada')
    expect(await call('api/v1/households?page_size=1', 'page-1', bearer(accessToken))).toBe(200)
    await expect
      .poll(() => requests({ requestId: 'page-1' }))
      .toMatchObject([
        {
          method: 'GET',
          route: '/service-open-api/api/v1/households',
          status: 200,
          code: '',
          client_id: clientId,
          partner_name: 'Ledger',
          user_id: 'ada',
          authenticated: true,
          detail: null,
          error_page: null,
          explanation: expect.stringMatching(
            /^Ledger \(test_\w+\) called for the user ada \(grant \d+\)\. It sent GET to \/service-open-api\/api\/v1\/households, and got 200 after [\d.]+ ms\. It was not refused\.$/,
          ),
        },
      ])
  })

  test('an expired token, an unknown household, a bad parameter', async () => {
    const expired = await accessTokenOf(database, 'bob', { clientId, expiresIn: -1 })
    expect(await call('api/v1/households', 'expired-1', bearer(expired))).toBe(401)
    await expect
      .poll(() => requests({ requestId: 'expired-1' }))
      .toMatchObject([
        {
          status: 401,
          code: 'invalid_token',
          outcome: 'expired',
          user_id: 'bob',
          error_page: expect.stringContaining('docs/errors/invalid_token#expired'),
          explanation: expect.stringContaining('What to do: '),
        },
      ])
    const live = await accessTokenOf(database, 'bob', { clientId })
    expect(await call('api/v1/households/nope/accounts', 'unknown-1', bearer(live))).toBe(404)
    expect(await call('api/v1/households?page=secret-value', 'bad-1', bearer(live))).toBe(400)
    await expect
      .poll(() => requests({ requestId: 'unknown-1' }))
      .toMatchObject([{ status: 404, code: 'not_found', user_id: 'bob' }])
    await expect
      .poll(() => requests({ requestId: 'bad-1' }))
      .toMatchObject([{ status: 400, code: 'invalid_parameter' }])
    expect(JSON.stringify(await requests({ requestId: 'bad-1' }))).not.toContain('secret-value')
  })

  test('a caller without a token, and an address that does not exist', async () => {
    expect(await call('api/v1/households', 'nobody-1')).toBe(401)
    expect(await call('api/v1/no-such', 'nowhere-1')).toBe(404)
    await expect
      .poll(() => requests({ requestId: 'nobody-1' }))
      .toMatchObject([
        {
          authenticated: false,
          client_id: null,
          explanation: expect.stringContaining('The caller is not known'),
        },
      ])
    await expect.poll(() => requests({ requestId: 'nowhere-1' })).toMatchObject([{ route: '', status: 404 }])
  })

  test('token requests: a refresh, an ended connection, a wrong secret', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'cleo')
    expect((await refresh(server, partner, refreshToken)).status).toBe(200)
    await query(database, `UPDATE grants SET revoked_at = now(), revoked_by = 'user' WHERE user_id = 'cleo'`)
    expect((await refresh(server, partner, refreshToken)).status).toBe(400)
    await expect
      .poll(() => requests({ userId: 'cleo' }))
      .toMatchObject([
        {
          status: 400,
          code: 'invalid_grant',
          outcome: 'ended_by_user',
          client_id: clientId,
          authenticated: true,
        },
        { status: 200, outcome: 'issued' },
        { status: 200, outcome: 'issued' },
      ])
    const wrong = { ...partner, clientSecret: (await server.partner()).clientSecret }
    expect(
      (await token(server, wrong, { grant_type: 'refresh_token', refresh_token: refreshToken })).status,
    ).toBe(401)
    const invalidClient = async () => (await requests({ clientId, status: '401' })).at(0)
    await expect.poll(invalidClient).toMatchObject({
      code: 'invalid_client',
      client_id: clientId,
      authenticated: false,
      explanation: expect.stringContaining('did not prove its identity'),
    })
  })

  test('a refusal at the authorize endpoint belongs to the partner, if it is registered', async () => {
    const headers = { 'x-api-request-id': 'authorize-1' }
    const to = (address: URL | string) => fetch(address, { headers, redirect: 'manual' })
    expect((await to(authorizeUrl(server, partner, { response_type: 'code', scope: 'email' }))).status).toBe(
      303,
    )
    expect(
      (await to(authorizeUrl(server, { ...partner, redirectUri: 'https://evil.example/' }))).status,
    ).toBe(400)
    expect((await to(authorizeUrl(server, { ...partner, clientId: 'test_unknown' }))).status).toBe(400)
    await expect
      .poll(() => requests({ requestId: 'authorize-1' }))
      .toMatchObject([
        {
          code: 'authorization_refused',
          outcome: 'unregistered-redirect-uri',
          client_id: clientId,
          authenticated: false,
        },
        { code: 'invalid_scope', client_id: clientId, authenticated: false },
      ])
  })
})

describe('calls are listed', () => {
  test('by partner, user, grant, status and time, page by page, newest first', async () => {
    const all = await requests({ clientId })
    expect(all.length).toBeGreaterThan(8)
    expect(all.map(({ place }) => place)).toEqual(
      all
        .map(({ place }) => place)
        .sort()
        .reverse(),
    )
    const paged = []
    for (let after: string | null = null; ; ) {
      const page = await requests({ clientId }, { after, limit: 3 })
      paged.push(...page)
      const last = page.at(-1)
      if (!last || page.length < 3) break
      after = last.place
    }
    expect(paged).toEqual(all)
    const refused = await requests({ clientId, status: 'refused' })
    expect(refused).toEqual(all.filter(({ status }) => status >= 400))
    await expect.poll(() => requests({ userId: 'bob', status: '4xx' })).toHaveLength(3)
    await expect.poll(() => requests({ clientId, since: new Date(Date.now() + 60_000) })).toEqual([])
    await expect.poll(() => requests({ clientId: 'test_other' })).toEqual([])
    expect(await listRequests(database, server.baseUrl, {}, { after: null, limit: 1 })).toMatchObject({
      kind: 'refused',
    })
  })

  test('a partition for each day is made ahead, and removed after the days that the operator set', async () => {
    await query(
      database,
      `CREATE TABLE request_log_20200101 PARTITION OF request_log FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')`,
    )
    await query(
      database,
      `INSERT INTO request_log (at, kind_id, ms, status, request_id) SELECT now() - interval '30 days', id, 1, 200, 'old' FROM request_kinds LIMIT 1`,
    )
    expect(await purge(database)).toMatchObject({ request_log_partitions: 1 })
    await expect.poll(() => requests({ requestId: 'old' })).toEqual([])
    const day = new Date(Date.now() + 24 * 3600 * 1000).toISOString().slice(0, 10).replaceAll('-', '')
    expect(await query(database, `SELECT to_regclass('request_log_${day}') IS NOT NULL AS made`)).toEqual([
      { made: true },
    ])
  })
})

describe('calls that cannot be written', () => {
  test('are kept for the next write', async () => {
    await query(database, 'ALTER TABLE request_log RENAME TO gone')
    expect(await call('api/v1/households', 'kept-1')).toBe(401)
    await vi.waitFor(async () => {
      await requestLog?.write()
      expect(server.logs()).toContain('"outcome":"not_written"')
    })
    await query(database, 'ALTER TABLE gone RENAME TO request_log')
    await expect.poll(() => requests({ requestId: 'kept-1' })).toHaveLength(1)
  })
})
