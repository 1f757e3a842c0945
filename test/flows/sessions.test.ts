import { describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { authorize, connect, logIn } from '../support/journey.ts'
import { loginPage, right } from '../support/login.ts'
import { answerOf, isConnectPage, isLoginPage, loggedIn } from '../support/pages.ts'
import { isLoggedIn, leaveIdle, listedSessions, sessionsPage } from '../support/sessions.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0'
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

const db = await databaseFixture()
const server = await serverFixture({ on: db })
const other = await serverFixture({ on: db })
const ids = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gus', 'hal']
await seed(db.database, { users: ids.map((id) => ({ id })) })

async function loggedInWith(userId: string, userAgent: string): Promise<Visitor> {
  const visitor = new Visitor()
  const login = await loginPage(server, visitor)
  const done = await visitor.submit(login, '/login', right(userId), { 'user-agent': userAgent })
  expect(done.status).toBe(303)
  return visitor
}

test('the page shows the browsers, when they were last used, and which is the current one', async () => {
  await loggedInWith('ada', firefox)
  const phone = await loggedInWith('ada', safari)
  await loggedInWith('ada', 'curl/8.0')
  await loggedInWith('bob', firefox)
  const page = await sessionsPage(phone, server)
  expect(page.status).toBe(200)
  expect(listedSessions(page).map(({ name, current }) => [name, current])).toEqual([
    ['Safari on iOS', true],
    ['Unknown browser', false],
    ['Firefox on Windows', false],
  ])
  for (const time of page.document.querySelectorAll('time')) {
    expect(time.text).toContain('UTC')
    expect(Math.abs(Date.parse(time.getAttribute('datetime') ?? '') - Date.now())).toBeLessThan(60_000)
  }
})

describe('ending', () => {
  test('one session: it is logged out at its next request on every server, and the others are not', async () => {
    const [here, there, third] = [
      await loggedInWith('cleo', firefox),
      await loggedInWith('cleo', safari),
      await loggedInWith('cleo', firefox),
    ]
    const page = await sessionsPage(here, server)
    const session = listedSessions(page).find(({ name }) => name === 'Safari on iOS')?.id ?? ''
    const done = await here.submit(page, '/sessions/end', { session })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/sessions'])
    for (const node of [server, other]) {
      expect(await isLoggedIn(there, node)).toBe(false)
      expect(await isLoggedIn(third, node)).toBe(true)
    }
    const again = await here.submit(page, '/sessions/end', { session })
    expect(again.status).toBe(303)
    expect(listedSessions(await here.follow(again)).length).toBe(2)
  })

  test('the current session logs out', async () => {
    const visitor = await loggedInWith('dan', firefox)
    const done = await visitor.submit(await sessionsPage(visitor, server), '/sessions/end', {})
    const page = await visitor.follow(done)
    expect(isLoginPage(page)).toBe(true)
    expect(redirectOf(await visitor.submit(page, '/login', right('dan')))?.pathname).toBe('/sessions')
  })

  test('all other sessions keeps the current one and those of other users', async () => {
    const [here, ...others] = [
      await loggedInWith('eve', firefox),
      await loggedInWith('eve', firefox),
      await loggedInWith('eve', safari),
    ]
    const bob = await loggedIn(server, 'bob')
    const done = await here.follow(
      await here.submit(await sessionsPage(here, server), '/sessions/end-others', {}),
    )
    expect(listedSessions(done).map(({ current }) => current)).toEqual([true])
    expect(done.document.querySelector('form[action="/sessions/end-others"]')).toBeNull()
    for (const visitor of others) expect(await isLoggedIn(visitor, other)).toBe(false)
    expect([await isLoggedIn(here, other), await isLoggedIn(bob, other)]).toEqual([true, true])
  })
})

describe('a session', () => {
  test('ends after 30 minutes without a request, not after 29; a login then returns to the page', async () => {
    const visitor = await loggedIn(server, 'finn')
    await leaveIdle(server, 'finn', 29)
    expect(await isLoggedIn(visitor, server)).toBe(true)
    await leaveIdle(server, 'finn', 30)
    expect(await isLoggedIn(visitor, server)).toBe(false)
    for (const address of ['/sessions', '/password', '/connections']) {
      await leaveIdle(server, 'finn', 30)
      const login = await visitor.follow(await visitor.get(`${server.authUrl}${address}`))
      expect(isLoginPage(login)).toBe(true)
      // Also after a mistyped password.
      const refused = await visitor.submit(login, '/login', { ...right('finn'), password: 'mistyped' })
      expect(refused.status).toBe(403)
      const loggedInAgain = await visitor.submit(refused, '/login', right('finn'))
      expect(redirectOf(loggedInAgain)?.pathname).toBe(address)
    }
  })

  test('that expired before an authorization request leads to the login and then to the same request', async () => {
    const partner = await server.partner()
    const visitor = await loggedIn(server, 'gus')
    await connect(server, partner, 'gus', {}, visitor)
    await leaveIdle(server, 'gus', 30)
    const silent = await authorize(visitor, server, partner, { prompt: 'none', state: 's' })
    expect(answerOf(partner, silent)).toMatchObject({ error: 'login_required', state: 's' })
    const page = await authorize(visitor, server, partner, { state: 'kept' })
    const connectPage = await logIn(visitor, page, 'gus')
    expect(isConnectPage(connectPage)).toBe(true)
    const answer = redirectOf(await visitor.submit(connectPage, '/connect', { decision: 'connect' }))
    expect(answer?.searchParams.get('state')).toBe('kept')
  })

  test('records its last use at most once a minute', async () => {
    const visitor = await loggedIn(server, 'hal')
    const version = async () => {
      const [row] = await query<{ xmin: string; age: number }>(
        db.database,
        `SELECT xmin::text, extract(epoch FROM now() - last_seen_at)::float8 AS age FROM sessions WHERE user_id = 'hal'`,
      )
      return row
    }
    const fresh = await version()
    for (let n = 0; n < 3; n++) expect(await isLoggedIn(visitor, server)).toBe(true)
    expect((await version())?.xmin).toBe(fresh?.xmin)
    await leaveIdle(server, 'hal', 2)
    expect(await isLoggedIn(visitor, server)).toBe(true)
    expect((await version())?.age).toBeLessThan(60)
  })

  test('ends 8 hours after the login, even if it is used', async () => {
    const visitor = await loggedIn(server, 'hal')
    const [row] = await query<{ hours: number }>(
      db.database,
      `SELECT round(extract(epoch FROM max(expires_at) - now()) / 3600)::int AS hours FROM sessions WHERE user_id = 'hal'`,
    )
    expect(row?.hours).toBe(8)
    await query(db.database, `UPDATE sessions SET expires_at = now() WHERE user_id = 'hal'`)
    expect(await isLoggedIn(visitor, server)).toBe(false)
  })
})
