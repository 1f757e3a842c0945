import { expect, test } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { passKeyTime, publishedKids } from '../support/keys.ts'

const db = await databaseFixture()
const server = await serverFixture({ on: db })
const other = await serverFixture({ on: db })
const call = adminCaller(server, await newKey(server, ['keys:write']))

type Key = { kid: string; algorithm: string; state: string }
const keys = async (): Promise<Key[]> => (await call('GET', '/keys')).body.data
const ofState = async (state: string) =>
  (await keys()).find((key) => key.algorithm === 'ES256' && key.state === state)?.kid ?? ''

test('the only key leaks: it leaves the JWKS of all servers, and a new one signs at once', async () => {
  other.context.keyring.start()
  const leaked = await ofState('signing')
  const removed = await call('DELETE', `/keys/${leaked}`)
  expect(removed).toMatchObject({
    status: 200,
    body: { kid: leaked, algorithm: 'ES256', new_kid: expect.any(String) },
  })
  expect(await publishedKids(server)).not.toContain(leaked)
  expect(await ofState('signing')).toBe(removed.body.new_kid)
  expect((await server.context.keyring.signer('ES256')).kid).toBe(removed.body.new_kid)
  await expect.poll(() => publishedKids(other), { timeout: 8000 }).not.toContain(leaked)
  expect(await other.context.keyring.publicKey(leaked)).toBeUndefined()
  await other.context.keyring.stop()
  expect(await call('DELETE', `/keys/${leaked}`)).toMatchObject({ status: 404 })
  expect(
    await query(
      server.database,
      "SELECT target_id, via, details->>'new_key' AS made FROM audit_log WHERE event = 'key.removed'",
    ),
  ).toEqual([{ target_id: leaked, via: 'admin_api', made: removed.body.new_kid }])
})

test('the current key leaks while the key before is still published: that one signs until the new one does', async () => {
  const before = await ofState('signing')
  const [made] = (await call('POST', '/keys', { algorithm: 'ES256' })).body.data
  await passKeyTime(server, 3601)
  expect(await ofState('signing')).toBe(made.kid)
  const removed = await call('DELETE', `/keys/${made.kid}`)
  expect(Date.parse(removed.body.new_signs_from)).toBeGreaterThan(Date.now() + 3_000_000)
  expect(await ofState('signing')).toBe(before)
  expect(await ofState('waiting')).toBe(removed.body.new_kid)
})

test('a key that no longer signs leaks: no new key is made', async () => {
  const before = await ofState('signing')
  await passKeyTime(server, 3601)
  expect(await ofState('published')).toBe(before)
  expect((await call('DELETE', `/keys/${before}`)).body).toMatchObject({ kid: before, new_kid: null })
})
