import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, authorize, connect, logIn } from '../support/journey.ts'
import { isConnectPage, loggedIn } from '../support/pages.ts'
import type { TestPartner } from '../support/server.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob', 'cleo', 'dan'] })
const ledger = await server.partner({ name: 'Ledger', redirectUri: 'https://ledger.example:8443/callback' })
const planner = await server.partner({ name: 'Planner', redirectUri: 'https://planner.example/callback' })

const appsPage = (visitor: Visitor) => visitor.get(`${server.authUrl}/connections`)

/** Name and text of each application on the page. */
function listed(page: Page): { name: string; text: string; grant: string }[] {
  return page.document.querySelectorAll('article').map((article) => ({
    name: article.querySelector('h2')?.text ?? '',
    text: article.text.replace(/\s+/g, ' '),
    grant: article.querySelector('input[name=grant]')?.getAttribute('value') ?? '',
  }))
}

async function disconnect(visitor: Visitor, name: string): Promise<Page> {
  const page = await appsPage(visitor)
  const grant = listed(page).find((app) => app.name === name)?.grant
  if (!grant) throw new Error(`${name} is not listed`)
  return visitor.follow(await visitor.submit(page, '/connections/disconnect', { grant }))
}

test('without a login the page asks for one, and comes back', async () => {
  const visitor = new Visitor()
  const login = await visitor.follow(await appsPage(visitor))
  expect(new URL(login.url).pathname).toBe('/login')
  const page = await logIn(visitor, login, 'ada')
  expect(new URL(page.url).pathname).toBe('/connections')
  expect(page.text).toContain('User ada')
})

test('it lists the live grants of this user, each once and with where it leads, and nobody else’s', async () => {
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
  expect(listed(await appsPage(bob))[0]?.grant).not.toBe(adas[1]?.grant)
})

test('disconnecting takes one application off the list, ends its tokens and leaves the other', async () => {
  const visitor = await loggedIn(server, 'cleo')
  const ledgers = await tokensFor(server, ledger, 'cleo')
  const planners = await tokensFor(server, planner, 'cleo')
  const after = await disconnect(visitor, 'Ledger')
  expect(after.status).toBe(200)
  expect(listed(after).map(({ name }) => name)).toEqual(['Planner'])
  expect((await api(server, 'households', ledgers.accessToken)).status).toBe(401)
  expect((await api(server, 'households', planners.accessToken)).status).toBe(200)
  expect(listed(await disconnect(visitor, 'Planner'))).toEqual([])
})

test('pressing Disconnect twice, or on a stale page, is no error', async () => {
  const visitor = await loggedIn(server, 'cleo')
  await connect(server, ledger, 'cleo', {}, visitor)
  const stale = await appsPage(visitor)
  for (let i = 0; i < 2; i++) {
    const page = await visitor.follow(await visitor.submit(stale, '/connections/disconnect', {}))
    expect([page.status, listed(page)]).toEqual([200, []])
  }
})

test('a partner knows a user by the same `sub` after reconnecting; another partner, and another user, by another', async () => {
  const subject = async (partner: TestPartner, userId: string) =>
    decodeJwt((await tokensFor(server, partner, userId)).idToken).sub ?? ''
  const visitor = await loggedIn(server, 'dan')
  const first = await subject(ledger, 'dan')
  expect(await subject(ledger, 'dan')).toBe(first)
  await disconnect(visitor, 'Ledger')
  const page = await authorize(visitor, server, ledger)
  expect(isConnectPage(page)).toBe(true)
  expect(await subject(ledger, 'dan')).toBe(first)
  await disconnect(visitor, 'Ledger')
  expect(await subject(ledger, 'dan')).toBe(first)
  const subjects = [
    first,
    await subject(planner, 'dan'),
    await subject(ledger, 'bob'),
    await subject(planner, 'bob'),
  ]
  expect(new Set(subjects).size).toBe(4)
  for (const one of subjects) expect(one).toMatch(/^[0-9A-Za-z]{22}$/)
  // By chance one may hold the name of the user; both of a user's do not.
  const [, plannersDan, ledgersBob, plannersBob] = subjects
  expect([first, plannersDan].every((one) => one?.includes('dan'))).toBe(false)
  expect([ledgersBob, plannersBob].every((one) => one?.includes('bob'))).toBe(false)
})

test('the old tokens stay dead after reconnecting', async () => {
  const old = await tokensFor(server, ledger, 'bob')
  const visitor = await loggedIn(server, 'bob')
  await disconnect(visitor, 'Ledger')
  const fresh = await tokensFor(server, ledger, 'bob')
  expect((await api(server, 'households', fresh.accessToken)).status).toBe(200)
  expect((await api(server, 'households', old.accessToken)).status).toBe(401)
})

test('logging out ends the page for this browser and leaves every connection as it is', async () => {
  const { accessToken } = await tokensFor(server, ledger, 'ada')
  const [one, other] = [await loggedIn(server, 'ada'), await loggedIn(server, 'ada')]
  await one.submit(await appsPage(one), '/logout', {})
  expect(redirectOf(await appsPage(one))?.pathname).toBe('/login')
  expect((await appsPage(other)).status).toBe(200)
  expect((await api(server, 'households', accessToken)).status).toBe(200)
})
