import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../src/admin/api-keys.ts'
import { commandOrigin } from '../../src/audit/origin.ts'
import { may, type Scope, scopes } from '../../src/operators/scopes.ts'
import { newToken } from '../../src/secrets/token-format.ts'
import { adminCaller, adminOperations, newKey } from '../support/admin.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { expectKeyRefused } from '../support/refused-keys.ts'

const server = await serverFixture({ users: [{ id: 'ada' }] })
const operations = await adminOperations(server)
const allBut = (scope: Scope) => scopes.filter((other) => !may({ scopes: new Set([other]) }, scope))

const revoked = await (async () => {
  const input = { name: 'Revoked', scopes: [...scopes] }
  const made = await createApiKey(server.database, commandOrigin(), 'sandbox', input)
  if (made.kind === 'refused') throw new Error()
  await revokeApiKey(server.database, commandOrigin(), made.key.id)
  return made.text
})()

const expired = await newKey(server, [...scopes], 1)
await query(server.database, "UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE hash = $1", [
  createHash('sha256').update(expired).digest(),
])

const partner = await server.partner()
const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')

describe('57: no operation of the admin API answers without a key that may call it', () => {
  test.each([
    ['no key', {}, 'key-missing'],
    ['a key in the query', {}, 'key-missing', '?access_token='],
    ['another scheme', { authorization: `Basic ${btoa('operator:secret')}` }, 'key-missing'],
    ['a cookie', { cookie: '__Host-latchkey-session=x' }, 'key-missing'],
    ['a key that was never issued', bearer(newToken('sandbox', 'ak').text), 'key-unknown'],
    ['a key with a wrong checksum', bearer(`${revoked.slice(0, -1)}_`), 'key-malformed'],
    ['a key of production', bearer(newToken('production', 'ak').text), 'key-wrong-environment'],
    ['an access token', bearer(accessToken), 'key-wrong-kind'],
    ['a refresh token', bearer(refreshToken), 'key-wrong-kind'],
    ['a client secret', bearer(partner.clientSecret), 'key-wrong-kind'],
    ['a revoked key', bearer(revoked), 'key-revoked'],
    ['an expired key', bearer(expired), 'key-expired'],
  ])('%s', async (_what, headers: Record<string, string>, anchor, suffix = '') => {
    const api = { url: `${server.authUrl}/admin/v1`, realm: 'latchkey admin', operations }
    await expectKeyRefused(api, { headers, anchor, suffix })
  })

  test('a key with all scopes but the needed one', async () => {
    const keys = new Map<Scope, string>()
    for (const { method, path, scope } of operations) {
      const key = keys.get(scope) ?? (await newKey(server, allBut(scope)))
      keys.set(scope, key)
      const { status, headers, body } = await adminCaller(server, key)(method, path)
      expect([method, path, status, body.code]).toEqual([method, path, 403, 'insufficient_scope'])
      expect(body.detail).toContain(scope)
      expect(headers.get('www-authenticate')).toContain(`error="insufficient_scope"`)
    }
  })

  test('a key that creates a key with more scopes than it has', async () => {
    const call = adminCaller(server, await newKey(server, ['operators:write', 'users:read']))
    const made = await call('POST', '/api-keys', { name: 'More', scopes: ['users:write', 'audit:read'] })
    expect(made).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', detail: expect.stringContaining('users:write, audit:read') },
    })
    expect((await call('POST', '/api-keys', { name: 'Same', scopes: ['users:read'] })).status).toBe(201)
  })
})

test('57: an API key is no access token and no client secret', async () => {
  const key = await newKey(server, [...scopes])
  const read = await fetch(`${server.baseUrl}api/v2/households`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect([read.status, (await read.json()).detail]).toEqual([
    401,
    'An API key was sent where an access token is expected.',
  ])
  const token = await fetch(`${server.baseUrl}oauth2/introspect`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: partner.clientId, client_secret: key, token: accessToken }),
  })
  expect([token.status, (await token.json()).error]).toEqual([401, 'invalid_client'])
})

describe('57: scripts of another site, also in the browser of an operator', () => {
  test('a preflight and a form are refused, and no answer has CORS headers', async () => {
    const preflight = await fetch(`${server.authUrl}/admin/v1/partners`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([405, null])
    const form = await fetch(`${server.authUrl}/admin/v1/partners`, {
      method: 'POST',
      headers: bearer(await newKey(server, ['partners:write'])),
      body: new URLSearchParams({ name: 'Evil' }),
    })
    expect([form.status, (await form.json()).code]).toEqual([415, 'bad_request'])
  })
})

describe('57: bodies and addresses that say something else than they seem to', () => {
  const write = newKey(server, ['partners:write', 'users:write', 'grants:write'])
  const valid = { name: 'P', redirect_uris: ['https://partner.example/callback'] }
  test.each([
    ['an unknown field', { ...valid, admin: true }, 422, 'admin is not a field of this request.'],
    [
      'an unknown field in an object',
      { ...valid, limits: { request_per_minute: 5 } },
      422,
      'limits.request_per_minute is not a field',
    ],
    ['a missing field', { name: 'P' }, 422, 'redirect_uris is missing.'],
    ['a wrong type', { ...valid, require_pkce: 'yes' }, 422, 'require_pkce must be boolean'],
    ['an unknown choice', { ...valid, id_token_alg: 'HS256' }, 422, 'id_token_alg must be one of RS256'],
    ['no object', [valid], 422, 'body must be object'],
    ['NUL', { ...valid, name: 'P\0' }, 400, 'The body contains the character NUL.'],
  ])('%s', async (_what, body, status, detail) => {
    const answer = await adminCaller(server, await write)('POST', '/partners', body)
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(detail)])
  })

  test('a name sent twice, a body that is too large, unknown parameters, methods and addresses', async () => {
    const key = await write
    const call = adminCaller(server, key)
    const twice = await fetch(`${server.authUrl}/admin/v1/partners`, {
      method: 'POST',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: '{"name":"a","name":"b"}',
    })
    expect(twice.status).toBe(400)
    expect(await call('POST', '/users', { id: 'x'.repeat(70_000) })).toMatchObject({ status: 413 })
    expect(await call('GET', '/partners?statsu=active')).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_parameter',
        errors: [{ parameter: 'statsu', detail: 'is not a parameter of this request' }],
      },
    })
    expect((await call('PUT', '/partners')).headers.get('allow')).toMatch(/GET, HEAD, POST|GET, POST/)
    expect(await call('PUT', '/partners')).toMatchObject({
      status: 405,
      body: { code: 'method_not_allowed' },
    })
    expect(await call('GET', '/nothing')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await call('GET', '/partners/%00')).toMatchObject({ status: 404 })
    expect(await call('GET', '/partners/..%2fusers')).toMatchObject({ status: 404 })
    expect(await call('GET', '/grants/1%27')).toMatchObject({ status: 404 })
  })
})

test('81: guessed keys are throttled by their source, and a known key is not', async () => {
  const limited = await serverFixture({ failuresPerMinute: 3 })
  const good = adminCaller(limited, await newKey(limited, ['keys:read']))
  expect((await good('GET', '/keys')).status).toBe(200)
  const bad = adminCaller(limited, newToken('sandbox', 'ak').text)
  for (let n = 0; n < 3; n++) expect((await bad('GET', '/keys')).status).toBe(401)
  const refused = await bad('GET', '/keys')
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await good('GET', '/keys')).status).toBe(200)
})

test('81: the database and the log have no key, and a key shows its last use to the minute', async () => {
  const key = await newKey(server, ['keys:read'])
  const call = adminCaller(server, key)
  expect((await call('GET', '/keys')).status).toBe(200)
  const used = () =>
    query<{ last_used_at: Date | null }>(
      server.database,
      'SELECT last_used_at FROM api_keys WHERE hash = $1',
      [createHash('sha256').update(key).digest()],
    )
  await expect.poll(async () => (await used())[0]?.last_used_at).toBeInstanceOf(Date)
  const [first] = await used()
  await call('GET', '/keys')
  expect(await used()).toEqual([first])
  expect(server.logs()).not.toContain(key.slice(12, 40))
  const rows = await query(server.database, 'SELECT * FROM api_keys, audit_log')
  expect(JSON.stringify(rows)).not.toContain(key.slice(12, 40))
})

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}
