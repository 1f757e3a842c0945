import { describe, expect, test } from 'vitest'
import { password } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, logIn } from '../support/journey.ts'
import { attempt, loginPage, plant, right } from '../support/login.ts'
import { recoveryLink } from '../support/pages.ts'
import { rowCounts } from '../support/raw-request.ts'
import { fieldsOf, type Page, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'eve'] })

/** A 403 page that explains the refusal, with a link that leads to a working page. */
async function expectRefusedWithAWayOn(visitor: Visitor, page: Page): Promise<void> {
  expect(page.status).toBe(403)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('location')).toBeNull()
  expect(page.headers.getSetCookie().join()).not.toContain('latchkey-session')
  expect(page.document.querySelector('h1')?.text.trim()).not.toBe('')
  expect(page.text).not.toMatch(/csrf_|FST_|undefined|Error/)
  const href = recoveryLink(page)
  expect(new URL(href).origin).toBe(server.authUrl)
  expect((await visitor.follow(await visitor.get(href))).status).toBe(200)
}

describe('9: a form from another site', () => {
  const elsewhere: [string, Record<string, string>][] = [
    ['another Origin', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['a host that begins like the server’s', { origin: 'http://127.0.0.1.evil.example' }],
    ['Origin null from a cross-site page', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['Origin null from a sibling host', { origin: 'null', 'sec-fetch-site': 'same-site' }],
    ['no Origin from a cross-site page', { 'sec-fetch-site': 'cross-site' }],
  ]
  const actions = [
    '/login',
    '/logout',
    '/connect',
    '/connections/disconnect',
    '/sessions/end',
    '/sessions/end-others',
    '/password',
  ]

  test.each(elsewhere)('%s: 403 for every form, although the CSRF token is right', async (_name, headers) => {
    const client = await server.partner()
    const visitor = new Visitor()
    await logIn(visitor, await loginPage(server, visitor), 'ada')
    const page = await authorize(visitor, server, client)
    const passwords = { current_password: password, new_password: 'another password' }
    const ids = { decision: 'connect', grant: '1', session: '1' }
    const fields = { ...fieldsOf(page, '/connect'), ...right('ada'), ...ids, ...passwords }
    const before = await rowCounts(server)
    for (const action of actions) {
      const refused = await visitor.post(`${server.authUrl}${action}`, fields, headers)
      await expectRefusedWithAWayOn(visitor, refused)
    }
    // The response is the same without any field, because the server checks the fields later.
    for (const action of actions) {
      expect((await visitor.post(`${server.authUrl}${action}`, '', headers)).status).toBe(403)
    }
    expect(await rowCounts(server)).toEqual(before)
    expect((await visitor.get(`${server.authUrl}/connections`)).status).toBe(200)
  })

  test('the server’s own pages are accepted: with their Origin, or null with Sec-Fetch-Site same-origin', async () => {
    for (const headers of [{ origin: server.authUrl }, { origin: 'null', 'sec-fetch-site': 'same-origin' }]) {
      expect((await attempt(server, right('ada'), headers)).status).toBe(303)
    }
  })

  const madeUp: [string, string][] = [
    ['empty', ''],
    ['short', 'x'],
    ['of the right form', 'a-b'],
    ['long', '0'.repeat(5000)],
  ]
  test.each(madeUp)('an invented CSRF token: %s', async (_name, token) => {
    const visitor = new Visitor()
    const page = await loginPage(server, visitor)
    const before = await rowCounts(server)
    await expectRefusedWithAWayOn(
      visitor,
      await visitor.submit(page, '/login', { ...right('ada'), _csrf: token }),
    )
    expect(await rowCounts(server)).toEqual(before)
  })

  test('a token sent twice, no token, or a token without its cookie', async () => {
    const visitor = new Visitor()
    const { _csrf: token = '' } = fieldsOf(await loginPage(server, visitor), '/login')
    const form = new URLSearchParams(right('ada'))
    const url = `${server.authUrl}/login`
    await expectRefusedWithAWayOn(visitor, await visitor.post(url, form.toString()))
    await expectRefusedWithAWayOn(visitor, await visitor.post(url, `${form}&_csrf=${token}&_csrf=${token}`))
    const stranger = new Visitor()
    await expectRefusedWithAWayOn(stranger, await stranger.post(url, `${form}&_csrf=${token}`))
  })

  test('a token of another browser', async () => {
    const { _csrf: foreign = '' } = fieldsOf(await loginPage(server), '/login')
    const visitor = new Visitor()
    const page = await loginPage(server, visitor)
    await expectRefusedWithAWayOn(
      visitor,
      await visitor.submit(page, '/login', { ...right('ada'), _csrf: foreign }),
    )
  })

  test('an attacker’s own token with the attacker’s own CSRF cookie planted in the victim’s browser', async () => {
    const attacker = new Visitor()
    await logIn(attacker, await loginPage(server, attacker), 'eve')
    const { _csrf: token = '' } = fieldsOf(await attacker.get(`${server.authUrl}/connections`), '/logout')
    const cookies = await attacker.jar.getCookies(server.authUrl)
    const secret = cookies.find(({ key }) => key === 'latchkey-csrf')?.value ?? ''
    expect(secret).not.toBe('')
    const victim = new Visitor()
    await logIn(victim, await loginPage(server, victim), 'ada')
    await plant(victim, server, 'latchkey-csrf', secret)
    const refused = await victim.post(`${server.authUrl}/logout`, { _csrf: token })
    await expectRefusedWithAWayOn(victim, refused)
    expect((await victim.get(`${server.authUrl}/connections`)).status).toBe(200)
  })

  test('a token from before the login is invalid after it; the recovery link leads back to the same request', async () => {
    const client = await server.partner()
    const visitor = new Visitor()
    const old = await authorize(visitor, server, client, { state: 'kept' })
    await logIn(visitor, old, 'ada')
    const refused = await visitor.submit(old, '/login', right('ada'))
    await expectRefusedWithAWayOn(visitor, refused)
    const page = await visitor.follow(await visitor.get(recoveryLink(refused)))
    const answer = redirectOf(await visitor.submit(page, '/connect', { decision: 'connect' }))
    expect(answer?.searchParams.get('state')).toBe('kept')
  })

  test('a body that is not a form', async () => {
    const visitor = new Visitor()
    const fields = { ...fieldsOf(await loginPage(server, visitor), '/login'), ...right('ada') }
    const json = await visitor.post(`${server.authUrl}/login`, JSON.stringify(fields), {
      'content-type': 'application/json',
    })
    const nul = JSON.stringify({ ...fields, email: 'a\0' })
    const withNul = await visitor.post(`${server.authUrl}/login`, nul, { 'content-type': 'application/json' })
    expect([json.status, withNul.status]).toEqual([415, 415])
  })
})
