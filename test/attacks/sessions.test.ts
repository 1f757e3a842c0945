import { describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { cookieOf, loginPage, right } from '../support/login.ts'
import { loggedIn } from '../support/pages.ts'
import { isLoggedIn, listedSessions, sessionsPage } from '../support/sessions.ts'
import { fieldsOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'eve', 'finn'] })

test('endlessly repeated logins leave 50 sessions, the most recently used ones', async () => {
  const first = await loggedIn(server, 'finn')
  await query(
    server.database,
    `INSERT INTO sessions (hash, user_id, login_version, acr, amr, auth_time, expires_at, last_seen_at)
     SELECT sha256(n::text::bytea), s.user_id, s.login_version, s.acr, s.amr, now(), s.expires_at, now() - n * interval '1 second'
       FROM sessions s, generate_series(1, 200) AS n WHERE s.user_id = 'finn'`,
  )
  const latest = await loggedIn(server, 'finn')
  const [row] = await query<{ n: number }>(
    server.database,
    `SELECT count(*)::int AS n FROM sessions WHERE user_id = 'finn'`,
  )
  expect(row?.n).toBe(50)
  expect([await isLoggedIn(first, server), await isLoggedIn(latest, server)]).toEqual([true, true])
  expect(listedSessions(await sessionsPage(latest, server))).toHaveLength(50)
})

describe('the id of a session', () => {
  test('of another user: nothing happens, and the response does not reveal that it exists', async () => {
    const victim = await loggedIn(server, 'ada')
    const [theirs] = listedSessions(await sessionsPage(victim, server))
    const attacker = await loggedIn(server, 'eve')
    const page = await sessionsPage(attacker, server)
    const answers = []
    for (const session of [theirs?.id ?? '', '999999999']) {
      const answer = await attacker.submit(page, '/sessions/end', { session })
      answers.push([answer.status, answer.headers.get('location'), answer.text])
    }
    expect(answers[0]).toEqual(answers[1])
    await attacker.post(`${server.authUrl}/sessions/end-others`, fieldsOf(page, '/logout'))
    expect([await isLoggedIn(victim, server), await isLoggedIn(attacker, server)]).toEqual([true, true])
    for (const session of ['', '-1', '1 OR 1=1', '1e3', '9'.repeat(19)]) {
      expect((await attacker.submit(page, '/sessions/end', { session })).status).toBe(400)
    }
  })

  test('on the page is neither the session cookie nor its digest', async () => {
    const visitor = await loggedIn(server, 'ada')
    const { text } = await sessionsPage(visitor, server)
    const cookie = (await cookieOf(visitor, server, 'latchkey-session')) ?? ''
    expect(cookie).not.toBe('')
    const rows = await query<{ hash: Buffer }>(server.database, 'SELECT hash FROM sessions')
    for (const { hash } of rows) {
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        expect(text).not.toContain(hash.toString(encoding))
      }
    }
    expect(text).not.toContain(cookie)
  })
})

describe('18: a User-Agent', () => {
  test.each([
    ['markup', '<img src=x onerror=alert(1)>/1.0 (<script>alert(1)</script>)'],
    ['an unknown browser name', 'Mozilla/5.0 (X11; Linux) "><h1>Firefox/1.0</h1>'],
    ['of 8 kB', `Mozilla/5.0 (${'('.repeat(8000)}`],
    ['empty', ''],
  ])('with %s is shown as text and causes no error', async (_what, userAgent) => {
    const visitor = new Visitor()
    const login = await loginPage(server, visitor)
    const done = await visitor.submit(login, '/login', right('finn'), { 'user-agent': userAgent })
    expect(done.status).toBe(303)
    const page = await sessionsPage(visitor, server)
    expect(page.status).toBe(200)
    expect(page.document.querySelector('article img, article script, article h1')).toBeNull()
    for (const { name } of listedSessions(page)) expect(name.length).toBeLessThan(140)
  })
})

test('14: a login leads to one of the server’s own pages, regardless of the form', async () => {
  for (const page of ['//evil.example', 'https://evil.example', 'connections/../x', '/sessions']) {
    const visitor = new Visitor()
    const shown = await visitor.get(`${server.authUrl}/login?page=${encodeURIComponent(page)}`)
    expect([shown.status, shown.headers.get('location')]).toEqual([400, null])
    const sent = await visitor.submit(await loginPage(server, visitor), '/login', { ...right('eve'), page })
    expect([sent.status, sent.headers.get('location')]).toEqual([400, null])
  }
})
