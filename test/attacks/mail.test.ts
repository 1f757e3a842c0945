import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { mailChannel } from '../../src/mail/mail-channel.ts'
import type { MailSettings } from '../../src/mail-settings.ts'
import { OutboxWorker } from '../../src/outbox/outbox-worker.ts'
import { query } from '../support/database.ts'
import { emailOf, seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { connect } from '../support/journey.ts'
import { attempt, right } from '../support/login.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { disconnect, loggedIn } from '../support/pages.ts'
import { requestLink } from '../support/recovery.ts'

const mailbox = await mailboxFixture()
const database = await databaseFixture()
const options = { on: database, mail: mailbox.settings, trustedProxies: ['127.0.0.1'] }
const server = await serverFixture(options)
await seed(database.database, { users: ['ada', 'bob', 'cleo', 'dan'] })

beforeEach(async () => {
  await query(database.database, 'DELETE FROM outbox; DELETE FROM login_failures')
  mailbox.received.length = 0
})

const count = async (condition = 'true') =>
  (await query(database.database, `SELECT FROM outbox WHERE ${condition}`)).length

const lines: string[] = []
const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })

/** Sends a mail with other settings than the server's. @returns the log line of the attempt */
async function attemptWith(settings: Partial<MailSettings>): Promise<Record<string, unknown>> {
  const { keys, config } = server.context
  const channel = mailChannel({
    settings: { ...mailbox.settings, ...settings },
    keys,
    authUrl: config.authUrl,
    brand: config.brand,
  })
  lines.length = 0
  const worker = new OutboxWorker({ database: database.database, logger, channel })
  await worker.wake()
  await worker.stop()
  return JSON.parse(lines[0] ?? '{}')
}

/** Writes a mail as another part of the server would. */
async function write(to: string, facts: { name?: string; partner?: string }): Promise<void> {
  const { name = 'Ada', partner = 'Nice Budget' } = facts
  const at = '2026-11-22T08:00:00+00:00'
  const payload = { mail: 'connected', to, name, language: 'en', facts: { partner, at } }
  await query(
    database.database,
    `INSERT INTO outbox (kind, payload, expires_at) VALUES ('mail', $1, now() + interval '1 day')`,
    [JSON.stringify(payload)],
  )
}

describe('80: header injection', () => {
  test('line breaks in names begin no header, no line of their own and no other recipient', async () => {
    const evil =
      'Nice\r\nBcc: evil@evil.example\r\n\r\nHello\u2028Pay here: https://evil.example\n.\r\nQUIT\r\n'
    await write(emailOf('ada'), { name: evil, partner: evil })
    await server.sendMails()
    const { recipients, headers, bcc, subject = '', text = '', to } = await mailbox.next()
    expect([recipients, to, bcc]).toEqual([
      [emailOf('ada')],
      [{ name: '', address: emailOf('ada') }],
      undefined,
    ])
    expect(headers.map(({ key }) => key).sort()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ])
    expect(subject).not.toMatch(/[\r\n]/)
    expect(text.split('\n').filter((line) => /^(Bcc|Hello$|Pay|QUIT|\.)/.test(line))).toEqual([])
  })

  test.each([
    'ada@example.com\r\nBcc: evil@evil.example',
    'ada@example.com>\r\nRCPT TO:<evil@evil.example',
    'ada@example.com> SIZE=1',
    '<evil@evil.example>',
    'a@b@evil.example',
    'ada@example.com evil@evil.example',
    'ada@example.com\x01',
    'evil',
    '',
  ])('an address that is none is given up: %j', async (address) => {
    await write(address, {})
    expect(await attemptWith({})).toMatchObject({ event: 'mail', outcome: 'given_up', attempts: 1 })
    expect([await count(), mailbox.received]).toEqual([0, []])
  })

  test('an address with a comma goes to one mailbox', async () => {
    await write('"ada,evil"@example.com', {})
    await server.sendMails()
    expect((await mailbox.next()).recipients).toHaveLength(1)
  })

  test('markup in a name is shown as text', async () => {
    await write(emailOf('ada'), { partner: '<img src=https://evil.example/x><a href=//evil.example>' })
    await server.sendMails()
    const { html = '' } = await mailbox.next()
    expect(html).not.toMatch(/<img|<a href="?\/\//)
    expect(html).toContain('&lt;img')
  })

  test('a browser’s name that is not a common one is not in the mail', async () => {
    const headers = { 'user-agent': 'Call+49-123-now www.evil.example/1.0' }
    expect((await attempt(server, right('ada'), headers)).status).toBe(303)
    await server.sendMails()
    const { text } = await mailbox.next()
    expect(text).toContain('recognise: Unknown browser.')
    expect(text).not.toContain('evil')
  })
})

describe('80: a flood of mails to one address', () => {
  test('links: three for an account, from any number of sources; thirty requests from one source', async () => {
    for (let n = 0; n < 8; n++) {
      const headers = { 'x-forwarded-for': `192.0.2.${n}` }
      expect((await requestLink(server, emailOf('bob'), { headers })).status).toBe(303)
    }
    expect(await count()).toBe(3)
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => requestLink(server, `stranger-${n}@example.com`, { headers })),
    )
    expect((await requestLink(server, emailOf('cleo'), { headers })).status).toBe(303)
    expect(await count()).toBe(3)
    const others = await query(database.database, 'SELECT FROM login_failures')
    expect((await requestLink(server, 'one-more@example.com', { headers })).status).toBe(303)
    // A source above its limit cannot fill the table.
    expect(await query(database.database, 'SELECT FROM login_failures')).toHaveLength(others.length)
  })

  test('eight at once: three', async () => {
    await Promise.all(Array.from({ length: 8 }, () => requestLink(server, emailOf('bob'))))
    expect(await count()).toBe(3)
  })

  test('a browser that the account knows is not slowed down by its network', async () => {
    const known = await loggedIn(server, 'dan')
    await query(database.database, 'DELETE FROM outbox')
    await Promise.all(Array.from({ length: 31 }, (_, n) => requestLink(server, `stranger-${n}@example.com`)))
    await requestLink(server, emailOf('cleo'))
    expect(await count()).toBe(0)
    await requestLink(server, emailOf('dan'), { visitor: known })
    expect(await count()).toBe(1)
  })

  test('logins on new browsers: five in an hour', async () => {
    for (let n = 0; n < 7; n++) expect((await attempt(server, right('cleo'))).status).toBe(303)
    expect(await count(`payload->>'mail' = 'new_browser'`)).toBe(5)
  })

  test('new consents: ten in an hour, and a new password is still reported', async () => {
    const partner = await server.partner()
    const visitor = await loggedIn(server, 'dan')
    await query(database.database, 'DELETE FROM outbox')
    for (let n = 0; n < 12; n++) {
      await connect(server, partner, 'dan', {}, visitor)
      await disconnect(visitor, server)
    }
    expect(await count(`payload->>'mail' = 'connected'`)).toBe(10)
  })
})

describe('80: the connection to the mail server', () => {
  const auth = { user: 'latchkey', pass: 'canary-of-the-mail-password' }

  test('credentials are not sent in clear: without TLS the mail waits', async () => {
    await write(emailOf('ada'), {})
    // As for a server elsewhere. On loopback, TLS is not needed.
    const line = await attemptWith({ auth, isLoopback: false })
    expect(line).toMatchObject({ outcome: 'failed', reason: 'ETLS' })
    expect([await count(), mailbox.received]).toEqual([1, []])
    expect(lines.join()).not.toContain(auth.pass)
  })

  test('a certificate that no authority signed is refused, and accepted on loopback', async () => {
    const secured = await mailboxFixture({ secure: true, authOptional: true })
    await write(emailOf('ada'), {})
    const { port } = secured
    expect(await attemptWith({ port, secure: true, isLoopback: false })).toMatchObject({ outcome: 'failed' })
    await query(database.database, 'UPDATE outbox SET next_attempt_at = now()')
    expect(await attemptWith({ port, secure: true })).toMatchObject({ outcome: 'delivered' })
  })

  test('a refused login keeps the mail: the operator may correct the password', async () => {
    const strict = await mailboxFixture({
      authOptional: false,
      onAuth: (_given, _session, done) => done(new Error('Invalid user canary-of-the-answer')),
    })
    await write(emailOf('ada'), {})
    expect(await attemptWith({ port: strict.port, auth })).toMatchObject({
      outcome: 'failed',
      reason: 'EAUTH',
      smtp_status: 535,
    })
    expect(await count()).toBe(1)
    expect(lines.join()).not.toMatch(/canary|example\.com/)
  })

  test.each([
    ['550', 'given_up', 0],
    ['450', 'failed', 1],
  ])(
    'a recipient refused with %s: %s; the log names neither the address nor the answer',
    async (code, outcome, left) => {
      const refusing = await mailboxFixture({
        onRcptTo: ({ address }, _session, done) =>
          done(Object.assign(new Error(`<${address}> is unknown here`), { responseCode: Number(code) })),
      })
      await write(emailOf('ada'), {})
      expect(await attemptWith({ port: refusing.port })).toMatchObject({ outcome, smtp_status: Number(code) })
      expect(await count()).toBe(left)
      expect(lines.join()).not.toMatch(/example\.com|unknown here/)
    },
  )

  test('an unreachable server: the mail waits, and is sent later', async () => {
    await write(emailOf('ada'), {})
    expect(await attemptWith({ port: 1 })).toMatchObject({ outcome: 'failed', reason: 'ESOCKET' })
    await query(database.database, 'UPDATE outbox SET next_attempt_at = now()')
    expect(await attemptWith({})).toMatchObject({ outcome: 'delivered', attempts: 2 })
  })
})

test('38: neither links, addresses nor the password of the mail server are in the log', async () => {
  expect((await requestLink(server, emailOf('ada'))).status).toBe(303)
  const auth = { user: 'canary-user', pass: 'canary-of-the-mail-password' }
  for (const settings of [{ port: 1, auth }, { auth, isLoopback: false }, { auth }, {}]) {
    await query(database.database, 'UPDATE outbox SET next_attempt_at = now()')
    await attemptWith(settings)
    expect(lines.join()).not.toMatch(/canary|example\.com|password\/reset|Y2FuYXJ5/) // the last: base64 of canary
  }
  const { text = '' } = await mailbox.next()
  const [, token = ''] = /token=(\S+)/.exec(text) ?? []
  expect(token).toHaveLength(43)
  for (const log of [lines.join(), server.logs()]) {
    expect(log).not.toContain(token)
    expect(log).not.toContain(emailOf('ada'))
  }
})
