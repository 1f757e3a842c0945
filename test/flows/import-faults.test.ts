import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'
import {
  accountsHeader,
  base,
  emptyDirectory,
  type ImportFiles,
  refusal,
  usersHeader,
  writeFiles,
} from '../support/import.ts'
import { latchkeyOn as latchkey } from '../support/latchkey.ts'

const db = await databaseFixture()
beforeEach(() => emptyDirectory(db.database))

describe('faults', () => {
  const household = (row: string) => ({
    'firms.csv': base['firms.csv'],
    'households.csv': `id,firm_id,name\n${row}`,
  })
  const account = (row: string) => ({
    ...household('h1,f1,x\n'),
    'accounts.csv': `${accountsHeader}${row}\n`,
  })

  test.each<[string, ImportFiles, string[]]>([
    [
      'an unknown firm',
      household('h1,f9,x\n'),
      ['households.csv:2: column "firm_id": there is no firm "f9"'],
    ],
    ['an empty id', household(',f1,x\n'), ['households.csv:2: column "id": is empty']],
    [
      'an invalid id',
      household('"a ""b"" c",f1,x\n'),
      [
        'households.csv:2: column "id": "a \\"b\\" c" is not an id: an id has 1 to 64 characters of A-Z a-z 0-9 . _ : -, and is not . or ..',
      ],
    ],
    [
      'a duplicate id',
      household('h1,f1,x\nh2,f1,y\nh1,f2,z\n'),
      ['households.csv:4: column "id": "h1" is already on line 2'],
    ],
    [
      'a duplicate account access',
      { ...base, 'account_access.csv': 'user_id,account_id\nu1,a1\nu2,a1\nu1,a1\n' },
      ['account_access.csv:4: column "account_id": "u1 a1" is already on line 2'],
    ],
    [
      'a name that is too long',
      household(`h1,f1,${'n'.repeat(501)}\n`),
      [`households.csv:2: column "name": "${'n'.repeat(80)}…" is longer than 500 characters`],
    ],
    ['NUL', household('h1,f1,a\0b\n'), ['households.csv:2: column "name": contains a NUL character']],
    [
      'too many values',
      household('h1,f1,x,y\n'),
      ['households.csv:2: the row has 4 values, but the header has 3'],
    ],
    [
      'too few values',
      household('h1,f1\n'),
      ['households.csv:2: the row has 2 values, but the header has 3'],
    ],
    [
      'a quote within an unquoted value',
      household('h1,f1,x\nh2,f1,a "b"\n'),
      ['households.csv:3: a value without quotes around it contains a quote'],
    ],
    [
      'text after a closing quote',
      household('h1,f1,"x"y\n'),
      ['households.csv:2: a closing quote must be followed by a comma or the end of the line'],
    ],
    [
      'an unclosed quote',
      household('h1,f1,x\nh2,f1,"a\nb\nc\n'),
      ['households.csv:3: a quote that opens here is never closed'],
    ],
    [
      'an unclosed quote in a large file',
      household(`h1,f1,"${'x\n'.repeat(50_000)}`),
      ['households.csv:2: the row is longer than 65536 bytes; is a closing quote missing?'],
    ],
    [
      'a fault after quoted CRLF',
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
      'a truncated character',
      { 'firms.csv': Buffer.from('id,name\nf1,\xc3', 'latin1') },
      ['firms.csv:2: the line is not UTF-8'],
    ],
    [
      'UTF-16',
      { 'firms.csv': Buffer.from('\uFEFFid,name\n', 'utf16le') },
      ['firms.csv:1: the file is UTF-16; save it as UTF-8, which Excel calls "CSV UTF-8"'],
    ],
    [
      'UTF-16 of the other byte order',
      { 'firms.csv': Buffer.from('\uFEFFid,name\n', 'utf16le').swap16() },
      ['firms.csv:1: the file is UTF-16; save it as UTF-8, which Excel calls "CSV UTF-8"'],
    ],
    [
      'UTF-16 without a byte order mark',
      { 'firms.csv': Buffer.from('id,name\n', 'utf16le') },
      ['firms.csv:1: the file is UTF-16; save it as UTF-8, which Excel calls "CSV UTF-8"'],
    ],
    [
      'semicolons',
      { 'firms.csv': '\uFEFFid;name\nf1;First\n' },
      ['firms.csv:1: the values are separated by semicolons; separate them by commas'],
    ],
    [
      'tabs',
      { 'firms.csv': 'name\tid\n' },
      ['firms.csv:1: the values are separated by tabs; separate them by commas'],
    ],
    [
      'two byte order marks',
      { 'firms.csv': '\uFEFF\uFEFFid,name\nf1,First\n' },
      ['firms.csv:1: the file begins with two byte order marks; at most one is allowed'],
    ],
    [
      'a byte order mark in the middle of a file',
      { 'firms.csv': 'id,name\nf1,First\n\uFEFFf2,Second\n' },
      [
        'firms.csv:3: column "id": begins with a byte order mark (U+FEFF), which is allowed only at the beginning of the file; check whether files were joined',
      ],
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
      'a duplicate column',
      { 'firms.csv': 'id,name,id\n' },
      ['firms.csv:1: header: "id" appears twice; the columns are id,name'],
    ],
    ['an empty file', { 'firms.csv': '' }, ['firms.csv:1: the header is missing']],
    [
      'an unknown file',
      { 'firm.csv': 'id,name\n' },
      [
        'firm.csv is not an import file; import files are firms.csv, roles.csv, users.csv, households.csv, accounts.csv, account_access.csv',
      ],
    ],
    [
      'an invalid account status',
      account('a1,h1,,,,,,Active,'),
      [
        'accounts.csv:2: column "status": "Active" is not a status: a status has 1 to 32 characters of a-z and _',
      ],
    ],
    [
      'an invalid currency',
      account('a1,h1,,,,,eur,active,'),
      ['accounts.csv:2: column "currency": "eur" is not a currency: a currency has three letters A-Z'],
    ],
    [
      'a day that does not exist',
      account('a1,h1,,,,,,active,2023-02-29'),
      ['accounts.csv:2: column "opened_on": "2023-02-29" is not a date: write a date as YYYY-MM-DD'],
    ],
    [
      'a complete account number',
      account('a1,h1,,,DE89 3704 0044 0532,,,active,'),
      [
        'accounts.csv:2: column "number_masked": looks like a complete account number; mask it and keep at most 6 digits',
      ],
    ],
    [
      'an invalid user status',
      { ...base, 'users.csv': `${usersHeader}u1,f1,a@b.example,A,advisor,gone,\n` },
      ['users.csv:2: column "status": "gone" is not active or disabled'],
    ],
    [
      'an unknown role',
      {
        ...base,
        'users.csv': `${usersHeader}u1,f1,a@b.example,A,boss,active,\nu2,f1,c@b.example,A,advisor,active,\n`,
      },
      ['users.csv:2: column "role": there is no role "boss"'],
    ],
    [
      'an invalid value of sees',
      { 'roles.csv': 'name,sees\nx,all\n' },
      ['roles.csv:2: column "sees": "all" is not firm or granted'],
    ],
    [
      'an invalid email address',
      {
        ...base,
        'users.csv': `${usersHeader}u1,f1,a b@c,A,advisor,active,\nu2,f1,c@b.example,A,advisor,active,\n`,
      },
      ['users.csv:2: column "email": "a b@c" is not an email address'],
    ],
  ])('%s: the import is refused and stores nothing', async (_name, files, faults) => {
    expect(await refusal(db.database, files)).toEqual(faults)
    expect((await query(db.database, 'SELECT count(*)::integer AS count FROM firms'))[0]).toEqual({
      count: 0,
    })
  })

  test('faults of several files are reported together', async () => {
    expect(
      await refusal(db.database, { 'firms.csv': 'id,name\n!,\n', 'roles.csv': 'name,sees\nx,y\n' }),
    ).toHaveLength(3)
  })

  test('a missing directory and one without import files are refused', async () => {
    const { code, stderr } = await latchkey(db.url, ['import', join(writeFiles({}), 'missing')])
    expect(code).toBe(1)
    expect(stderr).toContain('missing cannot be read as a directory')
    expect((await refusal(db.database, { 'notes.txt': 'x' }))[0]).toContain('contains no import files')
  })
})

test('an import that changes nothing leaves a record, without values of the files', async () => {
  const directory = await writeFiles({ 'firms.csv': 'id,name\nf1,One\nf1,A private name\n' })
  await latchkey(db.url, ['import', directory])
  await latchkey(db.url, ['import', join(directory, 'missing')])
  const rows = await query(
    db.database,
    `SELECT actor_kind, target_id, details FROM audit_log WHERE event = 'directory.import_refused' ORDER BY id DESC LIMIT 2`,
  )
  const record = { actor_kind: 'os_user', target_id: 'all' }
  const files = { 'firms.csv': { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }
  expect(rows).toEqual([
    { ...record, details: { reason: 'refused', faults: 1, files: {} } },
    { ...record, details: { reason: 'refused', faults: 1, files } },
  ])
})
