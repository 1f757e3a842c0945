import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { emailOf } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { cookieOf } from '../support/login.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { postRaw } from '../support/raw-socket.ts'
import { linkIn, mailedLink, openLink, requestLink } from '../support/recovery.ts'
import { fieldsOf, redirectOf, Visitor } from '../support/visitor.ts'

const mailbox = await mailboxFixture()
const server = await serverFixture({
  mail: mailbox.settings,
  trustedProxies: ['127.0.0.1'],
  users: ['ivy', 'jim', 'kim'],
})

beforeEach(async () => {
  await query(server.database, 'DELETE FROM outbox; DELETE FROM password_links')
  mailbox.received.length = 0
})

const secretIn = (link: string) => new URL(link).searchParams.get('token') ?? ''

describe('55: where a link leads, and where its secret goes', () => {
  test('a forged Host or X-Forwarded-Host is in no link', async () => {
    const visitor = new Visitor()
    const form = await visitor.get(`${server.authUrl}/password/forgotten`)
    const body = new URLSearchParams({ ...fieldsOf(form, '/password/forgotten'), email: emailOf('ivy') })
    const answer = await postRaw(
      server.authUrl.replace('localhost', '127.0.0.1'),
      '/password/forgotten',
      [
        'content-type: application/x-www-form-urlencoded',
        `cookie: ${await visitor.jar.getCookieString(server.authUrl)}`,
        'x-forwarded-host: evil.example',
        'x-forwarded-proto: http',
        'forwarded: host=evil.example',
      ],
      body.toString(),
    )
    expect(answer?.status).toBe(303)
    await server.sendMails()
    const { raw, text, html } = await mailbox.next()
    expect(linkIn(text)).toMatch(new RegExp(`^${server.authUrl}/password/reset\\?token=[\\w-]{43}$`))
    expect(raw + text + html).not.toMatch(/evil|localhost/)
  })

  test('the secret is in no address after the first, in no page, in no referrer and in no log', async () => {
    const link = await mailedLink(server, mailbox, 'jim')
    const secret = secretIn(link)
    const visitor = new Visitor()
    const first = await visitor.get(link)
    expect([first.status, redirectOf(first)?.href]).toEqual([303, `${server.authUrl}/password/new`])
    const page = await visitor.follow(first)
    const set = await visitor.submit(page, '/password/new', { new_password: 'plum tractor velvet orbit' })
    const done = await visitor.follow(set)
    for (const shown of [first, page, set, done]) {
      expect(shown.headers.get('referrer-policy')).toBe('no-referrer')
      expect(shown.text).not.toContain(secret)
    }
    for (const kept of [first, page, done]) expect(kept.headers.get('cache-control')).toBe('no-store')
    expect(server.logs()).not.toContain(secret)
    expect(first.headers.getSetCookie().join()).toMatch(
      /latchkey-password-link=[\w-]{43}; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax/,
    )
    expect(await cookieOf(visitor, server, 'latchkey-password-link')).toBeUndefined()
  })

  test('a copy of the database contains no link that works', async () => {
    expect((await requestLink(server, emailOf('kim'))).status).toBe(303)
    const copy = JSON.stringify([
      await query(server.database, 'SELECT * FROM outbox'),
      await query(server.database, 'SELECT * FROM password_links'),
    ])
    await server.sendMails()
    const secret = secretIn(linkIn((await mailbox.next()).text))
    expect(copy).toContain('password_reset')
    expect(copy).not.toContain(secret)
    expect(copy).not.toContain('/password/reset')
    // What is stored instead of the secret opens nothing.
    const [{ hash } = { hash: '' }] = await query<{ hash: string }>(
      server.database,
      `SELECT encode(hash, 'hex') AS hash FROM password_links`,
    )
    for (const token of [hash, Buffer.from(hash, 'hex').toString('base64url')])
      expect((await openLink(`${server.authUrl}/password/reset?token=${token}`)).status).toBe(410)
  })
})
