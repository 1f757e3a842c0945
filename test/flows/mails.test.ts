import { beforeEach, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { setPassword } from '../../src/directory/users.ts'
import { changePassword, newPassword } from '../support/change-password.ts'
import { query } from '../support/database.ts'
import { emailOf } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, connect } from '../support/journey.ts'
import { loginPage, right } from '../support/login.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { disconnect, loggedIn } from '../support/pages.ts'
import type { TestServer } from '../support/server.ts'
import { Visitor } from '../support/visitor.ts'

const mailbox = await mailboxFixture()
const users = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gus']
const server = await serverFixture({ mail: mailbox.settings, users })
const silent = await serverFixture({ users: ['ada'] })

beforeEach(async () => {
  await query(server.database, 'DELETE FROM outbox')
  mailbox.received.length = 0
})

const written = async ({ database }: TestServer) =>
  (
    await query<{ mail: string; to: string }>(
      database,
      `SELECT payload->>'mail' AS mail, payload->>'to' AS to FROM outbox ORDER BY place`,
    )
  ).map(({ mail, to }) => `${mail} ${to}`)

/** Sends what is in the outbox, and returns the one mail. */
async function mail() {
  expect(await written(server)).toHaveLength(1)
  await server.sendMails()
  return mailbox.next()
}

/** Logs in on a new browser, in this language. The mail about the new browser is not sent. */
async function browserOf(userId: string, language = 'en', on = server): Promise<Visitor> {
  const visitor = new Visitor()
  const headers = { 'accept-language': language }
  const page = await visitor.get(`${on.authUrl}/login`, headers)
  expect((await visitor.submit(page, '/login', right(userId), headers)).status).toBe(303)
  await query(on.database, 'DELETE FROM outbox')
  return visitor
}

describe('a login', () => {
  test('in a browser that the account does not know: the user gets a mail, once', async () => {
    const visitor = new Visitor()
    const headers = {
      'user-agent':
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
    }
    const logIn = async () =>
      visitor.submit(await loginPage(server, visitor), '/login', right('ada'), headers)
    expect((await logIn()).status).toBe(303)
    const { subject, text = '', to } = await mail()
    expect([subject, to]).toEqual([
      'New sign-in to your Latchkey account',
      [{ name: '', address: emailOf('ada') }],
    ])
    expect(text).toMatch(/^Hello User ada,\n/)
    expect(text).toContain('recognise: Chrome on Linux.')
    expect(text).toContain(`Your sessions\n${server.authUrl}/sessions`)

    expect((await logIn()).status).toBe(303)
    expect(await written(server)).toEqual([])
  })

  test('after a password change, every browser is new', async () => {
    const other = await browserOf('bob')
    const visitor = await browserOf('bob')
    expect((await changePassword(visitor, server)).status).toBe(303)
    await query(server.database, 'DELETE FROM outbox')
    const fields = { email: emailOf('bob'), password: newPassword }
    expect((await visitor.submit(await loginPage(server, visitor), '/login', fields)).status).toBe(303)
    expect(await written(server)).toEqual([]) // the browser in which the user changed it
    expect((await other.submit(await loginPage(server, other), '/login', fields)).status).toBe(303)
    expect(await written(server)).toEqual([`new_browser ${emailOf('bob')}`])
  })

  test('that is refused writes no mail', async () => {
    const visitor = new Visitor()
    const fields = { email: emailOf('ada'), password: 'wrong' }
    expect((await visitor.submit(await loginPage(server, visitor), '/login', fields)).status).toBe(403)
    expect(await written(server)).toEqual([])
  })
})

describe('connecting an app', () => {
  test('sends a mail when the grant is new, also after a disconnect, and not when it is renewed', async () => {
    const partner = await server.partner({ name: 'Nice Budget' })
    const visitor = await browserOf('cleo')
    await connect(server, partner, 'cleo', {}, visitor)
    const { subject, text } = await mail()
    expect(subject).toBe('You connected Nice Budget')
    expect(text).toContain('You connected Nice Budget to your Latchkey account on ')
    expect(text).toContain(`${server.authUrl}/connections`)

    await connect(server, partner, 'cleo', {}, visitor)
    await authorize(visitor, server, partner, { prompt: 'none' })
    expect(await written(server)).toEqual([])

    await disconnect(visitor, server)
    await connect(server, partner, 'cleo', {}, visitor)
    expect(await written(server)).toEqual([`connected ${emailOf('cleo')}`])
  })

  test('twice at once sends one mail', async () => {
    const partner = await server.partner()
    const visitor = await browserOf('dan')
    const page = await authorize(visitor, server, partner)
    const presses = await Promise.all(
      Array.from({ length: 4 }, () => visitor.submit(page, '/connect', { decision: 'connect' })),
    )
    expect(presses.map(({ status }) => status)).toEqual([303, 303, 303, 303])
    expect(await written(server)).toEqual([`connected ${emailOf('dan')}`])
  })
})

describe('a new password', () => {
  test('set by the user', async () => {
    expect((await changePassword(await browserOf('eve'), server)).status).toBe(303)
    const { subject, text } = await mail()
    expect(subject).toBe('Your Latchkey password was changed')
    expect(text).toContain('You changed your password on ')
    expect(text).toContain(`${server.authUrl}/password/forgotten`)
  })

  test('set by the operator', async () => {
    await setPassword(server.database, systemOrigin, 'finn', 'a long new password of finn', {
      service: 'Latchkey',
      sendsMail: true,
    })
    expect((await mail()).text).toContain('The operator of this service set your password on ')
  })

  test('that is refused sends no mail', async () => {
    expect((await changePassword(await browserOf('gus'), server, 'short')).status).toBe(400)
    expect((await changePassword(await browserOf('gus'), server, newPassword, 'wrong')).status).toBe(403)
    expect(
      (
        await setPassword(server.database, systemOrigin, 'gus', 'short', {
          service: 'Latchkey',
          sendsMail: true,
        })
      ).kind,
    ).toBe('refused')
    expect(await written(server)).toEqual([])
  })
})

test.each([
  ['de', 'Ihr Passwort bei Latchkey wurde geändert', 'Guten Tag User gus,'],
  ['fr', 'Votre mot de passe Latchkey a été changé', 'Bonjour User gus,'],
  ['es', 'Su contraseña de Latchkey se ha cambiado', 'Hola, User gus:'],
  ['en', 'Your Latchkey password was changed', 'Hello User gus,'],
])('a mail is in the language of the last login: %s', async (language, subject, greeting) => {
  await query(
    server.database,
    `UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = 'ada') WHERE id = 'gus'`,
  )
  await browserOf('gus', language)
  await setPassword(server.database, systemOrigin, 'gus', `${language}: a long new password`, {
    service: 'Latchkey',
    sendsMail: true,
  })
  const received = await mail()
  expect(received.subject).toBe(subject)
  expect(received.text?.split('\n')[0]).toBe(greeting)
  expect(received.html).toContain(`<html lang="${language}">`)
})

test('every mail has a text and a plain page, loads nothing, and names no program', async () => {
  await setPassword(server.database, systemOrigin, 'ada', 'a long new password of ada', {
    service: 'Latchkey',
    sendsMail: true,
  })
  const [{ id = '' } = {}] = await query<{ id: string }>(server.database, 'SELECT id FROM outbox')
  const { headers, from, html = '', text, raw, messageId, recipients, date } = await mail()
  expect(from).toEqual({ name: 'Latchkey', address: 'mail@latchkey.example' })
  expect(recipients).toEqual([emailOf('ada')])
  expect(messageId).toBe(`<${id}@latchkey.example>`)
  expect(Math.abs(Date.parse(date ?? '') - Date.now())).toBeLessThan(60_000)
  const header = (name: string) => headers.filter(({ key }) => key === name).map(({ value }) => value)
  expect(header('auto-submitted')).toEqual(['auto-generated'])
  expect([header('x-mailer'), header('user-agent')]).toEqual([[], []])
  expect(raw).toMatch(/Content-Type: multipart\/alternative/)
  expect(text).toContain('This email was sent automatically by Latchkey.')
  expect(html).toContain('This email was sent automatically by Latchkey.')
  expect(html).not.toMatch(/src=|url\(|<img|<script|<link|<style|@import/)
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    `${server.authUrl}/password/forgotten`,
  ])
})

test('without a mail server, nothing is written and no language is remembered', async () => {
  const partner = await silent.partner()
  const visitor = await loggedIn(silent, 'ada')
  await connect(silent, partner, 'ada', {}, visitor)
  await changePassword(visitor, silent)
  expect(await written(silent)).toEqual([])
  expect(await query(silent.database, 'SELECT FROM user_languages')).toEqual([])
})
