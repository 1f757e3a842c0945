import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import type { DirectoryRows } from '../support/directory.ts'
import { byteOrder, replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, authorize } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'
import { withSession } from '../support/sessions.ts'
import { allNames, seeAll, sharedOn } from '../support/shared-data.ts'

const server = await serverFixture()
const partner = await server.partner()

/** A second, simple implementation of who sees what. `null` means that the answer is 404. */
function model({ users, households, accounts, access }: DirectoryRows, userId: string) {
  const user = users.find(({ id }) => id === userId)
  const mayRead = (account: string) =>
    user?.sees === 'firm' || access.some((row) => row.user === userId && row.account === account)
  const visible = households.filter(({ id, firm }) => {
    const hasReadableAccount = accounts.some((account) => account.household === id && mayRead(account.id))
    return firm === user?.firm && (user.sees === 'firm' || hasReadableAccount)
  })
  const accountsOf = (household: string) =>
    visible.some(({ id }) => id === household)
      ? accounts
          .filter((a) => a.household === household && a.status === 'active' && mayRead(a.id))
          .map(({ id }) => id)
      : null
  return {
    households: visible.map(({ id }) => id).sort(byteOrder),
    accounts: Object.fromEntries(households.map(({ id }) => [id, accountsOf(id)?.sort(byteOrder) ?? null])),
  }
}

/** What the API answers, in the same form as the model. */
async function answers({ households }: DirectoryRows, userId: string) {
  const accessToken = await accessTokenOf(server.database, userId)
  const list = await api(server, 'households', accessToken)
  const accounts = households.map(async ({ id }) => {
    const answer = await api(server, `households/${encodeURIComponent(id)}/accounts`, accessToken)
    return [id, answer.status === 404 ? null : idsOf(answer.body)] as const
  })
  return { households: idsOf(list.body), accounts: Object.fromEntries(await Promise.all(accounts)) }
}

/** What the connect page says that an application would see. The households have no names, so it shows their ids. */
async function onConnectPage(userId: string) {
  const visitor = await withSession(server, userId)
  const page = await authorize(visitor, server, partner)
  const { households, names, accounts } = sharedOn(page)
  const address = seeAll(page)
  const all = address ? await allNames(visitor, address) : []
  return { households: Number.parseInt(households, 10), names, all, accounts: Number.parseInt(accounts, 10) }
}

/** The same by the model of the API's answers. */
function sharedByModel(rows: DirectoryRows, userId: string) {
  const { households, accounts } = model(rows, userId)
  return {
    households: households.length,
    names: households.slice(0, 3),
    all: households,
    accounts: Object.values(accounts).flatMap((ids) => ids ?? []).length,
  }
}

function idsOf(body: unknown): unknown {
  return Array.isArray(body) ? body.map((row) => row.id) : body
}

/** Ids whose byte order differs from alphabetical order and from the order of insertion. */
const ids = (prefix: string, maxLength: number) =>
  fc.uniqueArray(
    fc
      .string({ unit: fc.constantFrom(...'aAbBzZ019._:-'), minLength: 1, maxLength: 4 })
      .map((id) => prefix + id),
    { minLength: 1, maxLength },
  )

const directory: fc.Arbitrary<DirectoryRows> = fc
  .record({ firms: ids('f', 3), userIds: ids('u', 4), householdIds: ids('h', 6), accountIds: ids('a', 12) })
  .chain(({ firms, userIds, householdIds, accountIds }) => {
    const firm = fc.constantFrom(...firms)
    const sees = fc.constantFrom('firm' as const, 'granted' as const)
    const status = fc.constantFrom('active', 'active', 'closed', 'Active', 'pending')
    const each = <T>(all: string[], row: (id: string) => fc.Arbitrary<T>) => fc.tuple(...all.map(row))
    return fc.record({
      firms: fc.constant(firms),
      users: each(userIds, (id) => fc.record({ id: fc.constant(id), firm, sees })),
      households: each(householdIds, (id) => fc.record({ id: fc.constant(id), firm })),
      accounts: each(accountIds, (id) =>
        fc.record({ id: fc.constant(id), household: fc.constantFrom(...householdIds), status }),
      ),
      // Any user and any account: many of these rows cross firms and must give no access.
      access: fc.uniqueArray(
        fc.record({ user: fc.constantFrom(...userIds), account: fc.constantFrom(...accountIds) }),
        { maxLength: 16, selector: ({ user, account }) => `${user} ${account}` },
      ),
    })
  })

test('for any directory, each user gets exactly the households and accounts of the model, and the connect page says so', async () => {
  await fc.assert(
    fc.asyncProperty(directory, async (rows) => {
      await replaceDirectory(server.database, rows)
      for (const { id } of rows.users) expect(await answers(rows, id)).toEqual(model(rows, id))
      const [user] = rows.users
      if (user) expect(await onConnectPage(user.id)).toEqual(sharedByModel(rows, user.id))
    }),
    { numRuns: ofRuns(100) },
  )
})

test('access to an account of another firm shows neither the account nor its household', async () => {
  await replaceDirectory(server.database, {
    firms: ['ours', 'theirs'],
    users: [{ id: 'ada', firm: 'ours', sees: 'granted' }],
    households: [{ id: 'h', firm: 'theirs', name: 'Theirs' }],
    accounts: [{ id: 'a', household: 'h', status: 'active' }],
    access: [{ user: 'ada', account: 'a' }],
  })
  const accessToken = await accessTokenOf(server.database, 'ada')
  expect((await api(server, 'households', accessToken)).body).toEqual([])
  expect((await api(server, 'households/h/accounts', accessToken)).status).toBe(404)
})

test('access to a closed account shows the household, but no account', async () => {
  await replaceDirectory(server.database, {
    users: [{ id: 'ada', firm: 'firm-1', sees: 'granted' }],
    households: [{ id: 'h', firm: 'firm-1' }],
    accounts: [
      { id: 'mine', household: 'h', status: 'closed' },
      { id: 'other', household: 'h', status: 'active' },
    ],
    access: [{ user: 'ada', account: 'mine' }],
  })
  const accessToken = await accessTokenOf(server.database, 'ada')
  expect((await api(server, 'households', accessToken)).body).toEqual([{ id: 'h' }])
  expect((await api(server, 'households/h/accounts', accessToken)).body).toEqual([])
})

test('changes of the directory take effect with the next request: moved households, removed access, changed roles', async () => {
  await replaceDirectory(server.database, {
    firms: ['ours', 'theirs'],
    users: [{ id: 'ada', firm: 'ours', sees: 'granted' }],
    households: [{ id: 'h', firm: 'ours' }],
    accounts: [{ id: 'a', household: 'h', status: 'active' }],
    access: [{ user: 'ada', account: 'a' }],
  })
  const accessToken = await accessTokenOf(server.database, 'ada')
  const seen = async () => (await api(server, 'households', accessToken)).body
  const change = (text: string) => server.database.withConnection((client) => client.query(text))
  expect(await seen()).toEqual([{ id: 'h' }])
  await change(`UPDATE households SET firm_id = 'theirs'`)
  expect(await seen()).toEqual([])
  await change(`UPDATE households SET firm_id = 'ours'`)
  expect(await seen()).toEqual([{ id: 'h' }])
  await change('DELETE FROM account_access')
  expect(await seen()).toEqual([])
  await change(`UPDATE users SET role = 'sees-firm'`)
  expect(await seen()).toEqual([{ id: 'h' }])
  expect(await seen()).toEqual([{ id: 'h' }]) // by the statement for callers who were seen to see the firm
  await change(`UPDATE users SET role = 'sees-granted'`)
  expect(await seen()).toEqual([])
  await change(`UPDATE users SET role = 'sees-firm'`)
  expect([await seen(), await seen()]).toEqual([[{ id: 'h' }], [{ id: 'h' }]])
  await change(`UPDATE users SET firm_id = 'theirs'`)
  expect(await seen()).toEqual([])
  await change(`UPDATE users SET status = 'disabled'`)
  expect(await seen()).toMatchObject({ code: 'invalid_token' })
})
