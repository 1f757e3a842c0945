import { beforeEach, describe, expect, test } from 'vitest'
import { defaultBrand } from '../../src/brand/read-brand.ts'
import { loginStatus } from '../support/change-password.ts'
import { commandLine } from '../support/command-line.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { emailOf, password } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { textOf } from '../support/idp.ts'
import { authorize } from '../support/journey.ts'
import { errorOf } from '../support/latchkey.ts'
import { loginPage, wrong } from '../support/login.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { isConnectPage, isLoginPage, loggedIn, recoveryLink } from '../support/pages.ts'
import { linkIn, mailedLink, openLink, requestLink, setByLink } from '../support/recovery.ts'
import { testSecret } from '../support/server.ts'
import { isLoggedIn, withSession } from '../support/sessions.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

const chosen = 'plum tractor velvet orbit'
const mailbox = await mailboxFixture()
const users = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gus', 'hal', 'ivy', 'jim']
const database = await databaseFixture()
const server = await serverFixture({
  on: database,
  mail: mailbox.settings,
  clock: await movableClock(database),
  users: [...users, 'kim', { id: 'out', status: 'disabled' }, { id: 'fed', firm: 'federated' }],
})
await query(server.database, `UPDATE firms SET local_passwords = false WHERE id = 'federated'`)
const brand = { ...defaultBrand(), supportUrl: 'https://help.example/' }
const silent = await serverFixture({ on: database, brand })

beforeEach(async () => {
  await query(server.database, 'DELETE FROM outbox')
  await query(server.database, 'DELETE FROM login_failures')
  mailbox.received.length = 0
})

describe('a forgotten password', () => {
  test('from the login page to a new password, and on to where the login was going', async () => {
    const partner = await server.partner()
    const visitor = new Visitor()
    const login = await authorize(visitor, server, partner, { ui_locales: 'de' })
    const form = await visitor.get(recoveryLink(login, 'Passwort vergessen?'))
    const requested = await visitor.submit(form, '/password/forgotten', { email: ` ${emailOf('ADA')} ` })
    expect(requested.status).toBe(303)
    const sent = await visitor.follow(requested)
    expect(sent.document.querySelector('h1')?.text).toBe('Prüfen Sie Ihren Posteingang')
    await server.sendMails()
    const mail = await mailbox.next()
    expect(mail.subject).toBe('Neues Passwort für Latchkey')
    const link = linkIn(mail.text)
    expect(mail.html).toContain(`href="${link}"`)

    const page = await openLink(link, visitor)
    expect([page.status, page.url]).toEqual([200, `${server.authUrl}/password/new`])
    expect(page.text).toContain(emailOf('ada'))
    const set = await visitor.submit(page, '/password/new', { new_password: chosen })
    expect([set.status, set.headers.get('location')]).toEqual([303, '/password/set'])
    expect(isLoginPage(await visitor.get(recoveryLink(await visitor.follow(set))))).toBe(true)

    const again = await visitor.get(recoveryLink(sent, 'Zurück zur Anmeldung'))
    const next = await visitor.follow(
      await visitor.submit(again, '/login', { email: emailOf('ada'), password: chosen }),
    )
    expect(isConnectPage(next)).toBe(true)
  })

  test('the old password and the sessions end, and the user gets a mail; no session is opened', async () => {
    const session = await loggedIn(server, 'bob')
    await query(server.database, 'DELETE FROM outbox')
    const visitor = new Visitor()
    const set = await setByLink(await mailedLink(server, mailbox, 'bob'), chosen, visitor)
    expect(set.status).toBe(303)
    expect(await isLoggedIn(session, server)).toBe(false)
    expect(await isLoggedIn(visitor, server)).toBe(false)
    await server.sendMails()
    expect((await mailbox.next()).text).toContain('with the link that we emailed to you')
    expect(await loginStatus(server, 'bob', password)).toBe(403)
    expect(await loginStatus(server, 'bob', chosen, visitor)).toBe(303)
  })

  test('a user who has tried too often can log in with the new password, in the browser that set it', async () => {
    for (let n = 0; n < 10; n++) await loginStatus(server, 'cleo', wrong('cleo').password)
    const visitor = new Visitor()
    expect(await loginStatus(server, 'cleo', password, visitor)).toBe(429)
    await setByLink(await mailedLink(server, mailbox, 'cleo'), chosen, visitor)
    expect(await loginStatus(server, 'cleo', chosen)).toBe(429)
    expect(await loginStatus(server, 'cleo', chosen, visitor)).toBe(303)
    // The account knows the browser, so it is not reported as a new one.
    const mails = await query(server.database, `SELECT FROM outbox WHERE payload->>'mail' = 'new_browser'`)
    expect(mails).toEqual([])
  })

  test('a password that breaks a rule is refused, and the link still works', async () => {
    const visitor = new Visitor()
    const link = await mailedLink(server, mailbox, 'dan')
    const refused = await setByLink(link, 'short', visitor)
    expect(refused.status).toBe(400)
    expect(refused.document.querySelector('[role=alert]')?.text).toContain('too short')
    const set = await visitor.submit(refused, '/password/new', { new_password: chosen })
    expect(set.status).toBe(303)
  })

  test('a used, expired or unknown link gives a page that leads to a new one', async () => {
    const link = await mailedLink(server, mailbox, 'eve')
    await server.passTime(29 * 60)
    expect((await openLink(link)).status).toBe(200)
    await server.passTime(60)
    for (const dead of [link, `${server.authUrl}/password/reset?token=${'x'.repeat(43)}`]) {
      const page = await openLink(dead)
      expect([page.status, page.document.querySelector('h1')?.text]).toEqual([
        410,
        'This link no longer works',
      ])
      expect(recoveryLink(page)).toBe(`${server.authUrl}/password/forgotten`)
    }
    for (const bad of ['', '?token=', '?token=x', '?other=1'])
      expect((await openLink(`${server.authUrl}/password/reset${bad}`)).status).toBe(410)
  })

  test('a user of a firm without passwords gets a mail that leads to the login, and no link', async () => {
    expect((await requestLink(server, emailOf('fed'))).status).toBe(303)
    await server.sendMails()
    const { subject, text } = await mailbox.next()
    expect(subject).toBe('How to sign in to Latchkey')
    expect(text).toContain(`Sign in\n${server.authUrl}/login`)
    expect(text).not.toContain('/password/reset')
    expect(await query(server.database, `SELECT FROM password_links WHERE user_id = 'fed'`)).toEqual([])
  })

  test('a link ends when the firm switches its passwords off, or the user is disabled', async () => {
    const link = await mailedLink(server, mailbox, 'finn')
    await query(server.database, `UPDATE firms SET local_passwords = false WHERE id = 'firm-1'`)
    expect((await openLink(link)).status).toBe(410)
    await query(server.database, `UPDATE firms SET local_passwords = true WHERE id = 'firm-1'`)
    await query(server.database, `UPDATE users SET status = 'disabled' WHERE id = 'finn'`)
    expect((await openLink(link)).status).toBe(410)
    await query(server.database, `UPDATE users SET status = 'active' WHERE id = 'finn'`)
    expect((await openLink(link)).status).toBe(200)
  })
})

describe('an invitation', () => {
  const env = { DATABASE_URL: database.url, LATCHKEY_SECRET: testSecret, LATCHKEY_AUTH_URL: server.authUrl }
  const printing = commandLine(env)
  const mailing = commandLine({
    ...env,
    LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
    LATCHKEY_MAIL_FROM: 'mail@latchkey.example',
  })

  test('is mailed, and lets the user set the first password within a week', async () => {
    await query(server.database, `UPDATE users SET password_hash = NULL WHERE id = 'gus'`)
    const { expires_at: expires, ...rest } = await mailing.json('user', 'invite', emailOf('GUS'))
    expect(rest).toEqual({ id: 'gus', mailed_to: emailOf('gus') })
    const week = 7 * 24 * 3600_000
    expect(Math.abs(Date.parse(expires) - server.context.now().getTime() - week)).toBeLessThan(60_000)
    await server.sendMails()
    const { subject, text } = await mailbox.next()
    expect(subject).toBe('Set your Latchkey password')
    await server.passTime(7 * 24 * 3600 - 60)
    expect((await setByLink(linkIn(text), chosen)).status).toBe(303)
    expect(await loginStatus(server, 'gus', chosen)).toBe(303)
  })

  test('without a mail server is printed for the operator, and no mail is written', async () => {
    const { link } = await printing.json('user', 'invite', 'hal')
    expect(await query(server.database, 'SELECT FROM outbox')).toEqual([])
    expect((await setByLink(link, chosen)).status).toBe(303)
    expect(await loginStatus(server, 'hal', chosen)).toBe(303)
    const text = await printing.text('user', 'invite', 'hal')
    expect(text).toMatch(/^Give this link to hal, .*\nhttp\S+\/password\/reset\?token=\S{43}\n$/)
  })

  test('with `user create --invite`', async () => {
    const options = ['--firm', 'firm-1', '--email', 'new@example.com', '--name', 'N', '--role', 'sees-firm']
    const created = await mailing.json('user', 'create', '--id', 'new', ...options, '--invite')
    expect(created).toMatchObject({ id: 'new', mailed_to: 'new@example.com' })
    await server.sendMails()
    expect((await mailbox.next()).recipients).toEqual(['new@example.com'])
  })

  test.each([
    ['nobody', 'there is no user "nobody"'],
    ['out', 'out is disabled; enable the user first'],
    ['fed', 'fed belongs to a firm without passwords and logs in at its provider'],
  ])('for %s is refused', async (user, reason) => {
    const finished = await mailing.run('user', 'invite', user, '--json')
    expect(finished).toMatchObject({ code: 1, stdout: '' })
    expect(errorOf(finished).message).toBe(`No link was made: ${reason}.`)
    expect(await query(server.database, 'SELECT FROM outbox')).toEqual([])
  })
})

describe('without a mail server', () => {
  test('the login page offers no link by mail, and the page says what to do', async () => {
    expect((await loginPage(silent)).text).not.toContain('/password/forgotten')
    const page = await new Visitor().get(`${silent.authUrl}/password/forgotten`)
    expect(page.status).toBe(200)
    expect(page.text).toContain('This service can’t send emails')
    expect(page.document.querySelector('input[name=email]')).toBeNull()
    for (const shown of [page, await loginPage(silent)])
      expect(shown.text).toContain('href="https://help.example/"')
  })
})

test('a stale form leads back to the page it belongs to', async () => {
  const visitor = new Visitor()
  const refused = await visitor.post(`${server.authUrl}/password/forgotten`, { email: 'x@example.com' })
  expect(refused.status).toBe(403)
  expect(recoveryLink(refused)).toBe(`${server.authUrl}/password/forgotten`)
  expect(redirectOf(refused)).toBeUndefined()
})

describe('the page Password of a user who has no password', () => {
  const passwordPage = async (userId: string, on = server) => {
    await query(server.database, `UPDATE users SET password_hash = NULL WHERE id = 'kim'`)
    const visitor = await withSession(on, userId)
    const page = await visitor.get(`${on.authUrl}/password`)
    expect(page.status).toBe(200)
    expect(page.document.querySelector('[name=new_password]')).toBeNull()
    return { visitor, page }
  }

  test('mails a link to the user’s address, and the user sets the first password', async () => {
    const { visitor, page } = await passwordPage('kim')
    expect(textOf(page)).toContain('You have no password here.')
    expect(textOf(page)).toContain(`We email the link to ${emailOf('kim')}.`)
    const sent = await visitor.follow(await visitor.submit(page, '/password/forgotten', {}))
    expect(sent.document.querySelector('h1')?.text).toBe('Check your email')
    expect(recoveryLink(sent, 'Back to sign-in')).toBe(`${server.authUrl}/login?page=password`)
    await server.sendMails()
    const { recipients, text } = await mailbox.next()
    expect(recipients).toEqual([emailOf('kim')])
    expect((await setByLink(linkIn(text), chosen)).status).toBe(303)
    expect(await loginStatus(server, 'kim', chosen)).toBe(303)
  })

  test('leads to the support, if the server sends no mails', async () => {
    const { page } = await passwordPage('kim', silent)
    expect(textOf(page)).toContain('If you want to sign in with one, ask support.')
    expect(recoveryLink(page, 'support')).toBe('https://help.example/')
  })

  test('says that the firm’s users sign in elsewhere, also if they had a password before', async () => {
    const { visitor, page } = await passwordPage('fed')
    expect(textOf(page)).toContain('You sign in with the account of your organisation')
    const actions = page.document.querySelectorAll('main form').map((form) => form.getAttribute('action'))
    expect(actions).toEqual(['/logout'])

    const localPasswords = (on: boolean) =>
      query(server.database, `UPDATE firms SET local_passwords = $1 WHERE id = 'federated'`, [on])
    await localPasswords(true)
    const open = await visitor.get(`${server.authUrl}/password`)
    await localPasswords(false)
    const fields = { current_password: password, new_password: chosen }
    const late = await visitor.submit(open, '/password', fields)
    expect([late.status, late.document.querySelector('[role=alert]')]).toEqual([403, null])
    expect(textOf(late)).toContain('You sign in with the account of your organisation')
  })
})
