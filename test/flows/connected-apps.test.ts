import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, authorize, connect, logIn } from '../support/journey.ts'

import { disconnect, disconnectPage, isConnectPage, loggedIn, recoveryLink } from '../support/pages.ts'
import type { TestPartner } from '../support/server.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob', 'cleo', 'dan', 'eve'] })
const ledger = await server.partner({ name: 'Ledger', redirectUri: 'https://ledger.example:8443/callback' })
const planner = await server.partner({ name: 'Planner', redirectUri: 'https://planner.example/callback' })

const appsPage = (visitor: Visitor) => visitor.get(`${server.authUrl}/connections`)

/** Name and text of each application on the page, and the URL of its Disconnect link. */
function listed(page: Page): { name: string; text: string; link: string }[] {
  return page.document.querySelectorAll('article').map((article) => ({
    name: article.querySelector('h2')?.text ?? '',
    text: article.text.replace(/\s+/g, ' '),
    link: article.querySelector('a.danger')?.getAttribute('href') ?? '',
  }))
}

/** Disconnects the app with this name. Returns the list that follows. */
const end = async (visitor: Visitor, name: string) => visitor.follow(await disconnect(visitor, server, name))

test('without a session the page redirects to the login and then back', async () => {
  const visitor = new Visitor()
  const login = await visitor.follow(await appsPage(visitor))
  expect(new URL(login.url).pathname).toBe('/login')
  const page = await logIn(visitor, login, 'ada')
  expect(new URL(page.url).pathname).toBe('/connections')
  expect(page.text).toContain('User ada')
})

test('the page lists each live grant of this user once, with its site, and no grants of other users', async () => {
  const ada = await loggedIn(server, 'ada')
  expect(listed(await appsPage(ada))).toEqual([])
  expect((await appsPage(ada)).text).toContain('No apps are connected')
  await tokensFor(server, ledger, 'ada')
  await tokensFor(server, ledger, 'ada')
  await tokensFor(server, planner, 'ada')
  const bob = await loggedIn(server, 'bob')
  await connect(server, planner, 'bob', {}, bob)

  const adas = listed(await appsPage(ada))
  expect(adas.map(({ name }) => name)).toEqual(['Ledger', 'Planner'])
  expect(adas[0]?.text).toContain('ledger.example:8443')
  expect(adas[0]?.text).toContain('UTC')
  expect(listed(await appsPage(bob)).map(({ name }) => name)).toEqual(['Planner'])
  expect(listed(await appsPage(bob))[0]?.link).not.toBe(adas[1]?.link)
})

test('disconnecting removes one application from the list, revokes its tokens and leaves the other', async () => {
  const visitor = await loggedIn(server, 'cleo')
  const ledgers = await tokensFor(server, ledger, 'cleo')
  const planners = await tokensFor(server, planner, 'cleo')
  const after = await end(visitor, 'Ledger')
  expect(after.status).toBe(200)
  expect(listed(after).map(({ name }) => name)).toEqual(['Planner'])
  expect((await api(server, 'households', ledgers.accessToken)).status).toBe(401)
  expect((await api(server, 'households', planners.accessToken)).status).toBe(200)
  expect(listed(await end(visitor, 'Planner'))).toEqual([])
})

test('pressing Disconnect twice or on an outdated page is not an error', async () => {
  const visitor = await loggedIn(server, 'cleo')
  await connect(server, ledger, 'cleo', {}, visitor)
  const stale = await disconnectPage(visitor, server)
  for (let i = 0; i < 2; i++) {
    const page = await visitor.follow(await visitor.submit(stale, '/connections/disconnect', {}))
    expect([page.status, listed(page)]).toEqual([200, []])
  }
  // The Disconnect link of an outdated list.
  const page = await visitor.follow(await visitor.get(stale.url))
  expect([new URL(page.url).pathname, page.status]).toEqual(['/connections', 200])
})

test('Disconnect asks for confirmation and says what ends; Cancel returns to the list and ends nothing', async () => {
  const visitor = await loggedIn(server, 'eve')
  const { accessToken } = await tokensFor(server, ledger, 'eve')
  const list = await appsPage(visitor)
  expect(list.document.querySelectorAll('article form, article button')).toEqual([])
  const page = await disconnectPage(visitor, server, 'Ledger')
  expect(page.status).toBe(200)
  expect(page.document.querySelector('h1')?.text).toBe('Disconnect Ledger?')
  expect(page.text).toContain('loses access immediately')
  expect(page.text).toContain('ledger.example:8443')
  expect((await api(server, 'households', accessToken)).status).toBe(200)
  const listAfterCancel = await visitor.get(recoveryLink(page, 'Cancel'))
  expect(listed(listAfterCancel).map(({ name }) => name)).toEqual(['Ledger'])
  const stale = await visitor.submit(page, '/connections/disconnect', { _csrf: 'x' })
  expect([stale.status, recoveryLink(stale, 'Try again')]).toEqual([403, `${server.authUrl}/connections`])
  expect((await api(server, 'households', accessToken)).status).toBe(200)
})

test('Disconnect without a session redirects to the login', async () => {
  const answer = await new Visitor().get(`${server.authUrl}/connections/disconnect?grant=1`)
  expect(redirectOf(answer)?.pathname).toBe('/login')
})

test('a user keeps the same `sub` at a partner after reconnecting; other partners and other users have different ones', async () => {
  const subject = async (partner: TestPartner, userId: string) =>
    decodeJwt((await tokensFor(server, partner, userId)).idToken).sub ?? ''
  const visitor = await loggedIn(server, 'dan')
  const first = await subject(ledger, 'dan')
  expect(await subject(ledger, 'dan')).toBe(first)
  await end(visitor, 'Ledger')
  const page = await authorize(visitor, server, ledger)
  expect(isConnectPage(page)).toBe(true)
  expect(await subject(ledger, 'dan')).toBe(first)
  await end(visitor, 'Ledger')
  expect(await subject(ledger, 'dan')).toBe(first)
  const subjects = [
    first,
    await subject(planner, 'dan'),
    await subject(ledger, 'bob'),
    await subject(planner, 'bob'),
  ]
  expect(new Set(subjects).size).toBe(4)
  for (const one of subjects) expect(one).toMatch(/^[0-9A-Za-z]{22}$/)
  // A random `sub` may contain the user's name by chance. That both of a user's two contain it is practically impossible.
  const [, plannersDan, ledgersBob, plannersBob] = subjects
  expect([first, plannersDan].every((one) => one?.includes('dan'))).toBe(false)
  expect([ledgersBob, plannersBob].every((one) => one?.includes('bob'))).toBe(false)
})

test('old tokens stay revoked after reconnecting', async () => {
  const old = await tokensFor(server, ledger, 'bob')
  const visitor = await loggedIn(server, 'bob')
  await end(visitor, 'Ledger')
  const fresh = await tokensFor(server, ledger, 'bob')
  expect((await api(server, 'households', fresh.accessToken)).status).toBe(200)
  expect((await api(server, 'households', old.accessToken)).status).toBe(401)
})

test('logging out ends the session of this browser only and does not end any connection', async () => {
  const { accessToken } = await tokensFor(server, ledger, 'ada')
  const [one, other] = [await loggedIn(server, 'ada'), await loggedIn(server, 'ada')]
  await one.submit(await appsPage(one), '/logout', {})
  expect(redirectOf(await appsPage(one))?.pathname).toBe('/login')
  expect((await appsPage(other)).status).toBe(200)
  expect((await api(server, 'households', accessToken)).status).toBe(200)
})
