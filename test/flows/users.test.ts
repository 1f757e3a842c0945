import { beforeEach, describe, expect, test } from 'vitest'
import { verifyPassword } from '../../src/directory/passwords.ts'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { errorOf, latchkeyOn as latchkey } from '../support/latchkey.ts'

const db = await databaseFixture()

const firstPassword = 'seven lazy otters juggle'
const nextPassword = 'purple ladders never sneeze'

beforeEach(async () => {
  await rows('TRUNCATE firms, roles, users, households, accounts, account_access CASCADE')
  await rows(`INSERT INTO firms VALUES ('f1', 'First')`)
  await rows(`INSERT INTO roles VALUES ('advisor', 'granted')`)
})

function rows(sql: string, values: unknown[] = []) {
  return query(db.database, sql, values)
}

function create(changes: Record<string, string> = {}) {
  const given = { id: 'u1', firm: 'f1', email: 'Ann@Example.com', name: 'Ann', role: 'advisor', ...changes }
  const options = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value])
  return latchkey(db.url, ['user', 'create', ...options, '--json'])
}

async function createWithPassword(password: string) {
  await create()
  expect((await latchkey(db.url, ['user', 'set-password', 'u1'], password)).code).toBe(0)
}

async function storedHash(): Promise<string | null> {
  const [row] = await rows('SELECT password_hash FROM users')
  return typeof row?.password_hash === 'string' ? row.password_hash : null
}

async function logIn(user: string): Promise<void> {
  await rows(
    `INSERT INTO sessions (hash, user_id, login_version, acr, amr, expires_at)
   VALUES ($1, $2, gen_random_uuid(), 'acr', '{pwd}', now() + '1 day')`,
    [Buffer.from(user), user],
  )
}

describe('user create', () => {
  test('stores an active user without a password', async () => {
    const { code, stdout } = await create()
    expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { id: 'u1' } })
    expect(await rows('SELECT id, firm_id, email, email_folded, name, role, status FROM users')).toEqual([
      {
        id: 'u1',
        firm_id: 'f1',
        email: 'Ann@Example.com',
        email_folded: 'ann@example.com',
        name: 'Ann',
        role: 'advisor',
        status: 'active',
      },
    ])
    expect(await storedHash()).toBeNull()
  })

  test('reports all faults and stores nothing', async () => {
    const form = await create({ id: 'a b', email: 'nobody' })
    expect(form).toMatchObject({ code: 1, stdout: '' })
    expect(errorOf(form).message).toMatch(/id: "a b" is not an id.*email: "nobody" is not an email/)
    expect(form.stderr).not.toContain('    at ')
    const facts = await create({ firm: 'f9', role: 'boss' })
    expect(errorOf(facts).message).toContain('there is no firm "f9"; there is no role "boss"')
    expect(await rows('SELECT id FROM users')).toEqual([])
  })

  test('refuses an id and an email address that are taken, regardless of case', async () => {
    await create()
    expect(errorOf(await create({ email: 'else@example.com' })).message).toContain(
      'the user "u1" already exists',
    )
    expect(errorOf(await create({ id: 'u2', email: 'ANN@example.COM' })).message).toContain(
      `"ANN@example.COM" is another user's address`,
    )
    expect(await rows('SELECT id FROM users')).toEqual([{ id: 'u1' }])
  })
})

describe('user set-password', () => {
  test.each(['u1', 'ANN@example.com'])('of %s replaces it and ends the sessions', async (who) => {
    await createWithPassword(firstPassword)
    await create({ id: 'u2', email: 'bob@example.com' })
    await logIn('u1')
    await logIn('u2')
    const { code, stdout } = await latchkey(
      db.url,
      ['user', 'set-password', who, '--json'],
      `${nextPassword}\r\n`,
    )
    expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { id: 'u1', sessions_ended: 1 } })
    const [row] = await rows(`SELECT password_hash FROM users WHERE id = 'u1'`)
    expect(await verifyPassword(nextPassword, String(row?.password_hash))).toBe(true)
    expect(await rows('SELECT user_id FROM sessions')).toEqual([{ user_id: 'u2' }])
  })

  test.each([
    ['14 characters!', 'shorter than 15 characters'],
    ['abcdefgh', 'shorter than 15 characters'],
    ['', 'shorter than 15 characters'],
    ['ü'.repeat(513), 'longer than 1024 bytes'],
    ['two lines\nof some text', 'more than one line'],
    ['i like latchkey 42', 'the name of the service; leave them out'],
    ['qwertyuiop[]1234', 'follows a pattern'],
    ['passwordpassword', 'repeats itself'],
  ])('refuses %s', async (password, reason) => {
    await createWithPassword(firstPassword)
    const { code, stderr } = await latchkey(db.url, ['user', 'set-password', 'u1'], password)
    expect(code).toBe(1)
    expect(stderr).toContain(reason)
    expect(await verifyPassword(firstPassword, await storedHash())).toBe(true)
  })

  test('of an unknown user is an error', async () => {
    const { code, stderr } = await latchkey(db.url, ['user', 'set-password', 'nobody'], nextPassword)
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Nothing was changed: there is no user "nobody".\n' })
  })
})

test('user disable disables a user and ends the sessions', async () => {
  await createWithPassword(firstPassword)
  await logIn('u1')
  const { code, stdout } = await latchkey(db.url, ['user', 'disable', 'ann@example.com', '--json'])
  expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { id: 'u1', sessions_ended: 1 } })
  expect(await rows('SELECT status FROM users')).toEqual([{ status: 'disabled' }])
  expect(await rows('SELECT user_id FROM sessions')).toEqual([])
})

describe('user enable', () => {
  test('makes a disabled user active, and says that an import can disable the user again', async () => {
    await create()
    expect((await latchkey(db.url, ['user', 'disable', 'u1'])).code).toBe(0)
    const { code, stdout } = await latchkey(db.url, ['user', 'enable', 'ANN@example.com'])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'u1 is active. If the next import lists this user as disabled, it disables the user again.\n',
    })
    expect(await rows('SELECT status, disabled_by_operator_at AS at FROM users')).toEqual([
      { status: 'active', at: null },
    ])
  })

  test('of an unknown user is an error', async () => {
    const { code, stderr } = await latchkey(db.url, ['user', 'enable', 'nobody'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Nothing was changed: there is no user "nobody".\n' })
  })
})

describe('user list and show', () => {
  test('print the users and who disabled them', async () => {
    await createWithPassword(firstPassword)
    await logIn('u1')
    await rows(`INSERT INTO firms VALUES ('f2', 'Second')`)
    await create({ id: 'u2', email: 'bob@example.com', name: 'Bob', firm: 'f2' })
    await create({ id: 'u3', email: 'cy@example.com', name: 'Cy', firm: 'f2' })
    await rows(`UPDATE users SET status = 'disabled' WHERE id = 'u3'`) // as an import does
    await latchkey(db.url, ['user', 'disable', 'u2'])

    const list = async (...options: string[]) => (await latchkey(db.url, ['user', 'list', ...options])).stdout
    const lines = (await list()).split('\n')
    expect(lines).toEqual([
      'u1  Ann@Example.com  Ann  (active)',
      expect.stringMatching(
        /^u2 {2}bob@example\.com {2}Bob {2}\(disabled by the operator since \d{4}-.*Z; imports do not change it\)$/,
      ),
      'u3  cy@example.com  Cy  (disabled)',
      '',
    ])
    expect((await list('--firm', 'f1')).split('\n')).toEqual([lines[0], ''])
    expect((await list('--disabled', '--firm', 'f2')).split('\n')).toEqual([lines[1], lines[2], ''])
    expect(await list('--firm', 'f9')).toBe('No users found.\n')
    expect(JSON.parse(await list('--json', '--firm', 'f1'))).toEqual([
      {
        id: 'u1',
        email: 'Ann@Example.com',
        name: 'Ann',
        firm_id: 'f1',
        role: 'advisor',
        status: 'active',
        disabled_by_operator_at: null,
      },
    ])

    expect((await latchkey(db.url, ['user', 'show', 'ann@EXAMPLE.com'])).stdout.split('\n')).toEqual([
      'id           u1',
      'name         Ann',
      'email        Ann@Example.com',
      'firm         First (f1)',
      'role         advisor, sees granted',
      'status       active',
      'password     set',
      'factors      none',
      'sessions     1',
      'live grants  0',
      '',
    ])
    const shown = JSON.parse((await latchkey(db.url, ['user', 'show', 'u2', '--json'])).stdout)
    expect(shown).toMatchObject({
      id: 'u2',
      status: 'disabled',
      disabled_by_operator_at: expect.stringMatching(/Z$/),
      has_password: false,
    })
    expect(JSON.stringify(shown)).not.toContain('argon2')
  })
})

test('refusing a user without a password takes as long as refusing one with a password', async () => {
  await createWithPassword(firstPassword)
  const hash = await storedHash()
  // Measures processor time, which does not depend on other programs. A comparison without hashing would take almost none.
  const work = async (stored: string | null) => {
    const before = process.cpuUsage()
    for (let turn = 0; turn < 5; turn++) expect(await verifyPassword('wrong', stored)).toBe(false)
    return process.cpuUsage(before).user
  }
  await work(null) // warms up
  expect(await work(null)).toBeGreaterThan((await work(hash)) / 4)
})
