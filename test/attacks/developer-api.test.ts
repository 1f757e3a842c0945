import { describe, expect, test, vi } from 'vitest'
import { commandOrigin } from '../../src/audit/origin.ts'
import { listDeveloperKeys } from '../../src/developer-keys/developer-keys.sql.ts'
import { revokeDeveloperKey } from '../../src/developer-keys/developer-keys.ts'
import { allows, developerRoles } from '../../src/developer-keys/roles.ts'
import { reportLeak } from '../../src/incidents/leaked-credentials.ts'
import { newToken, sha256 } from '../../src/secrets/token-format.ts'
import { newKey } from '../support/admin.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { developerCaller, developerOperations, newDeveloperKey } from '../support/developer-api.ts'
import { developerOfApp } from '../support/developers.ts'
import { serverFixture } from '../support/fixtures.ts'
import { expectKeyRefused } from '../support/refused-keys.ts'

const server = await serverFixture({ users: ['ada'], households: ['h1'] })
const { database } = server
const partner = await server.partner({ name: 'Ledger' })
const { clientId } = partner
const operations = await developerOperations(server)
const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')

const operatorKey = await newKey(server, ['partners:write', 'operators:write'])
const revoked = await newDeveloperKey(server, clientId)
const [made] = await database.run(listDeveloperKeys, [clientId])
await revokeDeveloperKey(database, commandOrigin(), { clientId, id: made?.id ?? '' })
const expired = await newDeveloperKey(server, clientId, 'admin', 1)
await query(database, "UPDATE developer_keys SET expires_at = now() - interval '1 second' WHERE hash = $1", [
  sha256(expired),
])

describe('60: no operation of the developer API answers without a key that may call it', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  test.each([
    ['no key', {}, 'key-missing'],
    ['a key in the query', {}, 'key-missing', '?access_token='],
    [
      'the credentials of the application',
      { authorization: `Basic ${btoa(`${clientId}:${partner.clientSecret}`)}` },
      'key-missing',
    ],
    ['a session of the developer pages', { cookie: 'latchkey-developer-session=x' }, 'key-missing'],
    ['a key that was never issued', bearer(newToken('sandbox', 'dk').text), 'key-unknown'],
    ['a key with a wrong checksum', bearer(`${revoked.slice(0, -1)}_`), 'key-malformed'],
    ['a key of production', bearer(newToken('production', 'dk').text), 'key-wrong-environment'],
    ['a key of the operator', bearer(operatorKey), 'key-wrong-kind'],
    ['an access token', bearer(accessToken), 'key-wrong-kind'],
    ['a refresh token', bearer(refreshToken), 'key-wrong-kind'],
    ['a client secret', bearer(partner.clientSecret), 'key-wrong-kind'],
    ['a revoked key', bearer(revoked), 'key-revoked'],
    ['an expired key', bearer(expired), 'key-expired'],
  ])('%s', async (_what, headers: Record<string, string>, anchor, suffix = '') => {
    const api = { url: `${server.authUrl}/developers/v1`, realm: 'latchkey developers', operations }
    await expectKeyRefused(api, { headers, anchor, suffix })
  })

  test('a key whose role is too low', async () => {
    for (const role of developerRoles) {
      const call = developerCaller(server, await newDeveloperKey(server, clientId, role))
      for (const { method, path, role: needed } of operations) {
        if (allows(role, needed)) continue
        const { status, body } = await call(method, path)
        expect([role, method, path, status, body.code]).toEqual([
          role,
          method,
          path,
          403,
          'insufficient_scope',
        ])
        expect(body.detail).toContain(needed)
      }
    }
  })

  test('a developer key is no key of the admin API, no access token and no client secret', async () => {
    const key = await newDeveloperKey(server, clientId)
    for (const address of [`${server.authUrl}/admin/v1/partners`, `${server.baseUrl}api/v2/households`]) {
      const answer = await fetch(address, { headers: bearer(key) })
      expect([answer.status, (await answer.json()).detail]).toEqual([
        401,
        expect.stringMatching(/^A developer key was sent where an (API key|access token) is expected\.$/),
      ])
    }
  })
})

test('60: a developer cannot change what only the operator may', async () => {
  const call = developerCaller(server, await newDeveloperKey(server, clientId))
  for (const field of ['name', 'status', 'limits', 'auth_methods', 'require_acr', 'grant_lifetime_days']) {
    const { status, body } = await call('PATCH', '/application', { [field]: null })
    expect([field, status, body.detail]).toEqual([field, 422, `${field} is not a field of this request.`])
  }
  for (const [uris, fault] of [
    [['http://partner.example/callback'], 'must be https, or http on localhost'],
    [['https://partner.example/#x'], 'must not have a fragment'],
    [['javascript:alert(1)'], 'must be https'],
    [[], 'At least one redirect URI is required.'],
    [Array.from({ length: 101 }, (_, n) => `https://partner.example/${n}`), 'a partner has at most 100'],
  ] as const) {
    const { status, body } = await call('PATCH', '/application', { redirect_uris: uris })
    expect([status, body.detail]).toEqual([422, expect.stringContaining(fault)])
  }
})

test('60: a secret is shown once: not in lists, not to a repeated request, not in the database or a log', async () => {
  const call = developerCaller(server, await newDeveloperKey(server, clientId))
  const secrets: string[] = []
  for (const [path, body, field] of [
    ['/application/secrets', {}, 'client_secret'],
    ['/webhooks', { url: 'https://93.184.216.34/hook' }, 'secret'],
    ['/keys', { name: 'New', role: 'viewer' }, 'developer_key'],
  ] as const) {
    const headers = { 'idempotency-key': `sixteen-or-more-${field}` }
    const first = await call('POST', path, body, headers)
    const second = await call('POST', path, body, headers)
    expect([path, first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([
      path,
      201,
      201,
      'true',
    ])
    secrets.push(first.body[field])
    expect(second.body).not.toHaveProperty(field)
  }
  expect(secrets.every((secret) => secret.length > 30)).toBe(true)
  const lists = await Promise.all(['/application', '/webhooks', '/keys'].map((path) => call('GET', path)))
  const tables = [
    'partners',
    'webhook_endpoints',
    'webhook_secrets',
    'developer_keys',
    'audit_log',
    'idempotent_requests',
  ]
  const rows = await Promise.all(
    tables.map((table) => query(database, `SELECT to_jsonb(t) AS row FROM ${table} t`)),
  )
  const everything = JSON.stringify([lists.map(({ body }) => body), rows]) + server.logs()
  for (const secret of secrets) expect(everything).not.toContain(secret.slice(12))
})

test('60: a call with a token in it is in the request log without the token', async () => {
  const call = developerCaller(server, await newDeveloperKey(server, clientId, 'viewer'))
  const bearer = { authorization: `Bearer ${accessToken}` }
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.baseUrl}${path}`, { headers: { ...bearer, ...headers } })
  await get(`api/v1/households?access_token=${accessToken}`)
  await get(`api/v1/households/${refreshToken}/accounts`)
  await get(`api/v1/households?page=${refreshToken}`)
  await get(`api/v1/households?${refreshToken}=1`)
  await get('api/v1/households', { 'x-api-request-id': accessToken })
  await get('api/v1/households', { 'x-api-request-id': `call:${partner.clientSecret}` })
  await fetch(`${server.baseUrl}oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: clientId,
      client_secret: partner.clientSecret,
      grant_type: 'refresh_token',
      refresh_token: `${accessToken}`,
    }),
  })
  await fetch(`${server.authUrl}/api/oauth2/authorize?client_id=${clientId}&redirect_uri=${refreshToken}`)
  const found = await vi.waitFor(async () => {
    await server.context.requestLog?.write()
    const { body } = await call('GET', '/requests?limit=1000')
    expect(body.data.length).toBeGreaterThanOrEqual(8)
    return JSON.stringify(body)
  })
  for (const secret of [accessToken, refreshToken, partner.clientSecret]) {
    expect(found).not.toContain(secret)
    expect(server.logs()).not.toContain(secret)
  }
})

test('60: a leaked developer key is recognised by its prefix, revoked and recorded', async () => {
  const key = await newDeveloperKey(server, clientId)
  const { config, keys } = server.context
  const report = { text: `curl -H "Authorization: Bearer ${key}"`, source: 'https://paste.example' }
  const leak = () => reportLeak({ database, config, keys }, commandOrigin(), report)
  expect(await leak()).toMatchObject([
    { hint: expect.stringMatching(/^lk_test_dk_…/), credential: 'developer_key', state: 'revoked', clientId },
  ])
  expect((await developerCaller(server, key)('GET', '/application')).body.detail).toBe(
    'The API key has been revoked.',
  )
  expect(await leak()).toMatchObject([{ state: 'not_live' }])
  const records = await query(
    database,
    `SELECT target_kind, client_id, details->>'credential' AS credential FROM audit_log WHERE event = 'credential.leaked'`,
  )
  expect(records).toEqual([
    { target_kind: 'developer_key', client_id: clientId, credential: 'developer_key' },
  ])
})

test('60: a key makes no key that lives longer, and an application no more than 100 live keys', async () => {
  const { clientId: another } = await server.partner()
  const call = developerCaller(server, await newDeveloperKey(server, another, 'admin', 2))
  const { body } = await call('POST', '/keys', { name: 'Made', role: 'admin', expires_in_days: 30 })
  expect((Date.parse(body.expires_at) - Date.now()) / 86_400_000).toBeCloseTo(2, 1)
  expect(body.created_by).toEqual({ kind: 'developer_key', name: 'Test' })
  await query(
    database,
    `INSERT INTO developer_keys (id, client_id, name, role, hash, created_by)
     SELECT 'key ' || n, $1, 'Many', 'viewer', sha256(('key ' || n)::bytea), '{"kind": "os_user", "id": "root", "name": null}'
       FROM generate_series(3, 100) n`,
    [another],
  )
  const refused = await call('POST', '/keys', { name: 'One more', role: 'viewer' })
  expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining('100 live keys')])
  expect(JSON.stringify((await call('GET', '/keys')).body)).not.toContain('root')
})

test('60: a developer is named by the id, and an address changes nothing', async () => {
  const call = developerCaller(server, await newDeveloperKey(server, clientId))
  const { id } = await developerOfApp(server, clientId, { email: 'vera@partner.example', role: 'viewer' })
  for (const method of ['PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { role: 'admin' } : undefined
    expect((await call(method, '/developers/vera@partner.example', body)).status).toBe(404)
  }
  const roles = 'SELECT role FROM developer_memberships WHERE developer_id = $1'
  expect(await query(database, roles, [id])).toEqual([{ role: 'viewer' }])
  const changed = await call('PATCH', `/developers/${id.toUpperCase()}`, { role: 'developer' })
  expect([changed.status, changed.body.role]).toEqual([200, 'developer'])
})
