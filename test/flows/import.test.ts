import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'
import {
  addSession,
  base,
  emptyDirectory,
  everything,
  refusal,
  startedUntil,
  taken,
  writeFiles,
} from '../support/import.ts'
import { errorOf, latchkeyOn as latchkey } from '../support/latchkey.ts'

const db = await databaseFixture()
beforeEach(() => emptyDirectory(db.database))

describe('the command', () => {
  test('imports six files and prints counts in JSON; a second run changes nothing', async () => {
    const directory = writeFiles(base)
    const first = await latchkey(db.url, ['import', directory, '--json'])
    expect(first).toMatchObject({ code: 0 })
    expect(JSON.parse(first.stdout)).toEqual({
      files: {
        'firms.csv': { added: 2, changed: 0, unchanged: 0 },
        'roles.csv': { added: 2, changed: 0, unchanged: 0 },
        'users.csv': { added: 2, changed: 0, unchanged: 0 },
        'households.csv': { added: 3, changed: 0, unchanged: 0 },
        'accounts.csv': { added: 2, changed: 0, unchanged: 0 },
        'account_access.csv': { added: 1, changed: 0, unchanged: 0 },
      },
      kept_disabled: [],
      weaker_logins: { users: [], removed: [] },
    })
    expect(first.stderr).toContain('reading households.csv')
    expect(
      await query(db.database, 'SELECT id, firm_id, name, name_folded FROM households ORDER BY id'),
    ).toEqual([
      { id: 'h1', firm_id: 'f1', name: 'Straße', name_folded: 'strasse' },
      { id: 'h2', firm_id: 'f1', name: null, name_folded: null },
      { id: 'h3', firm_id: 'f2', name: 'Baker, "Butcher"', name_folded: 'baker, "butcher"' },
    ])
    const columns =
      'id, household_id, name, type, number_masked, custodian, currency, status, opened_on::text'
    expect(await query(db.database, `SELECT ${columns} FROM accounts ORDER BY id`)).toEqual([
      {
        id: 'a1',
        household_id: 'h1',
        name: 'Main',
        type: 'checking',
        number_masked: '**** 1234',
        custodian: 'Bank',
        currency: 'EUR',
        status: 'active',
        opened_on: '2020-02-29',
      },
      {
        id: 'a2',
        household_id: 'h3',
        name: null,
        type: null,
        number_masked: null,
        custodian: null,
        currency: null,
        status: 'closed',
        opened_on: null,
      },
    ])

    const before = await everything(db.database)
    const again = await latchkey(db.url, ['import', directory])
    expect(again.stdout).toContain('households.csv: 0 added, 0 changed, 3 unchanged\n')
    expect(again.stdout).toContain('users.csv: 0 added, 0 changed, 2 unchanged\n')
    expect(await everything(db.database)).toEqual(before)
  })

  test('an invalid last line of the last file leaves everything unchanged', async () => {
    await taken(db.database, base)
    const before = await everything(db.database)
    const finished = await latchkey(db.url, [
      'import',
      '--json',
      writeFiles({
        ...base,
        'firms.csv': 'id,name\nf1,Renamed\nf9,New\n',
        'households.csv': 'id,firm_id,name\nh1,f2,Moved\nh9,f9,New\n',
        'account_access.csv': 'user_id,account_id\nu1,a1\nu2,a404\n',
      }),
    ])
    expect(finished).toMatchObject({ code: 1, stdout: '' })
    expect(errorOf(finished)).toEqual({
      code: 'refused',
      message: 'account_access.csv:3: column "account_id": there is no account "a404"\nNothing was changed.',
    })
    expect(await everything(db.database)).toEqual(before)
  })

  test('prints 20 faults and counts the rest', async () => {
    const bad = Array.from({ length: 31 }, (_, n) => `h${n},f404,x`).join('\n')
    const { stderr } = await latchkey(db.url, [
      'import',
      writeFiles({ 'households.csv': `id,firm_id,name\n${bad}\n` }),
    ])
    expect(stderr.match(/there is no firm "f404"/g)).toHaveLength(20)
    expect(stderr).toContain('households.csv:21: ')
    expect(stderr).not.toContain('households.csv:22: ')
    expect(stderr).toContain('… and 11 more.')
  })
})

describe('what changes', () => {
  test('rows are added and changed, households move, and rows that are not in the files stay', async () => {
    await taken(db.database, base)
    expect(
      await taken(db.database, {
        'households.csv': 'id,firm_id,name\nh1,f1,Straße\nh2,f2,Named\nh4,f1,New\n',
      }),
    ).toEqual({ 'households.csv': { added: 1, changed: 1, unchanged: 1 } })
    expect(await query(db.database, 'SELECT id, firm_id, name FROM households ORDER BY id')).toEqual([
      { id: 'h1', firm_id: 'f1', name: 'Straße' },
      { id: 'h2', firm_id: 'f2', name: 'Named' },
      { id: 'h3', firm_id: 'f2', name: 'Baker, "Butcher"' },
      { id: 'h4', firm_id: 'f1', name: 'New' },
    ])
  })

  test('columns may come in any order, and optional columns may be absent', async () => {
    await taken(db.database, { ...base, 'accounts.csv': 'status,id,household_id\nactive,a2,h1\n' })
    expect(await query(db.database, 'SELECT id, household_id, status, name FROM accounts')).toEqual([
      { id: 'a2', household_id: 'h1', status: 'active', name: null },
    ])
  })

  test('a byte order mark, CRLF, blank lines and a last line without a line break are accepted', async () => {
    await taken(db.database, {
      'firms.csv': '\uFEFFid,name\r\nf1,First\r\n\r\nf2,"two\r\nlines\\n\tand a tab"\r\nf3,Third',
    })
    expect(await query(db.database, 'SELECT id, name FROM firms ORDER BY id')).toEqual([
      { id: 'f1', name: 'First' },
      { id: 'f2', name: 'two\r\nlines\\n\tand a tab' },
      { id: 'f3', name: 'Third' },
    ])
  })

  test('a second import waits for the first, and then finds nothing to do', async () => {
    await taken(db.database, base)
    const firms = 'id,name\nf3,Third\n'
    const roles = 'name,sees\nadvisor,firm\n'
    const [first, second] = await db.database.withConnection(async (holder) => {
      await holder.query(`BEGIN; SELECT FROM roles WHERE name = 'advisor' FOR UPDATE`)
      const one = await startedUntil(db.database, 'storing roles.csv', {
        'firms.csv': firms,
        'roles.csv': roles,
      })
      const two = await startedUntil(db.database, 'checking', { 'firms.csv': firms })
      await sleep(200)
      await holder.query('ROLLBACK')
      return Promise.all([one.outcome, two.outcome])
    })
    expect(first).toMatchObject({ files: { 'firms.csv': { added: 1 }, 'roles.csv': { changed: 1 } } })
    expect(second).toEqual({
      kind: 'imported',
      keptDisabled: [],
      weakerLogins: { users: [], removed: [] },
      vacuumFailure: null,
      files: { 'firms.csv': { added: 0, changed: 0, unchanged: 1 } },
    })
  })

  test('line numbers stay correct in a large file with quoted line breaks', async () => {
    const long = Array.from({ length: 3000 }, (_, n) => `h${n},f1,"${'ü'.repeat(50)}\n${n}"`).join('\n')
    const { 'firms.csv': firms } = base
    expect(
      await refusal(db.database, {
        'firms.csv': firms,
        'households.csv': `id,firm_id,name\n${long}\nhx,f404,last\n`,
      }),
    ).toEqual(['households.csv:6002: column "firm_id": there is no firm "f404"'])
    await taken(db.database, { 'firms.csv': firms, 'households.csv': `id,firm_id,name\n${long}\n` })
    expect(
      await query(db.database, `SELECT count(*)::integer AS count FROM households WHERE name LIKE 'ü%ü\n%'`),
    ).toEqual([{ count: 3000 }])
  })
})

test('while an import waits to store, others can read, and new rows may refer to rows that it changes', async () => {
  await taken(db.database, base)
  await db.database.withConnection(async (holder) => {
    await holder.query(`BEGIN; SELECT FROM firms WHERE id = 'f1' FOR UPDATE`)
    const { outcome } = await startedUntil(db.database, 'storing firms.csv', {
      'firms.csv': 'id,name\nf1,Changed\n',
    })
    expect(await query(db.database, `SELECT name FROM firms WHERE id = 'f1'`)).toEqual([{ name: 'First' }])
    await addSession(db.database, 'u1')
    await holder.query('ROLLBACK')
    expect(await outcome).toMatchObject({ kind: 'imported' })
  })
  expect(await query(db.database, `SELECT name FROM firms WHERE id = 'f1'`)).toEqual([{ name: 'Changed' }])
})
