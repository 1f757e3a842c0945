import { expect, test, vi } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { developerCaller, newDeveloperKey } from '../support/developer-api.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, refresh, token } from '../support/journey.ts'
import { realWebp } from '../support/pictures.ts'

const secret = 'a secret for developers, 32 bytes or more'
const db = await databaseFixture()
const server = await serverFixture({
  on: db,
  secret,
  users: ['ada'],
  households: ['h1'],
  v1: { deprecatedOn: new Date('2026-01-01') },
  limits: { requests_per_minute: 600 },
})
const cli = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: secret })
const partner = await server.partner({ name: 'Ledger' })
const { clientId } = partner
const call = developerCaller(server, await newDeveloperKey(server, clientId))

test('a program rotates a secret without downtime, and ends the old one', async () => {
  const { refreshToken } = await tokensFor(server, partner, 'ada')
  const { status, body, headers } = await call('POST', '/application/secrets', {})
  expect([status, body.live_secrets, headers.get('cache-control')]).toEqual([201, 2, 'no-store'])
  const changed = { ...partner, clientSecret: body.client_secret }
  for (const each of [partner, changed]) expect((await refresh(server, each, refreshToken)).status).toBe(200)
  expect((await call('DELETE', '/application/secrets/old')).body).toMatchObject({ live_secrets: 1 })
  expect((await refresh(server, partner, refreshToken)).status).toBe(401)
  expect((await refresh(server, changed, refreshToken)).status).toBe(200)
  expect((await call('DELETE', '/application/secrets/old')).status).toBe(409)
  const records = await query(
    server.database,
    `SELECT event, actor_kind, actor_name, via FROM audit_log WHERE event LIKE 'partner.secret%' ORDER BY id`,
  )
  const by = { actor_kind: 'developer_key', actor_name: 'Test', via: 'developer_api' }
  expect(records).toEqual([
    { event: 'partner.secret_rotated', ...by },
    { event: 'partner.secret_ended', ...by },
  ])
})

test('a program changes addresses and profile; absent fields stay', async () => {
  const changes = {
    redirect_uris: ['https://ledger.example/callback', 'http://localhost:8080/callback'],
    post_logout_redirect_uris: ['https://ledger.example/bye'],
    require_pkce: true,
    site: 'https://ledger.example',
    logo: realWebp.toString('base64'),
  }
  const { status, body } = await call('PATCH', '/application', changes)
  expect(status).toBe(200)
  const { logo: _, ...settings } = changes
  expect(body).toMatchObject({ ...settings, name: 'Ledger', environment: 'sandbox' })
  expect((await fetch(body.logo)).headers.get('content-type')).toMatch(/^image\//)
  expect((await call('PATCH', '/application', { logo: null })).body).toMatchObject({
    logo: null,
    redirect_uris: changes.redirect_uris,
  })
  expect((await call('GET', '/application')).body).toMatchObject({ logo: null, require_pkce: true })
})

test('use, limits and deprecated calls are those of the charts and of the commands', async () => {
  const fresh = await server.partner({ limits: { requests_per_user_per_minute: 30 } })
  const own = developerCaller(server, await newDeveloperKey(server, fresh.clientId, 'viewer'))
  const { accessToken } = await tokensFor(server, fresh, 'ada')
  expect((await api(server, 'households', accessToken)).status).toBe(200)
  expect((await api(server, 'households/nope/accounts', accessToken)).status).toBe(404)
  await token(server, fresh, { grant_type: 'refresh_token', refresh_token: accessToken })
  const use = await vi.waitFor(async () => {
    await server.context.callHours.write()
    const { body } = await own('GET', '/use?range=7d')
    const total = (of: string) =>
      body.data.reduce((sum: number, row: Record<string, number>) => sum + (row[of] ?? 0), 0)
    expect([total('calls'), total('refused'), total('refresh_refused')]).toEqual([4, 2, 1])
    return body
  })
  expect([use.period_seconds, use.data.length]).toEqual([6 * 3600, 28])
  expect(await cli.json('partner', 'use', fresh.clientId, '--range', '7d')).toEqual(use)
  expect((await call('GET', '/limits')).body).toMatchObject({
    requests_per_minute: 600,
    expensive_reads: null,
  })
  expect((await own('GET', '/limits')).body).toMatchObject({
    requests_per_minute: null,
    requests_per_user_per_minute: 30,
  })
  const deprecated = {
    operation: 'listHouseholds',
    calls: 1,
    deprecated_on: '2026-01-01T00:00:00.000Z',
    sunset_on: null,
    successor: `${server.baseUrl}api/v2/households`,
  }
  expect((await own('GET', '/deprecated-calls')).body.data).toMatchObject([deprecated])
  expect(await cli.json('partner', 'deprecated-calls', fresh.clientId)).toMatchObject([
    { operation: 'listHouseholds', calls: 1 },
  ])
})

test('calls are found by user, status, route and time, page by page', async () => {
  const own = await server.partner()
  const call = developerCaller(server, await newDeveloperKey(server, own.clientId, 'viewer'))
  const { accessToken } = await tokensFor(server, own, 'ada')
  for (let n = 0; n < 3; n++) await api(server, `households/unknown-${n}/accounts`, accessToken)
  await server.context.requestLog?.write()
  const [grant] = (await call('GET', '/grants')).body.data
  const filter = `subject=${grant.subject}&status=404&route=${encodeURIComponent('/service-open-api/api/v1/households/:household_id/accounts')}`
  const found = await vi.waitFor(async () => {
    await server.context.requestLog?.write()
    const { body } = await call('GET', `/requests?${filter}&limit=2`)
    expect(body.next_cursor).not.toBeNull()
    return body
  })
  const rest = await call('GET', `/requests?${filter}&limit=2&cursor=${found.next_cursor}`)
  expect([found.data.length, rest.body.data.length, rest.body.next_cursor]).toEqual([2, 1, null])
  const { at, request_id: id } = rest.body.data[0]
  expect((await call('GET', `/requests/${id}`)).body.data).toEqual(rest.body.data)
  expect((await call('GET', `/requests?${filter}&until=${at}`)).body.data).toEqual([])
  expect((await call('GET', `/requests?${filter}&since=${at}`)).body.data).toHaveLength(3)
  expect((await call('GET', `/requests?since=2026-11-22T23:59:60Z`)).status).toBe(400)
  expect(await call('GET', `/requests?since=yesterday`)).toMatchObject({
    status: 400,
    body: { detail: 'since must be an instant, such as 2026-11-22T08:30:00Z.' },
  })
  expect((await call('GET', '/requests/unknown')).body.detail).toMatch(
    /kept for 7 days.*belongs to no application/,
  )
  expect(JSON.stringify(found.data)).not.toContain('"ada"')
})

test('an operator makes, lists and revokes keys by command', async () => {
  const made = await cli.json(
    'developer-key',
    'create',
    '--partner',
    clientId,
    '--name',
    'CI',
    '--role',
    'viewer',
  )
  expect(made).toMatchObject({ client_id: clientId, role: 'viewer', state: 'live' })
  const own = developerCaller(server, made.developer_key)
  expect((await own('GET', '/application')).body.client_id).toBe(clientId)
  const listed = await cli.text('developer-key', 'list', '--partner', clientId)
  expect(listed).toContain(`${made.id}  CI  (live, does not expire`)
  expect(listed).not.toContain('lk_test_dk_')
  expect(await cli.json('developer-key', 'revoke', made.id, '--partner', clientId)).toMatchObject({
    state: 'revoked',
  })
  expect((await own('GET', '/application')).status).toBe(401)
})
