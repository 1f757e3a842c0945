import { beforeEach, describe, expect, test } from 'vitest'
import { originValue, systemOrigin } from '../../src/audit/origin.ts'
import { setPassword } from '../../src/directory/users.ts'
import { setPasswordByLink } from '../../src/recovery/recovery.sql.ts'
import { sha256 } from '../../src/secrets/token-format.ts'
import { changePassword, loginStatus } from '../support/change-password.ts'
import { countingDatabase } from '../support/counting-database.ts'
import { query } from '../support/database.ts'
import { emailOf, password, seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { holdHashing } from '../support/login.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { loggedIn } from '../support/pages.ts'
import { mailedLink, openLink, requestLink, setByLink } from '../support/recovery.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { fieldsOf, type Page, Visitor } from '../support/visitor.ts'

const chosen = 'plum tractor velvet orbit'
const mailbox = await mailboxFixture()
const database = await databaseFixture(countingDatabase)
const options = { on: database, mail: mailbox.settings, trustedProxies: ['127.0.0.1'] }
const server = await serverFixture(options)
const twin = await serverFixture(options)
const ids = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gus', 'hal', 'ivy']
await seed(database.direct, {
  users: [
    ...ids.map((id) => ({ id })),
    { id: 'out', status: 'disabled' },
    { id: 'fed', firm: 'federated' },
    { id: 'none' },
  ],
})
await query(database.direct, `UPDATE firms SET local_passwords = false WHERE id = 'federated'`)
await query(database.direct, `UPDATE users SET password_hash = NULL WHERE id = 'none'`)

beforeEach(async () => {
  await query(database.direct, 'DELETE FROM outbox; DELETE FROM password_links; DELETE FROM login_failures')
  mailbox.received.length = 0
})

const rows = (sql: string) => query(database.direct, sql)
const secretIn = (link: string) => new URL(link).searchParams.get('token') ?? ''
const loginVersionOf = async (id: string) =>
  (await query(database.direct, 'SELECT login_version FROM users WHERE id = $1', [id]))[0]

describe('55: who has an account', () => {
  const everyone = ['ada', 'nobody', 'out', 'fed', 'none']

  /** What a stranger sees: of the answer and of the page after it. */
  const shown = async (visitor: Visitor, page: Page) => {
    const next = await visitor.follow(page)
    const text = (found: Page) => found.text.replace(/name="_csrf" value="[^"]*"/g, 'CSRF')
    const names = (found: Page) => [...found.headers.keys()].sort()
    return [page, next].map((found) => [
      found.status,
      found.headers.get('location'),
      text(found),
      names(found),
    ])
  }

  test('known, unknown, disabled, federated and throttled: the same answer after the same statements', async () => {
    for (let request = 1; request <= 5; request++) {
      const answers: unknown[] = []
      const statements: number[] = []
      for (const id of everyone) {
        const visitor = new Visitor()
        const form = await visitor.get(`${server.authUrl}/password/forgotten`)
        let page: Page | undefined
        const began = performance.now()
        const count = await database.statementsDuring(async () => {
          page = await visitor.submit(form, '/password/forgotten', { email: emailOf(id) })
        })
        // No answer comes before the work can have ended. A timer may end a millisecond early.
        expect(performance.now() - began).toBeGreaterThan(49)
        statements.push(count)
        answers.push(page && (await shown(visitor, page)))
      }
      expect(statements).toEqual(everyone.map(() => 1))
      for (const answer of answers) expect(answer).toEqual(answers[0])
    }
    // The fourth and fifth request of each were throttled.
    const mails = await rows(`SELECT payload->>'to' AS to, count(*)::int FROM outbox GROUP BY 1 ORDER BY 1`)
    expect(mails).toEqual([
      { to: emailOf('ada'), count: 3 },
      { to: emailOf('fed'), count: 3 },
      { to: emailOf('none'), count: 3 },
    ])
    expect(await rows('SELECT user_id FROM password_links ORDER BY 1')).toEqual([
      { user_id: 'ada' },
      { user_id: 'none' },
    ])
  })

  test('nothing is hashed with a password hash, whoever asks and whatever link is used', async () => {
    const release = holdHashing(server)
    const visitor = new Visitor()
    for (const id of everyone) expect((await requestLink(server, emailOf(id), { visitor })).status).toBe(303)
    const page = await openLink(`${server.authUrl}/password/reset?token=${'x'.repeat(43)}`, visitor)
    expect(page.status).toBe(410)
    const form = await visitor.get(`${server.authUrl}/password/forgotten`)
    const fields = { ...fieldsOf(form, '/password/forgotten'), new_password: chosen }
    expect((await visitor.post(`${server.authUrl}/password/new`, fields)).status).toBe(410)
    release()
  })

  test('strangers get no mail: the server writes to no address that no user has', async () => {
    for (const email of ['stranger@example.org', '', 'ada', `${emailOf('ada')},evil@example.org`]) {
      expect((await requestLink(server, email)).status).toBe(303)
    }
    expect(await rows('SELECT FROM outbox')).toEqual([])
  })
})

describe('55: a link', () => {
  test('works once: a replay changes nothing and gets a page that helps', async () => {
    const link = await mailedLink(server, mailbox, 'bob')
    const [first, second] = [new Visitor(), new Visitor()]
    await openLink(link, second)
    expect((await setByLink(link, chosen, first)).status).toBe(303)
    const form = await second.get(`${server.authUrl}/password/forgotten`)
    const fields = { ...fieldsOf(form, '/password/forgotten'), new_password: 'an attacker’s own choice' }
    expect((await second.post(`${server.authUrl}/password/new`, fields)).status).toBe(410)
    expect((await openLink(link)).status).toBe(410)
    expect(await loginStatus(server, 'bob', chosen)).toBe(303)
  })

  test('used 64 times at once on two servers: one password, one mail', async () => {
    const link = await mailedLink(server, mailbox, 'cleo')
    const visitor = new Visitor()
    const forms: [Page, Page] = [
      await openLink(link, visitor),
      await openLink(link.replace(server.authUrl, twin.authUrl), visitor),
    ]
    const uses = Array.from({ length: 64 }, (_, n) =>
      visitor.submit(n % 2 ? forms[0] : forms[1], '/password/new', {
        new_password: `choice number ${n} of many`,
      }),
    )
    const statuses = (await Promise.all(uses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    for (const status of statuses) expect([303, 410, 503]).toContain(status)
    expect(await rows(`SELECT payload->>'mail' AS mail FROM outbox`)).toEqual([{ mail: 'password_changed' }])
  })

  test('used 64 times at once in the database: one changes the password', async () => {
    const link = await mailedLink(server, mailbox, 'cleo')
    const before = await loginVersionOf('cleo')
    const values = (n: number) => [
      sha256(secretIn(link)),
      `hash ${n}`,
      Buffer.alloc(32),
      true,
      originValue(systemOrigin),
    ]
    const uses = Array.from({ length: 64 }, (_, n) =>
      database.direct.maybe(setPasswordByLink, values(n)).then((row) => (row ? n : undefined)),
    )
    const winners = (await Promise.all(uses)).filter((n) => n !== undefined)
    expect(winners).toHaveLength(1)
    const [user] = await rows(`SELECT password_hash FROM users WHERE id = 'cleo'`)
    expect(user).toEqual({ password_hash: `hash ${winners[0]}` })
    expect(await loginVersionOf('cleo')).not.toEqual(before)
    expect(await rows('SELECT FROM outbox')).toHaveLength(1)
    expect(await rows('SELECT FROM password_links')).toEqual([])
  })

  test('ends with a newer link, and with any change of the password', async () => {
    const ends = async (change: () => Promise<unknown>) => {
      await rows('DELETE FROM login_failures')
      const link = await mailedLink(server, mailbox, 'dan')
      expect((await openLink(link)).status).toBe(200)
      await change()
      expect((await openLink(link)).status).toBe(410)
    }
    await ends(() => mailedLink(server, mailbox, 'dan'))
    await ends(async () => {
      const visitor = await loggedIn(server, 'dan')
      expect((await changePassword(visitor, server)).status).toBe(303)
      await rows('DELETE FROM outbox')
    })
    await ends(() =>
      setPassword(database.direct, systemOrigin, 'dan', 'set by the operator now', { service: 'Latchkey' }),
    )
  })

  test('that races a change of the password by its user: the later one decides, and neither undoes the other', async () => {
    const link = await mailedLink(server, mailbox, 'eve')
    const used = await database.direct.withConnection(async (client) => {
      await client.query('BEGIN')
      await client.query(
        `UPDATE users SET password_hash = 'of the user', login_version = gen_random_uuid() WHERE id = 'eve'`,
      )
      const using = database.direct.maybe(setPasswordByLink, [
        sha256(secretIn(link)),
        'of the link',
        Buffer.alloc(32),
        true,
        originValue(systemOrigin),
      ])
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await expect.poll(async () => (await rows(waiting)).length).toBe(1)
      await client.query('COMMIT')
      return using
    })
    expect(used).toBeUndefined()
    expect(await rows(`SELECT password_hash FROM users WHERE id = 'eve'`)).toEqual([
      { password_hash: 'of the user' },
    ])
  })

  test('is opened without being used: programs that check mails open links before the user does', async () => {
    const link = await mailedLink(server, mailbox, 'finn')
    for (let n = 0; n < 5; n++) expect((await openLink(link)).status).toBe(200)
    expect((await setByLink(link, chosen)).status).toBe(303)
  })

  test('opens no session, and does not need one', async () => {
    const visitor = new Visitor()
    expect((await setByLink(await mailedLink(server, mailbox, 'gus'), chosen, visitor)).status).toBe(303)
    expect(await isLoggedIn(visitor, server)).toBe(false)
    expect(await rows(`SELECT FROM sessions WHERE user_id = 'gus'`)).toEqual([])
  })

  test('opened in another tab does not take the password for the account of an open form', async () => {
    const visitor = new Visitor()
    const form = await openLink(await mailedLink(server, mailbox, 'hal'), visitor)
    await openLink(await mailedLink(server, mailbox, 'ivy'), visitor)
    const refused = await visitor.submit(form, '/password/new', { new_password: chosen })
    expect(refused.status).toBe(400)
    const shown = refused.document.querySelector('main')?.text
    expect(shown).toContain('another link was opened')
    expect([shown?.includes(emailOf('ivy')), shown?.includes(emailOf('hal'))]).toEqual([true, false])
    for (const id of ['hal', 'ivy']) expect(await loginStatus(server, id, password)).toBe(303)
    expect((await visitor.submit(refused, '/password/new', { new_password: chosen })).status).toBe(303)
    expect(await loginStatus(server, 'ivy', chosen)).toBe(303)
  })

  test('cannot be used by a form of another site', async () => {
    const visitor = new Visitor()
    const page = await openLink(await mailedLink(server, mailbox, 'hal'), visitor)
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const fields = { new_password: chosen }
    expect((await visitor.submit(page, '/password/new', fields, foreign)).status).toBe(403)
    expect((await visitor.submit(page, '/password/new', { ...fields, _csrf: 'x' })).status).toBe(403)
    expect(await loginStatus(server, 'hal', password)).toBe(303)
  })
})
