import { beforeEach, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { removeMember } from '../../src/developers/members.ts'
import { query } from '../support/database.ts'
import {
  developerPassword,
  developerWithForms,
  invited,
  logInDeveloper,
  newDeveloper,
} from '../support/developers.ts'
import { serverFixture } from '../support/fixtures.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { addOperator, newOperator, openSetup, operatorPassword } from '../support/operators.ts'
import { loggedIn } from '../support/pages.ts'
import { fieldsOf, type Page, redirectOf, Visitor } from '../support/visitor.ts'

const mailbox = await mailboxFixture()
const server = await serverFixture({ mail: mailbox.settings, users: ['ada'] })
const [ledger, harbor] = [await server.partner({ name: 'Ledger' }), await server.partner({ name: 'Harbor' })]
const admin = await developerWithForms(server, ledger.clientId, { email: 'admin@ledger.example' })
const stranger = await developerWithForms(server, harbor.clientId, { email: 'admin@harbor.example' })

const someId = '00000000-0000-4000-8000-000000000000'
const addressesOf = (method: 'GET' | 'POST', clientId: string) =>
  server.routes
    .filter((route) => route.method === method && route.url.startsWith('/developers/apps/'))
    .map(({ url }) => url.replace(':client_id', clientId).replaceAll(/:\w+/g, someId))

const csrfOf = async (browser: Visitor) =>
  fieldsOf(await browser.get(`${server.authUrl}/developers/account`), '/developers/logout')

const changes = async () =>
  query(
    server.database,
    `SELECT event FROM audit_log WHERE via = 'developer_pages' AND event NOT LIKE 'developer.log%' ORDER BY at, id`,
  )

/** A page without what differs in every answer. */
const comparable = ({ status, text }: Page, clientId: string) => [
  status,
  text.replaceAll(clientId, 'APP').replaceAll(/value="[\w.-]{20,}"|[\w-]{21,}/g, 'RANDOM'),
]

const isLogin = (page: Page) => redirectOf(page)?.pathname === '/developers/login'
const cookieOf = (browser: Visitor, name: string) =>
  browser.jar.getCookiesSync(server.authUrl).find(({ key }) => key === name)?.value ?? ''
const give = (browser: Visitor, name: string, value: string) =>
  browser.jar.setCookie(`${name}=${value}; Path=/`, server.authUrl)

beforeEach(async () => {
  await query(server.database, 'DELETE FROM outbox')
  mailbox.received.length = 0
})

describe('87: every page and form of an application', () => {
  test('answers a developer of another partner as for an application that does not exist', async () => {
    const { browser } = stranger
    const token = await csrfOf(browser)
    const unknown = await browser.get(`${server.authUrl}/developers/apps/unknown`)
    for (const path of addressesOf('GET', ledger.clientId)) {
      const page = await browser.get(server.authUrl + path)
      expect.soft(comparable(page, ledger.clientId), path).toEqual(comparable(unknown, 'unknown'))
    }
    expect(unknown.status).toBe(404)
    const before = await changes()
    for (const path of addressesOf('POST', ledger.clientId)) {
      expect.soft((await browser.post(server.authUrl + path, token)).status, path).toBe(404)
    }
    expect(await changes()).toEqual(before)
  })

  test('leads to the login without a session', async () => {
    for (const path of addressesOf('GET', ledger.clientId))
      expect.soft(isLogin(await new Visitor().get(server.authUrl + path)), path).toBe(true)
    for (const path of addressesOf('POST', ledger.clientId))
      expect.soft(isLogin(await new Visitor().post(server.authUrl + path, {})), path).toBe(true)
  })

  test('that changes something is refused for viewers, and that is about people for developers', async () => {
    const viewer = await developerWithForms(server, ledger.clientId, {
      email: 'v@ledger.example',
      role: 'viewer',
    })
    const developer = await developerWithForms(server, ledger.clientId, {
      ...{ email: 'd@ledger.example', role: 'developer' },
    })
    const before = await changes()
    const forms = addressesOf('POST', ledger.clientId)
    const ofPeople = forms.filter((path) => path.includes('/people'))
    expect(ofPeople.length).toBeGreaterThan(2)
    for (const [{ browser }, paths] of [
      [viewer, forms],
      [developer, ofPeople],
    ] as const) {
      const token = await csrfOf(browser)
      for (const path of paths) {
        const answer = await browser.post(server.authUrl + path, token)
        expect
          .soft([answer.status, answer.text.includes('Your role does not allow this')], path)
          .toEqual([403, true])
      }
      const people = await browser.get(`${server.authUrl}/developers/apps/${ledger.clientId}/people`)
      expect(people.status).toBe(403)
    }
    expect(await changes()).toEqual(before)
  })

  test('refuses posts of other sites, and those with the token of another session', async () => {
    const [own, foreign] = [await csrfOf(admin.browser), await csrfOf(stranger.browser)]
    const before = await changes()
    for (const path of addressesOf('POST', ledger.clientId)) {
      const url = server.authUrl + path
      const attempts = [
        await admin.browser.post(url, {}),
        await admin.browser.post(url, foreign),
        await admin.browser.post(url, own, { origin: 'https://evil.example' }),
        await admin.browser.post(url, own, { 'sec-fetch-site': 'cross-site' }),
      ]
      expect
        .soft(
          attempts.map(({ status }) => status),
          path,
        )
        .toEqual([403, 403, 403, 403])
    }
    expect(await changes()).toEqual(before)
  })
})

describe('87: an account of one kind of people is none of the other', () => {
  test('no session of a user, an operator or a developer counts for the others', async () => {
    const operator = await newOperator(server, { email: 'olive@platform.example' })
    const sessions = {
      'latchkey-session': cookieOf(await loggedIn(server, 'ada'), 'latchkey-session'),
      'latchkey-operator-session': cookieOf(operator.browser, 'latchkey-operator-session'),
      'latchkey-developer-session': cookieOf(admin.browser, 'latchkey-developer-session'),
    }
    const logins = {
      'latchkey-session': ['/connections', '/login'],
      'latchkey-operator-session': ['/admin', '/admin/login'],
      'latchkey-developer-session': ['/developers', '/developers/login'],
    }
    for (const [name, [page = '', login]] of Object.entries(logins)) {
      for (const [owner, value] of Object.entries(sessions)) {
        if (owner === name) continue
        const browser = new Visitor()
        await give(browser, name, value)
        const answer = await browser.get(server.authUrl + page)
        expect.soft(redirectOf(answer)?.pathname, `${owner} as ${name}`).toBe(login)
      }
    }
  })

  test('nor does a password, a setup link, or the second half of a login', async () => {
    const email = 'both@ledger.example'
    const developer = await newDeveloper(server, { clientId: ledger.clientId, email })
    const operator = await newOperator(server, { email: 'both@platform.example' })
    const attempt = async (home: string, fields: { email: string; password: string }) => {
      const browser = new Visitor()
      const page = await browser.get(`${server.authUrl}${home}/login`)
      return { browser, answer: await browser.submit(page, `${home}/login`, fields) }
    }
    const asOperator = await attempt('/admin', { email, password: developerPassword })
    const asDeveloper = await attempt('/developers', { email: operator.email, password: operatorPassword })
    expect([asOperator.answer.status, asDeveloper.answer.status]).toEqual([403, 403])

    const half = await attempt('/developers', { email: developer.email, password: developerPassword })
    await give(half.browser, 'latchkey-operator-login', cookieOf(half.browser, 'latchkey-developer-login'))
    const second = await half.browser.get(`${server.authUrl}/admin/login/second-factor`)
    expect(redirectOf(second)?.pathname).toBe('/admin/login')

    const { link } = await addOperator(server, { email: 'link@platform.example', role: 'support' })
    const swapped = await openSetup(new Visitor(), link.replace('/admin/setup', '/developers/setup'))
    expect(swapped.status).toBe(410)
    const own = await invited(server, { clientId: ledger.clientId, email: 'link@ledger.example' })
    const other = await openSetup(
      new Visitor(),
      (own.link ?? '').replace('/developers/setup', '/admin/setup'),
    )
    expect(other.status).toBe(410)
  })
})

describe('87: a session', () => {
  test('is new with each login, and ends the one that an attacker planted', async () => {
    const victim = await newDeveloper(server, { clientId: ledger.clientId, email: 'victim@ledger.example' })
    const planted = cookieOf(stranger.browser, 'latchkey-developer-session')
    const browser = new Visitor()
    await give(browser, 'latchkey-developer-session', planted)
    const account = await browser.get(`${server.authUrl}/developers/account`)
    await browser.submit(account, '/developers/logout', {})
    await logInDeveloper(server, browser, victim)
    expect(cookieOf(browser, 'latchkey-developer-session')).not.toBe(planted)
    expect(isLogin(await stranger.browser.get(`${server.authUrl}/developers`))).toBe(true)
    expect((await browser.get(`${server.authUrl}/developers/account`)).text).toContain(
      'victim@ledger.example',
    )
  })

  test('ends when the account is disabled; a removed membership ends with the next request', async () => {
    const gone = await developerWithForms(server, ledger.clientId, { email: 'gone@ledger.example' })
    const app = `${server.authUrl}/developers/apps/${ledger.clientId}`
    const form = await gone.browser.get(`${app}/people/invite`)
    expect(form.status).toBe(200)
    const removed = { clientId: ledger.clientId, developer: gone.id }
    expect(await removeMember(server.database, systemOrigin, 'admin', removed)).toMatchObject({
      kind: 'done',
    })
    const action = `/developers/apps/${ledger.clientId}/people/invite`
    const sent = await gone.browser.submit(form, action, { email: 'x@y.example', name: 'X', role: 'admin' })
    expect([sent.status, (await gone.browser.get(app)).status]).toEqual([404, 404])
    await query(server.database, `UPDATE developers SET status = 'disabled' WHERE id = $1`, [gone.id])
    expect(isLogin(await gone.browser.get(`${server.authUrl}/developers/account`))).toBe(true)
  })

  test('needs a proof of identity of the last minutes before people change', async () => {
    const { id, browser } = await developerWithForms(server, ledger.clientId, { email: 'old@ledger.example' })
    const path = `/developers/apps/${ledger.clientId}/people/invite`
    const form = await browser.get(server.authUrl + path)
    const stale = `UPDATE developer_sessions SET proved_at = now() - interval '16 minutes' WHERE developer_id = $1`
    await query(server.database, stale, [id])
    const sent = await browser.submit(form, path, { email: 'x@y.example', name: 'X', role: 'admin' })
    expect(redirectOf(sent)?.pathname).toBe('/developers/confirm')
    expect(await query(server.database, `SELECT FROM developers WHERE email = 'x@y.example'`)).toEqual([])
    const csrf = await csrfOf(browser)
    const dangerous = ['application/edit', 'application/logo', 'application/logo/remove', 'webhooks/new']
    for (const other of [...dangerous, 'going-live', `webhooks/${someId}/edit`]) {
      const address = `${server.authUrl}/developers/apps/${ledger.clientId}/${other}`
      const answer = await browser.post(address, csrf)
      expect([other, redirectOf(answer)?.pathname]).toEqual([other, '/developers/confirm'])
    }
  })

  test('reads no file of someone without a session', async () => {
    // The form has no boundary: a server that reads it answers 400.
    const headers = { 'content-type': 'multipart/form-data' }
    const address = `${server.authUrl}/developers/apps/${ledger.clientId}/application/logo`
    expect(isLogin(await new Visitor().post(address, 'x'.repeat(1000), headers))).toBe(true)
  })
})

test('87: a login answers the same for an unknown address, and leads only to developer pages', async () => {
  const attempt = async (email: string) => {
    const browser = new Visitor()
    const page = await browser.get(`${server.authUrl}/developers/login`)
    return browser.submit(page, '/developers/login', { email, password: 'wrong' })
  }
  const [known, unknown] = [await attempt('admin@ledger.example'), await attempt('nobody@ledger.example')]
  expect([known.status, unknown.status]).toEqual([403, 403])
  expect(known.document.querySelector('.fault')?.text).toBe(unknown.document.querySelector('.fault')?.text)
  for (const next of [
    'https://evil.example/',
    '//evil.example',
    '/developersx',
    '/developers\\..\\evil',
    '/admin',
  ]) {
    const page = await new Visitor().get(
      `${server.authUrl}/developers/login?${new URLSearchParams({ next })}`,
    )
    expect.soft(fieldsOf(page, '/developers/login').next, next).toBe('/developers')
  }
})

test('87: markup in names is text on every page', async () => {
  const markup = `<img src=x onerror=alert(1)>"'`
  const app = await server.partner({ name: 'Markup' })
  const { browser, id } = await developerWithForms(server, app.clientId, {
    email: 'm@ledger.example',
    name: markup,
  })
  await query(server.database, 'UPDATE partners SET name = $1, description = $1 WHERE client_id = $2', [
    markup,
    app.clientId,
  ])
  const paths = addressesOf('GET', app.clientId)
  const own = [`/developers/apps/${app.clientId}/people/${id}`, '/developers/account']
  for (const path of [...paths, ...own]) {
    const page = await browser.get(server.authUrl + path)
    expect.soft(page.status, path).toBeLessThan(500)
    expect.soft(page.text, path).not.toContain('<img src=x')
    expect.soft(page.document.querySelectorAll('[onerror]'), path).toEqual([])
  }
})

test('87: ids in the address that cannot be', async () => {
  for (const id of ['%00', 'x'.repeat(400), '..%2f..%2fetc', '%F0%9F%92%A9']) {
    for (const path of [id, `${ledger.clientId}/people/${id}`, `${id}/people`]) {
      const { status } = await admin.browser.get(`${server.authUrl}/developers/apps/${path}`)
      expect.soft(status, path).toBeLessThan(500)
      expect.soft(status, path).toBeGreaterThanOrEqual(400)
    }
  }
})
