import { expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'
import type { ApiAnswer } from '../support/journey.ts'
import { apiV2, page, type Query, walk } from '../support/walks.ts'

const server = await serverFixture()
const own = ['a1', 'a2', 'a3']

/**
 * Of firm-1: h1 with a1, a2, h2 with a3, a4 (not Bob's) and a closed account. Bob also has an access row for an account of
 * firm-2.
 */
await replaceDirectory(server.database, {
  firms: ['firm-1', 'firm-2'],
  users: [
    { id: 'ada', firm: 'firm-1', sees: 'firm' },
    { id: 'bob', firm: 'firm-1', sees: 'granted' },
    { id: 'ben', firm: 'firm-1', sees: 'granted' },
  ],
  households: [
    { id: 'h1', firm: 'firm-1' },
    { id: 'h2', firm: 'firm-1' },
    { id: 'theirs', firm: 'firm-2' },
  ],
  accounts: [
    ...['a1', 'a2'].map((id) => ({ id, household: 'h1', status: 'active' })),
    ...['a3', 'a4'].map((id) => ({ id, household: 'h2', status: 'active' })),
    { id: 'closed', household: 'h2', status: 'closed' },
    { id: 'foreign', household: 'theirs', status: 'active' },
  ],
  access: ['bob', 'ben'].flatMap((user) =>
    [...own, 'closed', 'foreign'].map((account) => ({ user, account })),
  ),
})
const ada = await accessTokenOf(server.database, 'ada')
const bob = await accessTokenOf(server.database, 'bob')
const ben = await accessTokenOf(server.database, 'ben')

const accounts = (query: Query, accessToken = bob) => apiV2(server, 'accounts', accessToken, query)
const cursorOf = async (query: Query, resource: 'households' | 'accounts', accessToken = bob) =>
  (await page(server, accessToken, query, resource)).next_cursor ?? ''
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

function expectRefused({ status, body }: ApiAnswer, detail: RegExp) {
  const errors = [{ parameter: 'cursor', detail: expect.stringMatching(detail) }]
  expect([status, body]).toMatchObject([400, { code: 'invalid_parameter', errors }])
}

test('74: accounts that are closed, of another firm or not granted are not listed, regardless of access rows', async () => {
  expect(idsOf(await walk(server, bob, { limit: 1 }, undefined, 'accounts'))).toEqual(own)
  expect(idsOf(await walk(server, ada, { limit: 2 }, undefined, 'accounts'))).toEqual([...own, 'a4'])
})

test('74: changes do not reveal ids of accounts of another firm, or of accounts without access', async () => {
  const before = new Date(Date.now() - 3_600_000).toISOString()
  await query(
    server.database,
    `UPDATE users SET sees_since = now() - interval '1 day';
     UPDATE firms SET changed_at = now();
     INSERT INTO account_changes SELECT h.firm_id, a.id, now() - interval '1 minute' FROM accounts a JOIN households h ON h.id = a.household_id;
     INSERT INTO account_access_changes SELECT 'bob', id, now() - interval '1 minute' FROM accounts WHERE id <> 'a4'
      UNION ALL SELECT 'bob', 'foreign-and-gone', now() - interval '1 minute'`,
  )
  const { data, removed } = await page(server, bob, { updated_since: before }, 'accounts')
  expect([data.map(({ id }) => id), removed]).toEqual([own, ['closed']])
})

test("74: another user's cursor is refused like a broken one, even if both see the same accounts", async () => {
  const cursor = await cursorOf({ limit: 1 }, 'accounts', ben)
  expectRefused(await accounts({ cursor }), /is invalid: it was changed, or it was not issued to this user/)
  expect((await accounts({ cursor }, ben)).status).toBe(200)
})

test('74: a cursor of households is refused for accounts, and the other way round, with the reason', async () => {
  const [ofHouseholds, ofAccounts] = [
    await cursorOf({ limit: 1 }, 'households'),
    await cursorOf({ limit: 1 }, 'accounts'),
  ]
  expectRefused(await accounts({ cursor: ofHouseholds }), /belongs to a sync of households/)
  expectRefused(
    await apiV2(server, 'households', bob, { cursor: ofAccounts }),
    /belongs to a sync of accounts/,
  )
})

test('74: a cursor with another resource, household or account under its old MAC is refused', async () => {
  const [content = '', mac] = (await cursorOf({ limit: 1 }, 'accounts')).split('.')
  const honest = JSON.parse(Buffer.from(content, 'base64url').toString())
  const [ofHouseholds = '', theirMac] = (await cursorOf({ limit: 1 }, 'households')).split('.')
  const household = JSON.parse(Buffer.from(ofHouseholds, 'base64url').toString())
  const textOf = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url')
  const lies = [
    { household_id: 'theirs' },
    { household_id: '' },
    { household_id: 'a\0b' },
    { household_id: ['h1'] },
    { household_id: undefined },
    { after: 'a3' },
    { resource: 'users' },
  ]
  for (const lie of lies) {
    expectRefused(await accounts({ cursor: `${textOf({ ...honest, ...lie })}.${mac}` }), /is invalid/)
  }
  const relabelled = textOf({ ...household, resource: 'accounts' })
  expectRefused(await accounts({ cursor: `${relabelled}.${theirMac}` }), /is invalid/)
})
