import { expect, test } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { serverFixture } from '../support/fixtures.ts'

const server = await serverFixture()
const key = await newKey(server, ['operators:write'])
const call = adminCaller(server, key)

test('a key is created, used and revoked', async () => {
  const made = await call('POST', '/api-keys', { name: 'Backup', scopes: ['operators:read'] })
  expect(made).toMatchObject({ status: 201, body: { name: 'Backup', state: 'live', last_used_at: null } })
  const other = adminCaller(server, made.body.api_key)
  expect((await other('GET', '/api-keys')).status).toBe(200)
  const listed = await call('GET', '/api-keys')
  expect(JSON.stringify(listed.body)).not.toContain('lk_test_ak_')
  expect((await call('DELETE', `/api-keys/${made.body.id}`)).body).toMatchObject({ state: 'revoked' })
  expect(await other('GET', '/api-keys')).toMatchObject({
    status: 401,
    body: { code: 'invalid_api_key', detail: 'The API key has been revoked.' },
  })
})

test('81: a key that expires makes no key that lives longer', async () => {
  const maker = adminCaller(server, await newKey(server, ['operators:write'], 2))
  const expiry = async (input: object) => {
    const made = await maker('POST', '/api-keys', { name: 'Made', scopes: ['operators:read'], ...input })
    return (Date.parse(made.body.expires_at) - Date.now()) / 86_400_000
  }
  expect(await expiry({})).toBeCloseTo(2, 1)
  expect(await expiry({ expires_in_days: 30 })).toBeCloseTo(2, 1)
  expect(await expiry({ expires_in_days: 1 })).toBeCloseTo(1, 1)
})
