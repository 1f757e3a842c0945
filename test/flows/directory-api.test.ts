import { beforeEach, describe, expect, test } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { query } from '../support/database.ts'
import { directoryCaller, remove, upsert } from '../support/directory-api.ts'
import { serverFixture } from '../support/fixtures.ts'
import { emptyDirectory, everything } from '../support/import.ts'

const server = await serverFixture()
const key = await newKey(server, ['directory:write'])
const call = adminCaller(server, key)
const send = directoryCaller(server, key)

const user = {
  id: 'u1',
  firm_id: 'f1',
  email: 'Ann@Example.com',
  name: 'Ann',
  role: 'advisor',
  status: 'active',
}
const base = [
  upsert('access', { user_id: 'u1', account_id: 'a1' }),
  upsert('account', { id: 'a1', household_id: 'h1', status: 'active', opened_on: '2020-02-29' }),
  upsert('household', { id: 'h1', firm_id: 'f1', name: 'Straße' }),
  upsert('user', user),
  upsert('firm', { id: 'f1', name: 'First' }),
  upsert('role', { name: 'advisor', sees: 'granted' }),
]

beforeEach(() => emptyDirectory(server.database))

describe('many rows', () => {
  test('are stored together, in any order, and the answer counts them', async () => {
    const stored = await send(base)
    expect(stored).toMatchObject({ status: 200, body: { kept_disabled: [] } })
    const one = { added: 1, changed: 0, unchanged: 0, deleted: 0, missing: 0 }
    expect(stored.body.counts).toEqual({
      firm: one,
      role: one,
      user: one,
      household: one,
      account: one,
      access: one,
    })
    expect((await send(base)).body).toMatchObject({ changed_at: null, counts: { user: { unchanged: 1 } } })
    const deleted = await send([
      remove('account', { id: 'a1' }),
      remove('access', { user_id: 'u1', account_id: 'a1' }),
      remove('household', { id: 'h9' }),
    ])
    expect(deleted.body.counts).toMatchObject({
      account: { deleted: 1 },
      access: { deleted: 1 },
      household: { deleted: 0, missing: 1 },
    })
  })
})

test('one resource', async () => {
  await send(base)
  expect(await call('GET', '/directory/users/u1')).toMatchObject({
    status: 200,
    body: { ...user, source: 'api', disabled_by_operator_at: null },
  })
})
