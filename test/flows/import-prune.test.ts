import { beforeEach, describe, expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { emailOf, password } from '../support/directory.ts'
import { databaseFixture } from '../support/fixtures.ts'
import {
  accountsHeader,
  base,
  emptyDirectory,
  everything,
  refusal,
  take,
  taken,
  usersHeader,
  writeFiles,
} from '../support/import.ts'
import { api, refresh } from '../support/journey.ts'
import { latchkeyOn as latchkey } from '../support/latchkey.ts'
import { testServer } from '../support/server.ts'

const db = await databaseFixture()
beforeEach(() => emptyDirectory(db.database))

/** The base files without h2, without u2 and without the account access of u2. */
const fewer = {
  ...base,
  'users.csv': `${usersHeader}u1,f1,Ann@Example.com,Ann,principal,active,\n`,
  'households.csv': 'id,firm_id,name\nh1,f1,Straße\nh3,f2,"Baker, ""Butcher"""\n',
  'account_access.csv': 'user_id,account_id\n',
}
const pruneAll = { atMost: 1000 }

describe('the command', () => {
  test('first prints what it would remove and the command that removes it', async () => {
    await taken(db.database, base)
    const before = await everything(db.database)
    const directory = writeFiles(fewer)
    const plan = await latchkey(db.url, ['import', directory, '--prune'])
    expect(plan.code).toBe(0)
    expect(plan.stdout).toBe(`would remove: firms.csv nothing
would remove: roles.csv nothing
would remove: users.csv 1 of 2 (u2) – MORE THAN A FIFTH: is the file complete?
would remove: households.csv 1 of 3 (h2) – MORE THAN A FIFTH: is the file complete?
would remove: accounts.csv nothing
would remove: account_access.csv 1 of 1 (u2 a2) – MORE THAN A FIFTH: is the file complete?
Nothing was changed. To import, and remove these: latchkey import '${directory}' --prune --at-most 3
`)
    expect(await everything(db.database)).toEqual(before)

    const done = await latchkey(db.url, ['import', directory, '--prune', '--at-most', '3', '--json'])
    expect(JSON.parse(done.stdout).files).toMatchObject({
      'firms.csv': { added: 0, changed: 0, unchanged: 2, removed: 0 },
      'users.csv': { unchanged: 1, removed: 1 },
      'households.csv': { unchanged: 2, removed: 1 },
      'account_access.csv': { unchanged: 0, removed: 1 },
    })
    expect(await query(db.database, 'SELECT id FROM households ORDER BY id')).toEqual([
      { id: 'h1' },
      { id: 'h3' },
    ])
    expect(await query(db.database, 'SELECT id FROM users')).toEqual([{ id: 'u1' }])
    expect(await query(db.database, 'SELECT FROM account_access')).toEqual([])
  })

  test('removes nothing if more rows would be removed than were confirmed', async () => {
    await taken(db.database, base)
    const before = await everything(db.database)
    const directory = writeFiles({ ...fewer, 'firms.csv': `${base['firms.csv']}f3,Third\n` })
    const { code, stdout, stderr } = await latchkey(db.url, [
      'import',
      directory,
      '--prune',
      '--at-most',
      '2',
    ])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('would remove: households.csv 1 of 3 (h2)')
    expect(stderr).toContain('3 rows would be removed, more than 2. Nothing was changed.')
    expect(await everything(db.database)).toEqual(before)
  })

  test('prints the plan in JSON, with the first five keys', async () => {
    const rows = (from: number) =>
      Array.from({ length: 40 - from }, (_, n) => `f${n + from + 10},x\n`).join('')
    await taken(db.database, { 'firms.csv': `id,name\n${rows(0)}` })
    const directory = writeFiles({ 'firms.csv': `id,name\n${rows(7)}` })
    const { stdout } = await latchkey(db.url, ['import', directory, '--prune', '--json'])
    expect(JSON.parse(stdout)).toEqual({
      would_remove: { 'firms.csv': { rows: 7, of: 40, first: ['f10', 'f11', 'f12', 'f13', 'f14'] } },
      weaker_logins: { users: [], removed: [] },
    })
    const { stdout: text } = await latchkey(db.url, ['import', directory, '--prune'])
    expect(text).toContain('would remove: firms.csv 7 of 40 (f10, f11, f12, f13, f14, …)\n')
  })

  test.each([
    [['--at-most', '3'], '--at-most needs --prune'],
    [['--prune', '--at-most', 'all'], 'It must be a number of rows.'],
  ])('%j is refused', async (options, reason) => {
    const { code, stderr } = await latchkey(db.url, ['import', writeFiles(base), ...options])
    expect(code).toBe(1)
    expect(stderr).toContain(reason)
  })
})

describe('what is removed', () => {
  test('without --prune nothing is removed; with it, only rows of tables whose file is present', async () => {
    await taken(db.database, base)
    const households = { 'households.csv': 'id,firm_id,name\nh1,f1,Straße\nh3,f2,Baker\n' }
    await taken(db.database, households)
    expect(await query(db.database, 'SELECT FROM households')).toHaveLength(3)
    expect(await taken(db.database, households, pruneAll)).toEqual({
      'households.csv': { added: 0, changed: 0, unchanged: 2, removed: 1 },
    })
    expect(await query(db.database, 'SELECT FROM accounts')).toHaveLength(2)
  })

  test('a firm is removed when its households and users have moved, and a new user can take a removed user’s email address', async () => {
    await taken(db.database, base)
    await taken(
      db.database,
      {
        'firms.csv': 'id,name\nf3,Third\n',
        'users.csv': `${usersHeader}u9,f3,ANN@example.com,Ann,principal,active,\nu2,f3,bob@example.com,Bob,advisor,active,\n`,
        'households.csv': 'id,firm_id,name\nh1,f3,x\nh3,f3,y\n',
      },
      pruneAll,
    )
    expect(await query(db.database, 'SELECT id FROM firms')).toEqual([{ id: 'f3' }])
    expect(await query(db.database, 'SELECT id FROM users ORDER BY id')).toEqual([{ id: 'u2' }, { id: 'u9' }])
  })

  test.each([
    [
      { 'firms.csv': 'id,name\nf2,Second\n' },
      [
        'firms.csv: the firm "f1" is missing, but cannot be removed because "u1" in users refers to it; is users.csv missing?',
        'firms.csv: the firm "f1" is missing, but cannot be removed because "h1" in households refers to it; is households.csv missing?',
      ],
    ],
    [
      { 'roles.csv': 'name,sees\nprincipal,firm\n' },
      [
        'roles.csv: the role "advisor" is missing, but cannot be removed because "u2" in users refers to it; is users.csv missing?',
      ],
    ],
    [
      { 'accounts.csv': `${accountsHeader}a1,h1,,,,,,closed,\n` },
      [
        'accounts.csv: the account "a2" is missing, but cannot be removed because "u2 a2" in account_access refers to it; is account_access.csv missing?',
      ],
    ],
    [
      {
        'firms.csv': 'id,name\nf2,Second\n',
        'households.csv': 'id,firm_id,name\nh1,f1,x\nh3,f2,y\n',
        'users.csv': usersHeader,
      },
      [
        'users.csv: the user "u2" is missing, but cannot be removed because "u2 a2" in account_access refers to it; is account_access.csv missing?',
      ],
    ],
  ])('a row that remaining rows refer to is not removed: %j', async (files, faults) => {
    await taken(db.database, base)
    const before = await everything(db.database)
    expect(await refusal(db.database, files, pruneAll)).toEqual(expect.arrayContaining(faults))
    expect(await everything(db.database)).toEqual(before)
  })

  test('rows in the files must not refer to rows that would be removed', async () => {
    await taken(db.database, base)
    const files = { 'firms.csv': 'id,name\nf2,Second\n', 'households.csv': 'id,firm_id,name\nh1,f1,x\n' }
    expect(await refusal(db.database, files, pruneAll)).toContain(
      'households.csv:2: column "firm_id": there is no firm "f1"',
    )
    expect(await take(db.database, files)).toMatchObject({ kind: 'imported' })
  })
})

test('the grants of a removed user end with the next request, and those of other users stay live', async () => {
  const server = await testServer()
  try {
    const row = (id: string) => `${id},f1,${emailOf(id)},${id},principal,active,${password}\n`
    const users = (...ids: string[]) => ({
      ...base,
      'account_access.csv': 'user_id,account_id\n',
      'users.csv': usersHeader + ids.map(row).join(''),
    })
    await taken(server.database, users('ada', 'bob'))
    const partner = await server.partner()
    const [adas, bobs] = [await tokensFor(server, partner, 'ada'), await tokensFor(server, partner, 'bob')]
    await taken(server.database, users('bob'), pruneAll)
    expect((await api(server, 'households', adas.accessToken)).status).toBe(401)
    expect(await refresh(server, partner, adas.refreshToken)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    expect((await api(server, 'households', bobs.accessToken)).status).toBe(200)
    expect(
      await query(server.database, 'SELECT user_id FROM sessions UNION SELECT user_id FROM grants'),
    ).toEqual([{ user_id: 'bob' }])
  } finally {
    await server.close()
  }
})
