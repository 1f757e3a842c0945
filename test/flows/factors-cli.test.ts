import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { addTotp, passwordOnly } from '../support/factors.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { errorOf } from '../support/latchkey.ts'
import { isLoginPage, loggedIn } from '../support/pages.ts'

const secret = randomBytes(32).toString('hex')
const db = await databaseFixture()
const server = await serverFixture({ on: db, secret })
await seed(db.database, { users: ['ada'] })
const cli = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: secret })
const twoFactor = 'urn:latchkey:acr:two-factor'

test('user show lists factors; user reset-factors removes them and ends the sessions', async () => {
  const visitor = await loggedIn(server, 'ada')
  await addTotp(server, visitor)
  expect(await cli.text('user', 'show', 'ada')).toContain(
    'factors      authenticator app, 10 recovery codes\n',
  )
  expect(await cli.json('user', 'reset-factors', 'ada@example.com')).toEqual({
    id: 'ada',
    passkeys: 0,
    totp: true,
    recovery_codes: 10,
    sessions_ended: 1,
  })
  expect(isLoginPage(await visitor.follow(await visitor.get(`${server.authUrl}/security`)))).toBe(true)
  expect(await cli.text('user', 'reset-factors', 'ada')).toBe(
    'Removed from ada: none; 0 sessions were ended.\n',
  )
  expect(await cli.json('user', 'show', 'ada')).toMatchObject({
    passkeys: 0,
    has_totp: false,
    recovery_codes: 0,
  })
  expect(errorOf(await cli.run('user', 'reset-factors', 'nobody', '--json'))).toMatchObject({
    code: 'not_found',
  })
})

test('user reset-factors with a mail server writes a mail to the user', async () => {
  await addTotp(server, await loggedIn(server, 'ada'))
  const env = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:25', LATCHKEY_MAIL_FROM: 'mail@latchkey.example' }
  const withMail = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: secret, ...env })
  await withMail.json('user', 'reset-factors', 'ada')
  expect(await query(db.database, 'SELECT payload FROM outbox')).toEqual([
    { payload: expect.objectContaining({ mail: 'factors_changed', to: 'ada@example.com' }) },
  ])
})

test('firm update and role update set what a login must reach, and imports keep it', async () => {
  expect(await cli.json('firm', 'update', 'firm-1', '--require-acr', twoFactor)).toEqual({
    id: 'firm-1',
    name: 'firm-1',
    require_acr: twoFactor,
    local_passwords: true,
  })
  expect(new URL((await passwordOnly(server, 'ada')).url).pathname).toBe('/login/second-factor')
  expect(await cli.text('firm', 'list')).toBe(`firm-1  firm-1  requires ${twoFactor}\n`)
  expect(
    await cli.json('firm', 'update', 'firm-1', '--no-require-acr', '--local-passwords', 'off'),
  ).toMatchObject({
    require_acr: null,
    local_passwords: false,
  })
  await cli.text('firm', 'update', 'firm-1', '--local-passwords', 'on')
  expect(await cli.json('role', 'update', 'sees-firm', '--require-acr', twoFactor)).toMatchObject({
    require_acr: twoFactor,
  })
  expect(await cli.text('role', 'list')).toContain(`sees-firm  sees firm  requires ${twoFactor}\n`)
  expect(new URL((await passwordOnly(server, 'ada')).url).pathname).toBe('/login/second-factor')
  await cli.text('role', 'update', 'sees-firm', '--no-require-acr')
  expect((await passwordOnly(server, 'ada')).url).toBe(`${server.authUrl}/connections`)
})

test('what does not exist, or cannot be required, is refused', async () => {
  for (const args of [
    ['firm', 'update', 'nowhere', '--no-require-acr'],
    ['role', 'update', 'nobody', '--no-require-acr'],
  ]) {
    expect(errorOf(await cli.run(...args, '--json'))).toMatchObject({ code: 'not_found' })
  }
  const unknown = await cli.run('role', 'update', 'sees-firm', '--require-acr', 'strong', '--json')
  expect(errorOf(unknown)).toMatchObject({ code: 'usage' })
  for (const what of [
    ['firm', 'firm-1'],
    ['role', 'sees-firm'],
  ]) {
    const [command = '', name = ''] = what
    expect(errorOf(await cli.run(command, 'update', name, '--json'))).toMatchObject({ code: 'refused' })
  }
})

test('partner create and update set the acr that a partner requires', async () => {
  const options = ['--name', 'Strict', '--redirect-uri', 'https://strict.example/']
  const { client_id: id } = await cli.json('partner', 'create', ...options, '--require-acr', twoFactor)
  expect(await cli.text('partner', 'show', id)).toContain(`requires       ${twoFactor}\n`)
  expect(await cli.json('partner', 'update', id, '--name', 'Stricter')).toMatchObject({
    require_acr: twoFactor,
  })
  expect(await cli.json('partner', 'update', id, '--no-require-acr')).toMatchObject({ require_acr: null })
  const [row] = await query<{ level: number }>(
    db.database,
    'SELECT require_level AS level FROM partners WHERE client_id = $1',
    [id],
  )
  expect(row?.level).toBe(1)
})
