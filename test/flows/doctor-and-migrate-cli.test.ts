import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { latchkey } from '../support/latchkey.ts'
import { mailboxFixture } from '../support/mailbox.ts'

const secret = randomBytes(32).toString('hex')

const db = await databaseFixture()
await serverFixture({ on: db, secret, authUrl: 'http://localhost:4000' })
await seed(db.database, { users: ['ann', 'bob'], households: ['h1'] })
const mailbox = await mailboxFixture()
const from = 'mail@latchkey.example'
const cli = commandLine({
  DATABASE_URL: db.url,
  LATCHKEY_SECRET: secret,
  LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
  LATCHKEY_MAIL_FROM: from,
})

describe('doctor', () => {
  test('reports that every check passed, with details', async () => {
    const found = await cli.json('doctor')
    expect(found.ok).toBe(true)
    expect(found.checks.map(({ check, ok }: { check: string; ok: boolean }) => [check, ok])).toEqual(
      [
        'configuration',
        'database',
        'version',
        'clocks',
        'environment',
        'schema',
        'data',
        'audit log',
        'signing keys',
        'stored secrets',
        'secret',
        'mail',
      ].map((check) => [check, true]),
    )
    expect(await cli.text('doctor')).toMatch(
      /^ok {5}configuration +sandbox at http:\/\/localhost:4000, API at .*\nok {5}database/,
    )
  })

  test.each([
    ['a faulty configuration', { LATCHKEY_PORT: 'x' }, 'configuration', /LATCHKEY_PORT: must be a port/],
    ['no database', { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/x' }, 'database', /ECONNREFUSED/],
    [
      'another secret',
      { LATCHKEY_SECRET: 'another secret of 32 bytes or more' },
      'signing keys',
      /another secret than LATCHKEY_SECRET/,
    ],
    [
      'an unreachable mail server',
      { LATCHKEY_SMTP_URL: 'smtp://me:hunter2@127.0.0.1:1', LATCHKEY_MAIL_FROM: from },
      'mail',
      /^the mail server 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/,
    ],
  ])('with %s reports what is wrong and exits with 1', async (_case, change, check, detail) => {
    const { code, stdout, stderr } = await latchkey(['doctor', '--json'], {
      DATABASE_URL: db.url,
      LATCHKEY_SECRET: secret,
      ...change,
    })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const found = JSON.parse(stdout)
    expect(found.ok).toBe(false)
    expect(found.checks.at(-1)).toEqual({ check, ok: false, detail: expect.stringMatching(detail) })
    expect(stdout).not.toMatch(/hunter2|another secret of/)
  })
})

test('migrate reports that the database is up to date', async () => {
  expect(await cli.json('migrate')).toEqual({ migrated: true, applied: [] })
  expect(await cli.text('migrate')).toBe('The database is up to date.\n')
})
