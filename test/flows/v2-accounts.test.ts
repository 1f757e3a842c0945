import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { countingDatabase } from '../support/counting-database.ts'
import { query } from '../support/database.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { accountsHeader, type ImportFiles, taken, usersHeader } from '../support/import.ts'
import { api } from '../support/journey.ts'
import { readsOf } from '../support/usage.ts'
import { apiV2, page, walk } from '../support/walks.ts'

const database = await databaseFixture(countingDatabase)
const server = await serverFixture({ on: database })

/** Ids of households and accounts sort differently, so that the order of the pages shows by what they are sorted. */
await replaceDirectory(database.direct, {
  firms: ['f1', 'f2'],
  users: [
    { id: 'pia', firm: 'f1', sees: 'firm' },
    { id: 'adam', firm: 'f1', sees: 'granted' },
  ],
  households: [...['h1', 'h2', 'h3'].map((id) => ({ id, firm: 'f1' })), { id: 'h9', firm: 'f2' }],
  accounts: [
    { id: 'a5', household: 'h1', status: 'active' },
    { id: 'a1', household: 'h2', status: 'active' },
    { id: 'a3', household: 'h2', status: 'closed' },
    { id: 'a4', household: 'h2', status: 'active' },
    { id: 'a9', household: 'h9', status: 'active' },
  ],
  access: ['a5', 'a3', 'a4', 'a9'].map((account) => ({ user: 'adam', account })),
})
await query(
  database.direct,
  `UPDATE accounts SET name = 'Main, "a"', type = 'checking', number_masked = '**** 1234', custodian = 'Bank',
                       currency = 'EUR', opened_on = '0987-02-03' WHERE id = 'a5'`,
)
const pia = await accessTokenOf(database.direct, 'pia')
const adam = await accessTokenOf(database.direct, 'adam')

const all = (token: string, params: Record<string, string | number> = {}) =>
  walk(server, token, params, undefined, 'accounts')
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
describe('a sync of accounts', () => {
  test.each([1, 2, 1000])(
    'with limit %i gives every active account that the user sees, by household and id',
    async (limit) => {
      expect(idsOf(await all(pia, { limit }))).toEqual(['a5', 'a1', 'a4'])
      const { data, pages } = await all(adam, { limit })
      expect([idsOf({ data }), pages.length]).toEqual([['a5', 'a4'], Math.ceil(2 / limit)])
    },
  )

  test('gives each account with the fields, and in the bytes, of version 1', async () => {
    const { text } = await apiV2(server, 'accounts', adam)
    const ofHouseholds = await Promise.all(
      ['h1', 'h2'].map((id) => api(server, `households/${id}/accounts`, adam)),
    )
    const entries = ofHouseholds.map((answer) => answer.text.slice(1, -1))
    expect(text.startsWith(`{"data":[${entries.join(',')}],"next_cursor":null,"receipt":{`)).toBe(true)
    expect(JSON.parse(text).data).toEqual([
      {
        ...{ id: 'a5', household_id: 'h1', name: 'Main, "a"', type: 'checking', number_masked: '**** 1234' },
        ...{ custodian: 'Bank', currency: 'EUR', status: 'active', opened_on: '0987-02-03' },
      },
      { id: 'a4', household_id: 'h2', status: 'active' },
    ])
  })

  test('runs one statement for each page, has a tag, and counts the accounts that were read', async () => {
    const { next_cursor } = await page(server, pia, { limit: 1 }, 'accounts')
    const { receipt } = await all(pia)
    for (const params of [{}, { cursor: next_cursor ?? '' }, { updated_since: receipt.as_of }]) {
      expect(await database.statementsDuring(() => apiV2(server, 'accounts', pia, params))).toBe(1)
    }
    const reads = async () => {
      await server.context.usage.write()
      return (await readsOf(database.direct, 'pia'))?.accounts ?? 0
    }
    const before = await reads()
    const url = `${server.baseUrl}api/v2/accounts?limit=2`
    const headers = { authorization: `Bearer ${pia}` }
    const tag = (await fetch(url, { headers })).headers.get('etag') ?? ''
    const again = await fetch(url, { headers: { ...headers, 'if-none-match': tag } })
    expect([again.status, (await reads()) - before]).toEqual([304, 2])
    const households = await fetch(url.replace('accounts', 'households'), {
      headers: { ...headers, 'if-none-match': tag },
    })
    expect(households.status).toBe(200)
  })

  test('is served at the root of the origin, to GET and HEAD only, and ignores name_contains', async () => {
    expect((await apiV2({ baseUrl: `${server.authUrl}/` }, 'accounts', adam)).status).toBe(200)
    const post = await fetch(`${server.baseUrl}api/v2/accounts`, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(idsOf(await all(adam, { name_contains: 'nothing' }))).toEqual(['a5', 'a4'])
    const { status, body } = await apiV2(server, 'accounts', adam, { limit: 0 })
    expect([status, body]).toMatchObject([400, { errors: [{ parameter: 'limit' }] }])
    const expired = await accessTokenOf(database.direct, 'adam', { expiresIn: -1 })
    expect((await apiV2(server, 'accounts', expired)).status).toBe(401)
  })
})

test('what an import changes comes in data or removed, for users of both kinds', async () => {
  const rows = {
    a5: 'a5,h1,Main,,,,,active,\n',
    a1: 'a1,h2,,,,,,active,\n',
    a3: 'a3,h2,Old,,,,,closed,\n',
    a4: 'a4,h2,,,,,,active,\n',
    a9: 'a9,h9,,,,,,active,\n',
  }
  const accounts = (changes: Record<string, string>) => ({
    'accounts.csv': accountsHeader + Object.values({ ...rows, ...changes }).join(''),
  })
  const access = (...ids: string[]) => ({
    'account_access.csv': `user_id,account_id\n${ids.map((id) => `adam,${id}\n`).join('')}`,
  })
  const households = (h2: string, h9: string) => ({
    'households.csv': `id,firm_id,name\nh1,f1,One\nh2,${h2},Two\nh3,f1,Three\nh9,${h9},Nine\n`,
  })
  const directory: ImportFiles = {
    'firms.csv': 'id,name\nf1,First\nf2,Second\n',
    'roles.csv': 'name,sees\nprincipal,firm\nadvisor,granted\n',
    'users.csv': `${usersHeader}pia,f1,pia@example.com,Pia,principal,active,\nadam,f1,adam@example.com,Adam,advisor,active,\n`,
    ...households('f1', 'f2'),
    ...accounts({}),
    ...access('a5', 'a3', 'a4', 'a9'),
  }
  const change = (files: ImportFiles) => taken(database.direct, { ...directory, ...files }, { atMost: 10 })
  await change({})
  const a1 = { a1: 'a1,h2,New,,,,,active,\n' }
  const steps: [what: string, files: ImportFiles, forPia: string, forAdam: string][] = [
    [
      'renamed, closed, added',
      accounts({ ...a1, a5: 'a5,h1,,,,,,closed,\n', b1: 'b1,h3,,,,,,active,\n' }),
      ...(['a1 b1 - a5', '- a5'] as const),
    ],
    [
      'moved to another household, renamed while closed, removed',
      accounts({ ...a1, a4: 'a4,h3,,,,,,active,\n', a5: 'a5,h1,Still,,,,,closed,\n' }),
      ...(['a4 - b1', 'a4 -'] as const),
    ],
    ['moved to another firm, reopened', accounts({ a4: 'a4,h9,,,,,,active,\n' }), 'a1 a5 - a4', 'a5 - a4'],
    ['moved back', {}, 'a4 -', 'a4 -'],
    [
      'left a household that moves to another firm, closed in it',
      { ...households('f2', 'f2'), ...accounts({ a1: 'a1,h1,,,,,,active,\n', a4: 'a4,h2,,,,,,closed,\n' }) },
      ...(['a1 - a4', '- a4'] as const),
    ],
    ['all back, and a household came to the firm', households('f1', 'f1'), 'a1 a4 a9 -', 'a4 a9 -'],
    ['a household left, access taken', access('a5', 'a3', 'a9'), '- a9', '- a4 a9'],
    ['access given', {}, '-', 'a4 -'],
  ]
  const asOf: Record<string, string> = {
    pia: (await all(pia)).receipt.as_of,
    adam: (await all(adam)).receipt.as_of,
  }
  const changes = async (user: 'pia' | 'adam', token: string) => {
    const { data, removed, receipt } = await all(token, { limit: 1, updated_since: asOf[user] ?? '' })
    asOf[user] = receipt.as_of
    return [...idsOf({ data }).sort(), '-', ...removed.sort()].join(' ')
  }
  for (const [what, files, forPia, forAdam] of steps) {
    await change(files)
    expect([what, await changes('pia', pia), await changes('adam', adam)]).toEqual([what, forPia, forAdam])
  }
  const neverThere = `SELECT FROM account_changes WHERE firm_id = 'f2' AND account_id = 'a1'`
  expect(await query(database.direct, neverThere)).toEqual([])
  await change({
    'users.csv': String(directory['users.csv']).replace('Adam,advisor', 'Adam,principal'),
  })
  const { status, body } = await apiV2(server, 'accounts', adam, { updated_since: asOf.adam ?? '' })
  expect([status, body]).toMatchObject([
    410,
    { code: 'sync_expired', detail: expect.stringMatching(/read all accounts again/) },
  ])
  expect(idsOf(await all(adam))).toEqual(['a5', 'a1', 'a4'])
})
