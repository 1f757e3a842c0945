import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { foldCase } from '../../src/directory/case-folding.ts'
import { changeOperator } from '../../src/operators/operators.ts'
import { newPersonTotp } from '../../src/people/setup.ts'
import { query } from '../support/database.ts'
import { emailOf, seed } from '../support/directory.ts'
import { keyOn, nextCode } from '../support/factors.ts'
import {
  addOperator,
  logInOperator,
  newOperator,
  openSetup,
  operatorPassword,
  type TestOperator,
  typePassword,
} from '../support/operators.ts'
import { loggedIn } from '../support/pages.ts'
import { type TestServer, testServer } from '../support/server.ts'
import { fieldsOf, type Page, redirectOf, Visitor } from '../support/visitor.ts'

let server: TestServer
let owner: TestOperator
beforeAll(async () => {
  server = await testServer()
  await seed(server.database, { users: [{ id: 'ada' }] })
  owner = await newOperator(server)
})
afterAll(() => server.close())

const isLogin = (page: Page) => redirectOf(page)?.pathname === '/admin/login'
const overviewOf = (browser: Visitor) => browser.get(`${server.authUrl}/admin`)
const cookieOf = (browser: Visitor, name: string) =>
  browser.jar.getCookiesSync(server.authUrl).find(({ key }) => key === name)?.value ?? ''

test('84: login CSRF: a form of another site does not log an operator in', async () => {
  const page = await new Visitor().get(`${server.authUrl}/admin/login`)
  const fields = { ...fieldsOf(page, '/admin/login'), email: owner.email, password: operatorPassword }
  const victim = new Visitor() // has no cookie of the attacker's page
  expect((await victim.post(`${server.authUrl}/admin/login`, fields)).status).toBe(403)
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const own = new Visitor()
  const shown = await own.get(`${server.authUrl}/admin/login`)
  const sent = { email: owner.email, password: operatorPassword }
  expect((await own.submit(shown, '/admin/login', sent, foreign)).status).toBe(403)
})

test('84: fixation: a login gives the browser a new session, and ends the one that an attacker planted', async () => {
  const attacker = await newOperator(server, { email: 'mallory@platform.example', role: 'read_only' })
  const planted = cookieOf(attacker.browser, 'latchkey-operator-session')
  const victim = new Visitor()
  await victim.jar.setCookie(`latchkey-operator-session=${planted}`, server.authUrl)
  await victim.jar.setCookie(`latchkey-operator-session=${planted}; Path=/`, server.authUrl)
  await victim.submit(await overviewOf(victim), '/admin/logout', {}) // the form of the planted session
  await logInOperator(server, victim, owner)
  expect(cookieOf(victim, 'latchkey-operator-session')).not.toBe(planted)
  expect(isLogin(await overviewOf(attacker.browser))).toBe(true)
  expect((await overviewOf(victim)).status).toBe(200)
})

test('84: the session of a user is none of an operator, nor the other way round', async () => {
  const user = await loggedIn(server, 'ada')
  const id = cookieOf(user, 'latchkey-session')
  const browser = new Visitor()
  await browser.jar.setCookie(`latchkey-operator-session=${id}; Path=/`, server.authUrl)
  expect(isLogin(await overviewOf(browser))).toBe(true)

  const stolen = cookieOf(owner.browser, 'latchkey-operator-session')
  const other = new Visitor()
  await other.jar.setCookie(`latchkey-session=${stolen}; Path=/`, server.authUrl)
  expect(redirectOf(await other.get(`${server.authUrl}/connections`))?.pathname).toBe('/login')
})

test('84: a user with the address and the password of an operator does not log in to the console', async () => {
  expect((await typePassword(server, new Visitor(), { email: emailOf('ada') })).status).toBe(403)
})

describe('84: a setup link', () => {
  test('works once, and not after a reset or for a disabled operator', async () => {
    const { link } = await addOperator(server, { email: 'link@platform.example', role: 'support' })
    const [first, thief] = [new Visitor(), new Visitor()]
    const [own, stolen] = [await openSetup(first, link), await openSetup(thief, link)]
    const setUp = (browser: Visitor, page: Page) => {
      const code = nextCode(server, keyOn(page))
      return browser.submit(page, '/admin/setup', { new_password: operatorPassword, code })
    }
    expect((await setUp(first, own)).status).toBe(200)
    expect((await setUp(thief, stolen)).status).toBe(410)
    expect((await openSetup(new Visitor(), link)).status).toBe(410)
    expect(isLogin(await overviewOf(thief))).toBe(true)
  })

  test('leaves no account with a password and without a second factor', async () => {
    const { id, link } = await addOperator(server, { email: 'half@platform.example', role: 'support' })
    const browser = new Visitor()
    const page = await openSetup(browser, link)
    const fields = { new_password: operatorPassword, code: '000000' }
    expect((await browser.submit(page, '/admin/setup', fields)).status).toBe(400)
    const [row] = await query(server.database, 'SELECT password_hash FROM operators WHERE id = $1', [id])
    expect(row).toEqual({ password_hash: null })
    expect((await typePassword(server, new Visitor(), { email: 'half@platform.example' })).status).toBe(403)
  })

  test('ends when the address of the operator changes: it was sent to the old one', async () => {
    const { id, link } = await addOperator(server, { email: 'typo@platform.example', role: 'support' })
    const outcome = await changeOperator(server.database, systemOrigin, id, {
      email: 'right@platform.example',
    })
    expect(outcome).toMatchObject({ kind: 'done', id })
    const page = await openSetup(new Visitor(), link)
    expect(page.text).not.toContain('name="new_password"')
  })

  test('a secret that was sealed for a user is not accepted for an operator', async () => {
    const { id, link } = await addOperator(server, { email: 'seal@platform.example', role: 'support' })
    const browser = new Visitor()
    const page = await openSetup(browser, link)
    const foreign = newPersonTotp(server.context, 'operator', {
      id: 'another',
      name: '',
      email: foldCase('x@y.example'),
    })
    const code = nextCode(server, foreign.secret)
    const fields = { new_password: operatorPassword, sealed: foreign.sealed, code }
    expect((await browser.submit(page, '/admin/setup', fields)).status).toBe(400)
    expect(id).not.toBe('another')
  })
})

describe('84: a login', () => {
  test('needs the second factor, and a code counts once', async () => {
    const browser = new Visitor()
    const page = await browser.follow(await typePassword(server, browser, owner))
    expect(isLogin(await overviewOf(browser))).toBe(true)
    const code = nextCode(server, owner.secret)
    const answer = await browser.submit(page, '/admin/login/second-factor', { code })
    expect(redirectOf(answer)?.pathname).toBe('/admin')
    const other = new Visitor()
    const again = await other.follow(await typePassword(server, other, owner))
    expect((await other.submit(again, '/admin/login/second-factor', { code })).status).toBe(403)
  })

  test('answers the same for an unknown address, and stops after ten failures of an account', async () => {
    const attempt = (email: string) => typePassword(server, new Visitor(), { email, password: 'wrong' })
    const [known, unknown] = [await attempt(owner.email), await attempt('nobody@platform.example')]
    expect([known.status, unknown.status]).toEqual([403, 403])
    const texts = [known, unknown].map(({ document }) => document.querySelector('.fault')?.text)
    expect(texts[0]).toBe(texts[1])
    for (let n = 0; n < 9; n++) await attempt('target@platform.example')
    expect((await attempt('target@platform.example')).status).toBe(403)
    expect((await attempt('target@platform.example')).status).toBe(429)
  })

  test('leads only to pages of the console', async () => {
    for (const next of [
      'https://evil.example/',
      '//evil.example',
      '/admin\\..\\..\\evil',
      '/administrator',
      '/connections',
    ]) {
      const browser = new Visitor()
      const page = await browser.get(`${server.authUrl}/admin/login?${new URLSearchParams({ next })}`)
      expect(fieldsOf(page, '/admin/login').next).toBe('/admin')
    }
  })
})

describe('84: sessions end', () => {
  test.each([
    [
      'a change of the role',
      `UPDATE operators SET role = 'read_only', login_version = gen_random_uuid() WHERE id = $1`,
    ],
    ['disabling', `UPDATE operators SET status = 'disabled' WHERE id = $1`],
    ['eight hours', `UPDATE operator_sessions SET expires_at = now() WHERE operator_id = $1`],
    [
      'half an hour without a request',
      `UPDATE operator_sessions SET last_seen_at = now() - interval '31 minutes' WHERE operator_id = $1`,
    ],
  ])('after %s', async (name, sql) => {
    const email = `${name.replaceAll(' ', '-')}@platform.example`
    const { id, browser } = await newOperator(server, { email, role: 'support' })
    expect((await overviewOf(browser)).status).toBe(200)
    await query(server.database, sql, [id])
    expect(isLogin(await overviewOf(browser))).toBe(true)
  })
})

test('84: what is dangerous needs a proof of identity of the last 15 minutes', async () => {
  const { id, browser, secret } = await newOperator(server, {
    email: 'sudo@platform.example',
    role: 'support',
  })
  const account = `${server.authUrl}/admin/account/password`
  const form = await browser.get(account)
  expect(form.status).toBe(200)
  await query(
    server.database,
    `UPDATE operator_sessions SET proved_at = now() - interval '16 minutes' WHERE operator_id = $1`,
    [id],
  )
  const sent = await browser.submit(form, '/admin/account/password', {
    new_password: 'other ferry lantern quartz',
  })
  expect(redirectOf(sent)?.pathname).toBe('/admin/confirm')
  const confirm = await browser.follow(await browser.get(account))
  expect(confirm.document.querySelector('h1')?.text).toContain('Confirm')
  const before = cookieOf(browser, 'latchkey-operator-session')
  const wrong = await browser.submit(confirm, '/admin/confirm', { code: '000000' })
  expect(wrong.status).toBe(403)
  const right = await browser.submit(confirm, '/admin/confirm', { code: nextCode(server, secret) })
  expect(redirectOf(right)?.pathname).toBe('/admin/account/password')
  expect(cookieOf(browser, 'latchkey-operator-session')).not.toBe(before)
  expect((await browser.follow(right)).status).toBe(200)
})

test('84: the console cannot be shown in a frame, runs no inline script, and is never cached', async () => {
  for (const page of [
    await overviewOf(owner.browser),
    await new Visitor().get(`${server.authUrl}/admin/login`),
  ]) {
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(page.headers.get('cache-control')).toBe('no-store')
  }
})

test('84: markup in the name of an operator is text', async () => {
  const name = '<img src=x onerror=alert(1)>'
  const { browser } = await newOperator(server, { email: 'markup@platform.example', name })
  const page = await overviewOf(browser)
  expect(page.document.querySelector('img[onerror]')).toBeNull()
  expect(page.text).toContain('&lt;img')
})

test('84: of two owners who demote each other at the same time, one stays an owner', async () => {
  await query(server.database, `DELETE FROM operators`)
  const ids = await Promise.all(
    ['one', 'two'].map(async (name) => (await addOperator(server, { email: `${name}@platform.example` })).id),
  )
  const { changeOperator } = await import('../../src/operators/operators.ts')
  const { systemOrigin } = await import('../../src/audit/origin.ts')
  const outcomes = await Promise.all(
    ids.map((id) => changeOperator(server.database, systemOrigin, id, { role: 'support' })),
  )
  expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['done', 'refused'])
})

describe('84: allowed networks', () => {
  test('others get 404 for the console and the admin API; a forged header does not count', async () => {
    const behind = await testServer({
      adminNetworks: ['10.1.0.0/16', '2001:db8::/32'],
      trustedProxies: ['127.0.0.1'],
    })
    const open = await testServer({ adminNetworks: ['10.1.0.0/16'] })
    try {
      const get = async ({ authUrl }: TestServer, path: string, forwarded?: string) =>
        (await new Visitor().get(authUrl + path, forwarded ? { 'x-forwarded-for': forwarded } : {})).status
      for (const path of ['/admin', '/admin/login', '/admin/v1/openapi.json']) {
        expect([path, await get(behind, path, '10.2.0.1')]).toEqual([path, 404])
        expect(await get(behind, path, '10.1.2.3')).not.toBe(404)
        expect(await get(behind, path, '2001:db8::7')).not.toBe(404)
        // No proxy is trusted: the address of the connection counts, whatever the header says.
        expect([path, await get(open, path, '10.1.2.3')]).toEqual([path, 404])
      }
      expect(await get(behind, '/login', '10.2.0.1')).toBe(200)
    } finally {
      await behind.close()
      await open.close()
    }
  })
})

test('84: a role without the scope reaches neither the page nor the form of an owner', async () => {
  const { browser } = await newOperator(server, { email: 'lower@platform.example', role: 'read_only' })
  const page = await browser.get(`${server.authUrl}/admin/partners/new`)
  expect([page.status, page.document.querySelector('h1')?.text]).toEqual([
    403,
    'Your role does not allow this',
  ])
  const csrf = fieldsOf(await overviewOf(browser), '/admin/logout')
  const form = { ...csrf, name: 'Stolen', redirect_uris: 'https://evil.example/' }
  expect((await browser.post(`${server.authUrl}/admin/partners/new`, form)).status).toBe(403)
  expect(await query(server.database, `SELECT FROM partners WHERE name = 'Stolen'`)).toEqual([])
})
