import { beforeEach, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { hashPassword, verifyPassword } from '../../src/directory/passwords.ts'

import { disableUser, enableUser } from '../../src/directory/users.ts'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'
import {
  addSession,
  base,
  emptyDirectory,
  refusal,
  take,
  taken,
  usersHeader,
  writeFiles,
} from '../support/import.ts'
import { latchkeyOn } from '../support/latchkey.ts'

const db = await databaseFixture()
beforeEach(() => emptyDirectory(db.database))

describe('passwords', () => {
  const user = (password: string, status = 'active') => ({
    'firms.csv': base['firms.csv'],
    'roles.csv': base['roles.csv'],
    'users.csv': `${usersHeader}u1,f1,ann@example.com,Ann,principal,${status},${password}\n`,
  })
  const storedHash = async () => {
    const [row] = await query(db.database, `SELECT password_hash FROM users WHERE id = 'u1'`)
    return typeof row?.password_hash === 'string' ? row.password_hash : null
  }

  test('are stored as argon2id; importing the same password again keeps the hash and the sessions', async () => {
    await taken(db.database, user('correct horse'))
    const hash = await storedHash()
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await verifyPassword('correct horse', hash)).toBe(true)
    await addSession(db.database, 'u1')
    await taken(db.database, user('correct horse'))
    expect(await storedHash()).toBe(hash)
    expect(await query(db.database, 'SELECT user_id FROM sessions')).toEqual([{ user_id: 'u1' }])
  })

  test('a new password replaces the old one and ends the sessions of this user only', async () => {
    await taken(db.database, user('correct horse'))
    await taken(db.database, {
      'users.csv': `${usersHeader}u2,f2,bob@example.com,Bob,advisor,active,bobs own\n`,
    })
    await addSession(db.database, 'u1')
    await addSession(db.database, 'u2')
    await taken(db.database, {
      'users.csv':
        `${usersHeader}u1,f1,ann@example.com,Ann,principal,active,battery staple\n` +
        'u2,f2,bob@example.com,Bobby,advisor,active,bobs own\n',
    })
    expect(await verifyPassword('battery staple', await storedHash())).toBe(true)
    expect(await query(db.database, 'SELECT user_id FROM sessions')).toEqual([{ user_id: 'u2' }])
  })

  test('an empty value and a missing column keep the stored password', async () => {
    await taken(db.database, user('correct horse'))
    const hash = await storedHash()
    await addSession(db.database, 'u1')
    await taken(db.database, user(''))
    await taken(db.database, {
      'users.csv': 'id,firm_id,email,name,role,status\nu1,f1,ann@example.com,Ann,principal,active\n',
    })
    expect(await storedHash()).toBe(hash)
    expect(await query(db.database, 'SELECT user_id FROM sessions')).toHaveLength(1)
  })

  test('disabling a user ends the sessions', async () => {
    await taken(db.database, user('correct horse'))
    await addSession(db.database, 'u1')
    await taken(db.database, user('', 'disabled'))
    expect(await query(db.database, 'SELECT user_id FROM sessions')).toEqual([])
  })

  test('an argon2id hash is stored unchanged', async () => {
    const hash = await hashPassword('made elsewhere')
    await taken(db.database, user(`"${hash}"`))
    expect(await storedHash()).toBe(hash)
  })

  test.each([
    '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '"$argon2id$v=19$m=4194304,t=2,p=1$CzaPZkrFBc8+A+DfjLmQ4Q$/m9xMCxgzJ7XwmgIpcV8O7FhHa80I2xKJSkglahY4Ek"',
    '$argon2i$v=19$m=4096$c2FsdHNhbHQ$aGFzaA',
    '{SSHA}DkMTwBl+a/3DQTxCYEApdUtNXGgdUac3',
    'pbkdf2_sha256$600000$abc$def',
  ])('a hash of another kind or with excessive parameters is refused and not repeated: %s', async (hash) => {
    const [fault, ...others] = await refusal(db.database, user(hash))
    expect(fault).toMatch(
      /^users\.csv:2: column "password": (is a hash; put it into|its memory in KiB is 4194304)/,
    )
    expect(fault).not.toContain(hash.slice(-10, -1))
    expect(others).toEqual([])
  })

  test('never appear in a message, even if other values of the row are invalid', async () => {
    const outcome = await take(db.database, {
      ...base,
      'users.csv': `${usersHeader}u 1,f404,no-address,,nobody,sleeping,sesame-open\nu2,x,"sesame-open`,
    })
    expect(outcome.kind).toBe('refused')
    expect(JSON.stringify(outcome)).not.toContain('sesame-open')
  })
})

describe('a user whom the operator disabled', () => {
  const users = (status: string) => ({
    ...base,
    'users.csv': `${usersHeader}u1,f1,ann@example.com,Ann,principal,${status},\nu2,f2,bob@example.com,Bob,advisor,active,\n`,
  })
  const statuses = async () =>
    (await query(db.database, 'SELECT status FROM users ORDER BY id')).map((row) => row.status)

  test('stays disabled after imports, which report it, until the operator enables the user', async () => {
    await taken(db.database, users('active'))
    await disableUser(db.database, systemOrigin, 'u1')
    await addSession(db.database, 'u2')
    const directory = writeFiles(users('active'))
    const output = await latchkeyOn(db.url, ['import', directory])
    expect(output.stdout).toContain('users.csv: 0 added, 0 changed, 2 unchanged\n')
    expect(output.stdout).toContain(
      '1 user stays disabled by the operator: u1. `latchkey user enable` undoes it.\n',
    )
    expect(
      JSON.parse((await latchkeyOn(db.url, ['import', directory, '--json'])).stdout).kept_disabled,
    ).toEqual(['u1'])
    expect(await statuses()).toEqual(['disabled', 'active'])
    expect(await query(db.database, 'SELECT user_id FROM sessions')).toEqual([{ user_id: 'u2' }])

    await enableUser(db.database, systemOrigin, 'u1')
    expect(await take(db.database, users('active'))).toMatchObject({ keptDisabled: [] })
    expect(await statuses()).toEqual(['active', 'active'])
  })

  test('is changed by an import in all other columns', async () => {
    await taken(db.database, users('active'))
    await disableUser(db.database, systemOrigin, 'u1')
    const renamed = { 'users.csv': `${usersHeader}u1,f1,new@example.com,Anna,principal,active,\n` }
    expect(await take(db.database, renamed)).toMatchObject({
      files: { 'users.csv': { changed: 1 } },
      keptDisabled: ['u1'],
    })
    expect(await query(db.database, `SELECT name, email, status FROM users WHERE id = 'u1'`)).toEqual([
      { name: 'Anna', email: 'new@example.com', status: 'disabled' },
    ])
  })

  test('is not reported if the import also disables the user; an import enables a user whom only an import disabled', async () => {
    await taken(db.database, users('disabled'))
    expect(await take(db.database, users('active'))).toMatchObject({ keptDisabled: [] })
    expect(await statuses()).toEqual(['active', 'active'])
    await disableUser(db.database, systemOrigin, 'u1')
    expect(await take(db.database, users('disabled'))).toMatchObject({ keptDisabled: [] })
  })
})

describe('email addresses', () => {
  test('can be swapped between users', async () => {
    await taken(db.database, base)
    await taken(db.database, {
      'users.csv':
        `${usersHeader}u1,f1,BOB@example.com,Ann,principal,active,\n` +
        'u2,f2,ann@example.com,Bob,advisor,active,\n',
    })
    expect(await query(db.database, 'SELECT id, email, email_folded FROM users ORDER BY id')).toEqual([
      { id: 'u1', email: 'BOB@example.com', email_folded: 'bob@example.com' },
      { id: 'u2', email: 'ann@example.com', email_folded: 'ann@example.com' },
    ])
  })

  test('belong to one user, regardless of case', async () => {
    await taken(db.database, base)
    expect(
      await refusal(db.database, {
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

describe('required logins', () => {
  const twoFactor = 'urn:latchkey:acr:two-factor'
  const requireAcr = (acr: string) =>
    query(db.database, `UPDATE roles SET require_acr = $1 WHERE name = 'principal'`, [acr])
  const run = async (files: Record<string, string>, ...options: string[]) => {
    const { stdout, code } = await latchkeyOn(db.url, ['import', writeFiles(files), ...options])
    expect(code).toBe(0)
    return stdout
  }
  /** The role `principal` under another name. */
  const renamed = {
    ...base,
    'roles.csv': 'name,sees\nhead,firm\nadvisor,granted\n',
    'users.csv': base['users.csv'].replace('principal', 'head'),
  }

  test('the plan and the import name users of a renamed role, and the settings that are removed', async () => {
    await taken(db.database, base)
    await requireAcr(twoFactor)
    await query(db.database, `UPDATE firms SET local_passwords = false WHERE id = 'f2'`)
    const warnings =
      'WARNING: 1 user gets a firm or role that requires a weaker login: u1. `latchkey role list` and `latchkey firm list` show what is required.\n' +
      'WARNING: removed with the settings of its logins: role principal. If a later import adds it again, it has none.\n'
    expect(await run(renamed, '--prune')).toContain(warnings)
    expect(JSON.parse(await run(renamed, '--prune', '--json')).weaker_logins).toEqual({
      users: ['u1'],
      removed: ['role principal'],
    })
    expect(await run(renamed, '--prune', '--at-most', '1')).toContain(warnings)
    expect(await run(renamed, '--prune', '--at-most', '1')).not.toContain('WARNING')
  })

  test('a user who moves to a firm or role with the same or a stronger requirement is not named', async () => {
    await taken(db.database, base)
    await requireAcr(twoFactor)
    await query(db.database, `UPDATE firms SET require_acr = $1 WHERE id = 'f2'`, [twoFactor])
    const moved = { 'users.csv': base['users.csv'].replace('u1,f1', 'u1,f2').replace('principal', 'advisor') }
    expect(await take(db.database, moved)).toMatchObject({ weakerLogins: { users: [], removed: [] } })
    const back = { 'users.csv': base['users.csv'].replace('principal', 'advisor') }
    expect(await take(db.database, back)).toMatchObject({ weakerLogins: { users: ['u1'] } })
  })

  test('a firm without local passwords that is removed is named', async () => {
    await taken(db.database, { 'firms.csv': 'id,name\nf1,First\nf9,Ninth\n' })
    await query(db.database, `UPDATE firms SET local_passwords = false WHERE id = 'f9'`)
    const fewer = { 'firms.csv': 'id,name\nf1,First\n' }
    expect(await take(db.database, fewer, { atMost: 1 })).toMatchObject({
      weakerLogins: { users: [], removed: ['firm f9'] },
    })
  })
})
