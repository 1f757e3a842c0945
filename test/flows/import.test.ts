import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ImportOutcome, importDirectory } from '../../src/directory/import/import-directory.ts'
import { hashPassword, verifyPassword } from '../../src/directory/passwords.ts'
import { query, type TestDatabase, testDatabase } from '../support/database.ts'
import { latchkeyOn as latchkey } from '../support/latchkey.ts'

type Files = Record<string, string | Buffer>

const scratch = mkdtempSync(join(tmpdir(), 'latchkey-import-'))
let directories = 0
let db: TestDatabase

const usersHeader = 'id,firm_id,email,name,role,status,password\n'
const accountsHeader = 'id,household_id,name,type,number_masked,custodian,currency,status,opened_on\n'

const base = {
  'firms.csv': 'id,name\nf1,First\nf2,Second\n',
  'roles.csv': 'name,sees\nprincipal,firm\nadvisor,granted\n',
  'users.csv': `${usersHeader}u1,f1,Ann@Example.com,Ann,principal,active,ann-has-a-password\nu2,f2,bob@example.com,Bob,advisor,active,\n`,
  'households.csv': 'id,firm_id,name\nh1,f1,Straße\nh2,f1,\nh3,f2,"Baker, ""Butcher"""\n',
  'accounts.csv': `${accountsHeader}a1,h1,Main,checking,**** 1234,Bank,EUR,active,2020-02-29\na2,h3,,,,,,closed,\n`,
  'account_access.csv': 'user_id,account_id\nu2,a2\n',
}

beforeAll(async () => {
  db = await testDatabase()
})

afterAll(async () => {
  await db.drop()
  rmSync(scratch, { recursive: true })
})

beforeEach(async () => {
  await rows('TRUNCATE firms, roles, users, households, accounts, account_access CASCADE')
})

function rows(sql: string, values: unknown[] = []) {
  return query(db.database, sql, values)
}

function write(files: Files): string {
  const directory = join(scratch, String(++directories))
  mkdirSync(directory)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return directory
}

/** Without the process around it. */
function take(files: Files): Promise<ImportOutcome> {
  return importDirectory(db.database, write(files))
}

async function taken(files: Files) {
  const outcome = await take(files)
  if (outcome.kind !== 'imported') throw new Error(JSON.stringify(outcome))
  return outcome.files
}

async function refusal(files: Files): Promise<string[]> {
  const outcome = await take(files)
  if (outcome.kind !== 'refused') throw new Error(JSON.stringify(outcome))
  return outcome.faults
}

/** An import that has come as far as this step. The outcome is in an object, or else it would be awaited here. */
async function startedUntil(step: string, files: Files): Promise<{ outcome: Promise<ImportOutcome> }> {
  const directory = write(files)
  return new Promise((reached) => {
    const outcome = importDirectory(db.database, directory, (what) => {
      if (what === step) reached({ outcome })
    })
  })
}

async function everything(): Promise<unknown> {
  const tables = ['firms', 'roles', 'users', 'households', 'accounts', 'account_access', 'sessions']
  return Promise.all(tables.map((table) => rows(`SELECT * FROM ${table} ORDER BY 1, 2`)))
}

async function logIn(user: string): Promise<void> {
  await rows(`INSERT INTO sessions (hash, user_id, expires_at) VALUES ($1, $2, now() + '1 day')`, [
    Buffer.from(user),
    user,
  ])
}

describe('the command', () => {
  test('takes six files over and answers in JSON with counts; again, nothing changes', async () => {
    const directory = write(base)
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
    })
    expect(first.stderr).toContain('reading households.csv')
    expect(await rows('SELECT * FROM households ORDER BY id')).toEqual([
      { id: 'h1', firm_id: 'f1', name: 'Straße', name_folded: 'strasse' },
      { id: 'h2', firm_id: 'f1', name: null, name_folded: null },
      { id: 'h3', firm_id: 'f2', name: 'Baker, "Butcher"', name_folded: 'baker, "butcher"' },
    ])
    expect(await rows('SELECT *, opened_on::text FROM accounts ORDER BY id')).toEqual([
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

    const before = await everything()
    const again = await latchkey(db.url, ['import', directory])
    expect(again.stdout).toContain('households.csv: 0 added, 0 changed, 3 unchanged\n')
    expect(again.stdout).toContain('users.csv: 0 added, 0 changed, 2 unchanged\n')
    expect(await everything()).toEqual(before)
  })

  test('a bad row in the last line of the last file leaves everything as it was', async () => {
    await taken(base)
    const before = await everything()
    const { code, stdout, stderr } = await latchkey(db.url, [
      'import',
      '--json',
      write({
        ...base,
        'firms.csv': 'id,name\nf1,Renamed\nf9,New\n',
        'households.csv': 'id,firm_id,name\nh1,f2,Moved\nh9,f9,New\n',
        'account_access.csv': 'user_id,account_id\nu1,a1\nu2,a404\n',
      }),
    ])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('account_access.csv:3: column "account_id": there is no account "a404"\n')
    expect(stderr).toContain('Nothing was changed.')
    expect(await everything()).toEqual(before)
  })

  test('names 20 faults and counts the rest', async () => {
    const bad = Array.from({ length: 31 }, (_, n) => `h${n},f404,x`).join('\n')
    const { stderr } = await latchkey(db.url, [
      'import',
      write({ 'households.csv': `id,firm_id,name\n${bad}\n` }),
    ])
    expect(stderr.match(/there is no firm "f404"/g)).toHaveLength(20)
    expect(stderr).toContain('households.csv:21: ')
    expect(stderr).not.toContain('households.csv:22: ')
    expect(stderr).toContain('… and 11 more.')
  })
})

describe('what changes', () => {
  test('rows are added and changed, households move, and what is not in the files stays', async () => {
    await taken(base)
    expect(
      await taken({ 'households.csv': 'id,firm_id,name\nh1,f1,Straße\nh2,f2,Named\nh4,f1,New\n' }),
    ).toEqual({ 'households.csv': { added: 1, changed: 1, unchanged: 1 } })
    expect(await rows('SELECT id, firm_id, name FROM households ORDER BY id')).toEqual([
      { id: 'h1', firm_id: 'f1', name: 'Straße' },
      { id: 'h2', firm_id: 'f2', name: 'Named' },
      { id: 'h3', firm_id: 'f2', name: 'Baker, "Butcher"' },
      { id: 'h4', firm_id: 'f1', name: 'New' },
    ])
  })

  test('columns come in any order, and optional ones may be left out', async () => {
    await taken({ ...base, 'accounts.csv': 'status,id,household_id\nactive,a2,h1\n' })
    expect(await rows('SELECT id, household_id, status, name FROM accounts')).toEqual([
      { id: 'a2', household_id: 'h1', status: 'active', name: null },
    ])
  })

  test('a byte order mark, CRLF, blank lines and a last line without an end are all fine', async () => {
    await taken({
      'firms.csv': '\uFEFFid,name\r\nf1,First\r\n\r\nf2,"two\r\nlines\\n\tand a tab"\r\nf3,Third',
    })
    expect(await rows('SELECT * FROM firms ORDER BY id')).toEqual([
      { id: 'f1', name: 'First' },
      { id: 'f2', name: 'two\r\nlines\\n\tand a tab' },
      { id: 'f3', name: 'Third' },
    ])
  })

  test('a second import waits for the first, and then finds nothing to do', async () => {
    await taken(base)
    const firms = 'id,name\nf3,Third\n'
    const roles = 'name,sees\nadvisor,firm\n'
    const [first, second] = await db.database.withConnection(async (holder) => {
      await holder.query(`BEGIN; SELECT FROM roles WHERE name = 'advisor' FOR UPDATE`)
      const one = await startedUntil('storing roles.csv', { 'firms.csv': firms, 'roles.csv': roles })
      const two = await startedUntil('checking', { 'firms.csv': firms })
      await sleep(200)
      await holder.query('ROLLBACK')
      return Promise.all([one.outcome, two.outcome])
    })
    expect(first).toMatchObject({ files: { 'firms.csv': { added: 1 }, 'roles.csv': { changed: 1 } } })
    expect(second).toEqual({
      kind: 'imported',
      files: { 'firms.csv': { added: 0, changed: 0, unchanged: 1 } },
    })
  })

  test('line numbers hold over many pieces of a file and quoted line breaks', async () => {
    const long = Array.from({ length: 3000 }, (_, n) => `h${n},f1,"${'ü'.repeat(50)}\n${n}"`).join('\n')
    const { 'firms.csv': firms } = base
    expect(
      await refusal({ 'firms.csv': firms, 'households.csv': `id,firm_id,name\n${long}\nhx,f404,last\n` }),
    ).toEqual(['households.csv:6002: column "firm_id": there is no firm "f404"'])
    await taken({ 'firms.csv': firms, 'households.csv': `id,firm_id,name\n${long}\n` })
    expect(await rows(`SELECT count(*)::integer AS count FROM households WHERE name LIKE 'ü%ü\n%'`)).toEqual([
      { count: 3000 },
    ])
  })
})

describe('passwords', () => {
  const user = (password: string, status = 'active') => ({
    'firms.csv': base['firms.csv'],
    'roles.csv': base['roles.csv'],
    'users.csv': `${usersHeader}u1,f1,ann@example.com,Ann,principal,${status},${password}\n`,
  })
  const storedHash = async () => {
    const [row] = await rows(`SELECT password_hash FROM users WHERE id = 'u1'`)
    return typeof row?.password_hash === 'string' ? row.password_hash : null
  }

  test('are stored as argon2id; the same one again keeps its hash and the sessions', async () => {
    await taken(user('correct horse'))
    const hash = await storedHash()
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await verifyPassword('correct horse', hash)).toBe(true)
    await logIn('u1')
    await taken(user('correct horse'))
    expect(await storedHash()).toBe(hash)
    expect(await rows('SELECT user_id FROM sessions')).toEqual([{ user_id: 'u1' }])
  })

  test('another one replaces it and ends the sessions of this user alone', async () => {
    await taken(user('correct horse'))
    await taken({ 'users.csv': `${usersHeader}u2,f2,bob@example.com,Bob,advisor,active,bobs own\n` })
    await logIn('u1')
    await logIn('u2')
    await taken({
      'users.csv':
        `${usersHeader}u1,f1,ann@example.com,Ann,principal,active,battery staple\n` +
        'u2,f2,bob@example.com,Bobby,advisor,active,bobs own\n',
    })
    expect(await verifyPassword('battery staple', await storedHash())).toBe(true)
    expect(await rows('SELECT user_id FROM sessions')).toEqual([{ user_id: 'u2' }])
  })

  test('an empty value and a missing column keep what there is', async () => {
    await taken(user('correct horse'))
    const hash = await storedHash()
    await logIn('u1')
    await taken(user(''))
    await taken({
      'users.csv': 'id,firm_id,email,name,role,status\nu1,f1,ann@example.com,Ann,principal,active\n',
    })
    expect(await storedHash()).toBe(hash)
    expect(await rows('SELECT user_id FROM sessions')).toHaveLength(1)
  })

  test('disabling a user ends the sessions', async () => {
    await taken(user('correct horse'))
    await logIn('u1')
    await taken(user('', 'disabled'))
    expect(await rows('SELECT user_id FROM sessions')).toEqual([])
  })

  test('an argon2id hash is kept as it is', async () => {
    const hash = await hashPassword('made elsewhere')
    await taken(user(`"${hash}"`))
    expect(await storedHash()).toBe(hash)
  })

  test.each([
    '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '"$argon2id$v=19$m=4194304,t=2,p=1$CzaPZkrFBc8+A+DfjLmQ4Q$/m9xMCxgzJ7XwmgIpcV8O7FhHa80I2xKJSkglahY4Ek"',
    '$argon2i$v=19$m=4096$c2FsdHNhbHQ$aGFzaA',
    '{SSHA}DkMTwBl+a/3DQTxCYEApdUtNXGgdUac3',
    'pbkdf2_sha256$600000$abc$def',
  ])('a hash of another kind is refused and not repeated: %s', async (hash) => {
    const [fault, ...others] = await refusal(user(hash))
    expect(fault).toMatch(/^users\.csv:2: column "password": is a hash of another kind/)
    expect(fault).not.toContain(hash.slice(-10, -1))
    expect(others).toEqual([])
  })

  test('never appear in a message, whatever else is wrong with the row', async () => {
    const outcome = await take({
      ...base,
      'users.csv': `${usersHeader}u 1,f404,no-address,,nobody,sleeping,sesame-open\nu2,x,"sesame-open`,
    })
    expect(outcome.kind).toBe('refused')
    expect(JSON.stringify(outcome)).not.toContain('sesame-open')
  })
})

describe('email addresses', () => {
  test('can be swapped between users, and passed on', async () => {
    await taken(base)
    await taken({
      'users.csv':
        `${usersHeader}u1,f1,BOB@example.com,Ann,principal,active,\n` +
        'u2,f2,ann@example.com,Bob,advisor,active,\n',
    })
    expect(await rows('SELECT id, email, email_folded FROM users ORDER BY id')).toEqual([
      { id: 'u1', email: 'BOB@example.com', email_folded: 'bob@example.com' },
      { id: 'u2', email: 'ann@example.com', email_folded: 'ann@example.com' },
    ])
  })

  test('belong to one user, whatever their case', async () => {
    await taken(base)
    expect(
      await refusal({
        'users.csv':
          `${usersHeader}u7,f1,weiß@example.com,A,principal,active,\n` +
          'u8,f1,WEISS@example.com,B,principal,active,\nu9,f1,ANN@EXAMPLE.COM,C,principal,active,\n',
      }),
    ).toEqual([
      'users.csv:3: column "email": "WEISS@example.com" is already on line 2',
      'users.csv:4: column "email": "ANN@EXAMPLE.COM" belongs to the user "u1"',
    ])
  })
})

describe('faults', () => {
  const household = (row: string) => ({
    'firms.csv': base['firms.csv'],
    'households.csv': `id,firm_id,name\n${row}`,
  })
  const account = (row: string) => ({
    ...household('h1,f1,x\n'),
    'accounts.csv': `${accountsHeader}${row}\n`,
  })

  test.each<[string, Files, string[]]>([
    [
      'a firm that is not there',
      household('h1,f9,x\n'),
      ['households.csv:2: column "firm_id": there is no firm "f9"'],
    ],
    ['an empty id', household(',f1,x\n'), ['households.csv:2: column "id": is empty']],
    [
      'an id that is none',
      household('"a ""b"" c",f1,x\n'),
      [
        'households.csv:2: column "id": "a \\"b\\" c" is not an id: those are 1 to 64 characters of A-Z a-z 0-9 . _ : -, and not . or ..',
      ],
    ],
    [
      'an id twice',
      household('h1,f1,x\nh2,f1,y\nh1,f2,z\n'),
      ['households.csv:4: column "id": "h1" is already on line 2'],
    ],
    [
      'an access twice',
      { ...base, 'account_access.csv': 'user_id,account_id\nu1,a1\nu2,a1\nu1,a1\n' },
      ['account_access.csv:4: column "account_id": "u1 a1" is already on line 2'],
    ],
    [
      'a long name',
      household(`h1,f1,${'n'.repeat(501)}\n`),
      [`households.csv:2: column "name": "${'n'.repeat(80)}…" is longer than 500 characters`],
    ],
    ['NUL', household('h1,f1,a\0b\n'), ['households.csv:2: column "name": has a NUL character in it']],
    ['too many values', household('h1,f1,x,y\n'), ['households.csv:2: the row has 4 values, the header 3']],
    ['too few values', household('h1,f1\n'), ['households.csv:2: the row has 2 values, the header 3']],
    [
      'a quote within',
      household('h1,f1,x\nh2,f1,a "b"\n'),
      ['households.csv:3: there is a quote within a value that is not quoted itself'],
    ],
    [
      'something after a quote',
      household('h1,f1,"x"y\n'),
      ['households.csv:2: after a closing quote comes something else than a comma or the end of the line'],
    ],
    [
      'an open quote',
      household('h1,f1,x\nh2,f1,"a\nb\nc\n'),
      ['households.csv:3: a quote that opens here is never closed'],
    ],
    [
      'an open quote in a large file',
      household(`h1,f1,"${'x\n'.repeat(50_000)}`),
      ['households.csv:2: the row is longer than 65536 bytes; is a closing quote missing?'],
    ],
    [
      'the line after quoted CRLF',
      household('h1,f1,"a\r\nb\r\nc"\r\nh2,f9,x\r\n'),
      ['households.csv:5: column "firm_id": there is no firm "f9"'],
    ],
    [
      'bytes that are not UTF-8',
      { 'firms.csv': Buffer.from('id,name\nf1,caf\xe9\n', 'latin1') },
      ['firms.csv:2: the line is not UTF-8'],
    ],
    [
      'a surrogate in UTF-8',
      { 'firms.csv': Buffer.from('id,name\nf1,x\nf2,\xed\xa0\x80\n', 'latin1') },
      ['firms.csv:3: the line is not UTF-8'],
    ],
    [
      'a cut off character',
      { 'firms.csv': Buffer.from('id,name\nf1,\xc3', 'latin1') },
      ['firms.csv:2: the line is not UTF-8'],
    ],
    [
      'UTF-16',
      { 'firms.csv': Buffer.from('\uFEFFid,name\n', 'utf16le') },
      ['firms.csv:1: the line is not UTF-8'],
    ],
    [
      'an unknown column',
      { 'firms.csv': 'id,name,size\n' },
      ['firms.csv:1: header: there is no column "size"; the columns are id,name'],
    ],
    [
      'a missing column',
      { 'firms.csv': 'id\nf1\n' },
      ['firms.csv:1: header: "name" is missing; the columns are id,name'],
    ],
    [
      'a column twice',
      { 'firms.csv': 'id,name,id\n' },
      ['firms.csv:1: header: "id" is there twice; the columns are id,name'],
    ],
    ['an empty file', { 'firms.csv': '' }, ['firms.csv:1: there is no header']],
    [
      'an unknown file',
      { 'firm.csv': 'id,name\n' },
      [
        'firm.csv is not a file of an import: those are firms.csv, roles.csv, users.csv, households.csv, accounts.csv, account_access.csv',
      ],
    ],
    [
      'a status',
      account('a1,h1,,,,,,Active,'),
      [
        'accounts.csv:2: column "status": "Active" is not a status: those are 1 to 32 characters of a-z and _',
      ],
    ],
    [
      'a currency',
      account('a1,h1,,,,,eur,active,'),
      ['accounts.csv:2: column "currency": "eur" is not a currency: those are three letters A-Z'],
    ],
    [
      'a day that never was',
      account('a1,h1,,,,,,active,2023-02-29'),
      ['accounts.csv:2: column "opened_on": "2023-02-29" is not a date: those are written YYYY-MM-DD'],
    ],
    [
      'a whole account number',
      account('a1,h1,,,DE89 3704 0044 0532,,,active,'),
      [
        'accounts.csv:2: column "number_masked": looks like a whole account number; store it masked, with 6 digits at most',
      ],
    ],
    [
      'a user status',
      { ...base, 'users.csv': `${usersHeader}u1,f1,a@b.example,A,advisor,gone,\n` },
      ['users.csv:2: column "status": "gone" is not active or disabled'],
    ],
    [
      'a role',
      {
        ...base,
        'users.csv': `${usersHeader}u1,f1,a@b.example,A,boss,active,\nu2,f1,c@b.example,A,advisor,active,\n`,
      },
      ['users.csv:2: column "role": there is no role "boss"'],
    ],
    [
      'what a role sees',
      { 'roles.csv': 'name,sees\nx,all\n' },
      ['roles.csv:2: column "sees": "all" is not firm or granted'],
    ],
    [
      'an address',
      {
        ...base,
        'users.csv': `${usersHeader}u1,f1,a b@c,A,advisor,active,\nu2,f1,c@b.example,A,advisor,active,\n`,
      },
      ['users.csv:2: column "email": "a b@c" is not an email address'],
    ],
  ])('%s', async (_name, files, faults) => {
    expect(await refusal(files)).toEqual(faults)
    expect((await rows('SELECT count(*)::integer AS count FROM firms'))[0]).toEqual({ count: 0 })
  })

  test('several of several files are named together', async () => {
    expect(await refusal({ 'firms.csv': 'id,name\n!,\n', 'roles.csv': 'name,sees\nx,y\n' })).toHaveLength(3)
  })

  test('a directory that is missing or empty is named', async () => {
    const { code, stderr } = await latchkey(db.url, ['import', join(scratch, 'missing')])
    expect(code).toBe(1)
    expect(stderr).toContain('missing is not a directory that can be read')
    expect((await refusal({ 'notes.txt': 'x' }))[0]).toContain('has none of the files of an import')
  })
})

test('while an import waits to store, others read and new rows may refer to what it changes', async () => {
  await taken(base)
  await db.database.withConnection(async (holder) => {
    await holder.query(`BEGIN; SELECT FROM firms WHERE id = 'f1' FOR UPDATE`)
    const { outcome } = await startedUntil('storing firms.csv', { 'firms.csv': 'id,name\nf1,Changed\n' })
    expect(await rows(`SELECT name FROM firms WHERE id = 'f1'`)).toEqual([{ name: 'First' }])
    await logIn('u1')
    await holder.query('ROLLBACK')
    expect(await outcome).toMatchObject({ kind: 'imported' })
  })
  expect(await rows(`SELECT name FROM firms WHERE id = 'f1'`)).toEqual([{ name: 'Changed' }])
})
