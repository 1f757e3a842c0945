import { describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, logIn } from '../support/journey.ts'
import { right } from '../support/login.ts'
import { answerOf, isConnectPage, isLoginPage, loggedIn, recoveryLink } from '../support/pages.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada'] })
const partner = await server.partner()

const advanceMinutes = (n: number) => server.advanceClock(n * 60)

/** A browser whose login page has been open for so long that its request has expired. */
async function leftOpen(
  more: Record<string, string> = {},
): Promise<{ visitor: Visitor; login: Page; sealed: string }> {
  const visitor = new Visitor()
  const login = await authorize(visitor, server, partner, more)
  expect(isLoginPage(login)).toBe(true)
  advanceMinutes(25)
  return { visitor, login, sealed: new URL(login.url).searchParams.get('request') ?? '' }
}

describe('a login page that was open for more than ten minutes', () => {
  test.each<[Record<string, string>]>([[{}], [{ prompt: 'login' }], [{ max_age: '0' }], [{ max_age: '60' }]])(
    'leads to the connect page and back to the partner after a login (%j)',
    async (more) => {
      const { visitor, login } = await leftOpen({ state: 'kept', ...more })
      const page = await logIn(visitor, login, 'ada')
      expect(isConnectPage(page)).toBe(true)
      const answer = answerOf(partner, await visitor.submit(page, '/connect', { decision: 'connect' }))
      expect(answer).toMatchObject({ state: 'kept', code: expect.stringMatching(/^lk_test_ac_/) })
    },
  )

  test('only a login on this page renews the request: a failed login or a login on another page does not', async () => {
    const { visitor, login, sealed } = await leftOpen()
    const connectUrl = `${server.authUrl}/connect?${new URLSearchParams({ request: sealed })}`
    const refused = await visitor.submit(login, '/login', { ...right('ada'), password: 'wrong' })
    expect([refused.status, isLoginPage(refused)]).toEqual([403, true])
    expect((await visitor.get(connectUrl)).text).toContain('This page is out of date')
    await logIn(visitor, await visitor.get(`${server.authUrl}/login`), 'ada')
    expect((await visitor.get(connectUrl)).text).toContain('This page is out of date')
  })

  test('a renewed request keeps its original time: an earlier login is still too old for prompt=login', async () => {
    const { visitor, login } = await leftOpen({ prompt: 'login' })
    const other = await loggedIn(server, 'ada')
    const renewed = redirectOf(await visitor.submit(login, '/login', right('ada')))
    expect(renewed?.pathname).toBe('/connect')
    expect(isConnectPage(await visitor.get(renewed?.href ?? ''))).toBe(true)
    // Makes every session older than the request.
    await query(server.database, `UPDATE sessions SET auth_time = auth_time - interval '2 hours'`)
    for (const browser of [visitor, other]) {
      expect(redirectOf(await browser.get(renewed?.href ?? ''))?.pathname).toBe('/login')
    }
  })

  test('after more than a day the page is out of date, even if the user logs in', async () => {
    const { visitor, login } = await leftOpen()
    advanceMinutes(24 * 60)
    const page = await logIn(visitor, login, 'ada')
    expect([page.status, page.document.querySelector('h1')?.text]).toEqual([400, 'This page is out of date'])
  })

  test('a redirect URI that the partner removed in the meantime is not used', async () => {
    const { visitor, login } = await leftOpen()
    await query(server.database, `UPDATE partners SET redirect_uris = '{https://partner.example/new}'`)
    const page = await logIn(visitor, login, 'ada')
    expect([page.status, page.document.querySelector('h1')?.text]).toEqual([400, 'This page is out of date'])
    expect((await visitor.get(recoveryLink(page))).status).toBe(400)
    await query(server.database, 'UPDATE partners SET redirect_uris = $1', [[partner.redirectUri]])
  })
})
