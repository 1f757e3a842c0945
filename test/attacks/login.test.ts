import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { hashPassword } from '../../src/directory/passwords.ts'
import { setPassword } from '../../src/directory/users.ts'
import { query } from '../support/database.ts'
import { emailOf, password, seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, authorizeUrl, connect, logIn } from '../support/journey.ts'
import { attempt, cookieOf, holdHashing, loginPage, plant, right } from '../support/login.ts'
import { disconnect, loggedIn } from '../support/pages.ts'
import { rowCounts } from '../support/raw-request.ts'
import { fieldsOf, type Page, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture()
const users = ['ada', 'bob', 'cleo', 'dan', 'eve', 'hal', 'long', 'ann'].map((id) => ({ id }))
await seed(server.database, { users: [...users, { id: 'zoe', status: 'disabled' }] })

describe('10: a planted session cookie', () => {
  test('an invented id is never adopted', async () => {
    const visitor = new Visitor()
    await plant(visitor, server, 'latchkey-session', 'planted')
    await logIn(visitor, await loginPage(server, visitor), 'ada')
    const id = await cookieOf(visitor, server, 'latchkey-session')
    expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const attacker = new Visitor()
    await plant(attacker, server, 'latchkey-session', 'planted')
    expect(redirectOf(await attacker.get(`${server.authUrl}/connections`))?.pathname).toBe('/login')
  })

  test('an attacker’s own live session, planted in the browser, is replaced at login and dead afterwards', async () => {
    const attacker = new Visitor()
    await logIn(attacker, await loginPage(server, attacker), 'eve')
    const planted = (await cookieOf(attacker, server, 'latchkey-session')) ?? ''
    const victim = new Visitor()
    await plant(victim, server, 'latchkey-session', planted)
    const page = await logIn(victim, await loginPage(server, victim), 'ada')
    expect(page.text).toContain('User ada')
    expect(await cookieOf(victim, server, 'latchkey-session')).not.toBe(planted)
    expect(redirectOf(await attacker.get(`${server.authUrl}/connections`))?.pathname).toBe('/login')
  })

  test('every login gets a new id, and logging out ends the session on the server', async () => {
    const visitor = new Visitor()
    await logIn(visitor, await loginPage(server, visitor), 'ada')
    const first = (await cookieOf(visitor, server, 'latchkey-session')) ?? ''
    const page = await logIn(visitor, await loginPage(server, visitor), 'ada')
    const second = (await cookieOf(visitor, server, 'latchkey-session')) ?? ''
    expect(second).not.toBe(first)
    await visitor.submit(page, '/logout', {})
    for (const id of [first, second]) {
      const thief = new Visitor()
      await plant(thief, server, 'latchkey-session', id)
      expect(redirectOf(await thief.get(`${server.authUrl}/connections`))?.pathname).toBe('/login')
    }
  })
})

describe('12: which accounts exist', () => {
  const anonymous = (page: Page) =>
    page.text
      .replace(/[a-z-]+@example\.com/g, 'EMAIL')
      .replace(/name="_csrf" value="[^"]*"/g, 'CSRF')
      .replace(/&quot;challenge&quot;:&quot;[\w-]*&quot;/, 'CHALLENGE')

  test('known, unknown and disabled user: the same page and status, also when locked', async () => {
    const users = ['bob', 'nobody', 'zoe']
    for (const guess of ['not the password', ...Array(10).fill('other'), 'throttled by now']) {
      const pages = await Promise.all(
        users.map((id) => attempt(server, { email: emailOf(id), password: guess })),
      )
      const [known, ...others] = pages
      for (const other of others) {
        expect(other.status).toBe(known?.status)
        expect(anonymous(other)).toBe(known && anonymous(known))
        expect([...other.headers.keys()].sort()).toEqual([...(known?.headers.keys() ?? [])].sort())
      }
      expect(known?.text).toContain(emailOf('bob'))
    }
  })

  test('a disabled user with the right password gets the same refusal as a wrong password', async () => {
    await query(server.database, 'DELETE FROM login_failures')
    const disabled = await attempt(server, right('zoe'))
    const stranger = await attempt(server, right('nobody'))
    expect([disabled.status, stranger.status]).toEqual([403, 403])
    expect(anonymous(disabled)).toBe(anonymous(stranger))
    expect(disabled.headers.getSetCookie().join()).not.toContain('latchkey-session')
  })
})

describe('13: passwords of unusual size', () => {
  test('1 MB is refused before anything is hashed or counted', async () => {
    const before = await rowCounts(server)
    const refused = await attempt(server, { email: emailOf('ann'), password: 'x'.repeat(1_000_000) })
    expect(refused.status).toBe(413)
    expect(refused.headers.get('content-type')).toContain('text/html')
    // A password that fits into a body but is longer than any that can be set gets a response while hashing is blocked.
    const release = holdHashing(server)
    const long = await attempt(server, { email: emailOf('ann'), password: 'x'.repeat(1025) })
    release()
    expect(long.status).toBe(403)
    expect(await rowCounts(server)).toEqual(before)
  })

  test('NUL is refused in password and address, and nothing is counted', async () => {
    const before = await rowCounts(server)
    for (const fields of [
      { email: emailOf('ann'), password: `${password}\0` },
      { email: `${emailOf('ann')}\0`, password },
    ]) {
      const refused = await attempt(server, fields)
      expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    }
    expect(await rowCounts(server)).toEqual(before)
  })

  test('passwords are not truncated: 64+ characters, 72+ bytes and emoji all count', async () => {
    const long = `dünne Möwen zählen ${randomBytes(40).toString('hex')} und 👩‍👩‍👧‍👦🔑`
    expect(
      (await setPassword(server.database, systemOrigin, 'long', long, { service: 'Latchkey' })).kind,
    ).toBe('done')
    const near = [
      long.slice(0, 64),
      long.slice(0, 72),
      long.slice(0, -2),
      `${long.slice(0, -2)}🔓`,
      `${long} `,
    ]
    for (const guess of near)
      expect((await attempt(server, { email: emailOf('long'), password: guess })).status).toBe(403)
    expect((await attempt(server, { email: emailOf('long'), password: long })).status).toBe(303)
  })

  test('a password of 1024 bytes works', async () => {
    const longest = randomBytes(512).toString('hex')
    expect(
      (await setPassword(server.database, systemOrigin, 'long', longest, { service: 'Latchkey' })).kind,
    ).toBe('done')
    expect((await attempt(server, { email: emailOf('long'), password: longest.slice(1) })).status).toBe(403)
    expect((await attempt(server, { email: emailOf('long'), password: longest })).status).toBe(303)
  })
})

describe('14: return addresses', () => {
  const names = ['next', 'return_to', 'returnTo', 'redirect', 'redirect_uri', 'url', 'continue']
  test.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    '/\t/evil.example',
    '\\\\evil.example',
  ])('%j never leads to another site', async (evil) => {
    const more = Object.fromEntries(names.map((name) => [name, evil]))
    const query_ = new URLSearchParams(more)
    const visitor = new Visitor()
    const page = await visitor.get(`${server.authUrl}/login?${query_}`)
    // The switch between languages keeps the address of the page, and leads to this origin only (attacks/brand.test.ts).
    expect(page.document.querySelector('main')?.outerHTML).not.toContain('evil')
    const done = await visitor.post(`${server.authUrl}/login?${query_}`, {
      ...fieldsOf(page, '/login'),
      ...right('ada'),
      ...more,
    })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/connections'])
    const out = await visitor.submit(await visitor.follow(done), '/logout', more)
    expect([out.status, out.headers.get('location')]).toEqual([303, '/connections'])

    // The one field that does choose the next page.
    const sealed = await visitor.submit(await loginPage(server, visitor), '/login', {
      ...right('ada'),
      request: evil,
    })
    expect(redirectOf(sealed)?.origin).toBe(server.authUrl)
    const nowhere = await visitor.follow(sealed)
    expect([nowhere.status, nowhere.headers.get('location')]).toEqual([400, null])
  })

  test('a redirect after a POST is a 303, so browsers do not send the body again', async () => {
    const client = await server.partner()
    const visitor = new Visitor()
    const authorization = await visitor.post(authorizeUrl(server, client), '')
    const login = await visitor.follow(authorization)
    const loggedIn = await visitor.submit(login, '/login', right('ada'))
    const connected = await visitor.submit(await visitor.follow(loggedIn), '/connect', {
      decision: 'connect',
    })
    const disconnected = await disconnect(visitor, server)
    const out = await visitor.submit(await visitor.follow(disconnected), '/logout', {})
    const refused = await visitor.post(authorizeUrl(server, client, { scope: 'none' }), '')
    const pages = [authorization, loggedIn, connected, disconnected, out, refused]
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 303))
  })
})

test('a user who is disabled while logged in is logged out at the next request', async () => {
  const client = await server.partner()
  const visitor = new Visitor()
  await connect(server, client, 'hal', {}, visitor)
  await query(server.database, `UPDATE users SET status = 'disabled' WHERE id = 'hal'`)
  expect(redirectOf(await visitor.get(`${server.authUrl}/connections`))?.pathname).toBe('/login')
  const silent = redirectOf(await authorize(visitor, server, client, { prompt: 'none' }))
  expect(silent?.searchParams.get('error')).toBe('login_required')
})

test('a login with the old password, in progress while the password is changed, leaves no session', async () => {
  await seed(server.database, { users: [{ id: 'racer' }] })
  const visitor = await loggedIn(server, 'racer')
  expect((await visitor.get(`${server.authUrl}/connections`)).status).toBe(200)
  // Like an import: it ends the sessions early in its transaction, and its new hash is visible only after the commit.
  const changed = await hashPassword('another password')
  await query(
    server.database,
    `UPDATE users SET password_hash = $1, login_version = gen_random_uuid() WHERE id = 'racer'`,
    [changed],
  )
  expect((await visitor.get(`${server.authUrl}/connections`)).headers.get('location')).toBe('/login')
})
