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
