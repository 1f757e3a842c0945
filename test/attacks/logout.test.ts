import { beforeEach, describe, expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { forgeries } from '../support/id-token.ts'
import { authorize } from '../support/journey.ts'
import { loggedIn } from '../support/pages.ts'
import { fieldsOf, type Page, redirectOf, Visitor } from '../support/visitor.ts'

const home = 'https://partner.example/bye'

let visitor: Visitor

const server = await serverFixture({ users: ['ada', 'mallory'] })
const partner = await server.partner({ postLogoutRedirectUris: [home] })
const endpoint = `${server.authUrl}/api/oauth2/logout`
const idToken = (await tokensFor(server, partner, 'ada')).idToken
beforeEach(async () => {
  visitor = await loggedIn(server, 'ada')
})

/** Sends the request as GET and as POST, from the browser of the user who is logged in. */
async function everyWay(parameters: Record<string, string> | string): Promise<Page[]> {
  const text = new URLSearchParams(parameters).toString()
  return [
    await visitor.follow(await visitor.get(`${endpoint}?${text}`)),
    await visitor.follow(await visitor.post(endpoint, text)),
  ]
}

async function expectStillLoggedIn(): Promise<void> {
  expect((await visitor.get(`${server.authUrl}/connections`)).status).toBe(200)
}

/** A page without any way to another site. */
function expectStays(page: Page, status: number): void {
  expect(page.status).toBe(status)
  expect(page.headers.get('location')).toBeNull()
  expect(page.headers.get('refresh')).toBeNull()
  const links = page.document.querySelectorAll('a').map((link) => link.getAttribute('href'))
  expect(links.every((href) => ['/', '/connections', '/status'].includes(href ?? ''))).toBe(true)
}

describe('logout forced from another site', () => {
  test('without a hint the session stays: the user must confirm', async () => {
    const requests = [
      {},
      { client_id: partner.clientId },
      { post_logout_redirect_uri: home, client_id: partner.clientId },
    ]
    for (const parameters of requests) {
      for (const page of await everyWay(parameters)) expectStays(page, 200)
    }
    await expectStillLoggedIn()
  })

  test('a hint for Mallory, or a forged one, does not end the session', async () => {
    const mallorys = await tokensFor(server, partner, 'mallory')
    for (const page of await everyWay({ id_token_hint: mallorys.idToken })) expectStays(page, 200)
    for (const [, forged] of await forgeries(server, idToken)) {
      for (const page of await everyWay({ id_token_hint: forged, post_logout_redirect_uri: home })) {
        expectStays(page, 400)
      }
    }
    await expectStillLoggedIn()
  })

  test('the logout form with another browser’s token, or none: 403', async () => {
    const page = await visitor.get(`${server.authUrl}/logout`)
    const mallory = await loggedIn(server, 'mallory')
    const { _csrf: theirs = '' } = fieldsOf(await mallory.get(`${server.authUrl}/logout`), '/logout')
    for (const csrf of ['', theirs]) {
      expect((await visitor.submit(page, '/logout', { _csrf: csrf })).status).toBe(403)
    }
    const foreign = await visitor.submit(page, '/logout', {}, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    await expectStillLoggedIn()
  })
})

describe('an open redirector', () => {
  test.each([
    'https://evil.example/',
    'https://partner.example/callback', // registered for connecting, not for logout
    `${home}/`,
    `${home}?x=1`,
    `${home}#f`,
    'HTTPS://partner.example/bye',
    'https://partner.example:443/bye',
    'https://partner.example/%62ye',
    '//evil.example',
    'javascript:alert(1)',
  ])('%s: an error page, with and without a hint', async (uri) => {
    const wanted = { post_logout_redirect_uri: uri, state: 's' }
    for (const who of [{ id_token_hint: idToken }, { client_id: partner.clientId }]) {
      for (const page of await everyWay({ ...wanted, ...who })) expectStays(page, 400)
    }
    await expectStillLoggedIn()
  })

  test('for a suspended client', async () => {
    const own = await server.partner({ postLogoutRedirectUris: [home] })
    await query(server.database, `UPDATE partners SET status = 'suspended' WHERE client_id = $1`, [
      own.clientId,
    ])
    const wanted = { post_logout_redirect_uri: home, client_id: own.clientId }
    for (const page of await everyWay(wanted)) expectStays(page, 400)
  })

  test('for another client, no client, or an unknown client', async () => {
    const other = await server.partner({ postLogoutRedirectUris: ['https://other.example/'] })
    for (const parameters of [
      { post_logout_redirect_uri: home },
      { post_logout_redirect_uri: home, client_id: other.clientId },
      { post_logout_redirect_uri: home, client_id: 'lk_test_nobody' },
      { post_logout_redirect_uri: home, client_id: other.clientId, id_token_hint: idToken },
      { post_logout_redirect_uri: 'https://other.example/', id_token_hint: idToken },
    ]) {
      for (const page of await everyWay(parameters)) expectStays(page, 400)
    }
    await expectStillLoggedIn()
  })
})

test.each(['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'unknown'])(
  '4: %s twice: an error page',
  async (name) => {
    const all = {
      id_token_hint: idToken,
      client_id: partner.clientId,
      post_logout_redirect_uri: home,
      state: 's',
      unknown: 'u',
    }
    const value = Object.entries(all).find(([known]) => known === name)?.[1] ?? ''
    const text = new URLSearchParams(all).toString()
    for (const page of await everyWay(`${text}&${new URLSearchParams({ [name]: value })}`)) {
      expectStays(page, 400)
    }
    // Once in the query and once in the body.
    const split = new URLSearchParams({ [name]: value })
    expectStays(await visitor.follow(await visitor.post(`${endpoint}?${text}`, split.toString())), 400)
    await expectStillLoggedIn()
  },
)

describe('17: the sealed logout request', () => {
  const sealedOf = (page: Page, name: string) => redirectOf(page)?.searchParams.get(name) ?? ''
  const open = (sealed: string, by = visitor) =>
    by.get(`${server.authUrl}/logout?${new URLSearchParams({ logout: sealed })}`)

  test('changed, invented or from another server: no confirmation page, and no redirect', async () => {
    const wanted = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: home })
    const sealed = sealedOf(await visitor.get(`${endpoint}?${wanted}`), 'logout')
    const changed = sealed.replace(/.(?=[^.]*$)/, (char) => (char === 'A' ? 'B' : 'A'))
    expect(changed).not.toBe(sealed)
    const made = Buffer.from(JSON.stringify({ logout: { returnTo: 'https://evil.example/' } })).toString(
      'base64url',
    )
    for (const tampered of [changed, made, `${made}....`, '']) {
      expectStays(await open(tampered), 200)
      await expectStillLoggedIn()
      expectStays(await open(tampered, new Visitor()), 200)
    }
    expect(redirectOf(await open(sealed))?.href).toBe(home)
  })

  test('a sealed authorization request is not a logout request, and the reverse', async () => {
    const login = await authorize(new Visitor(), server, partner, { state: 's' })
    const { request = '' } = fieldsOf(login, '/login')
    expectStays(await open(request), 200)
    await expectStillLoggedIn()
    const wanted = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: home })
    const sealed = sealedOf(await visitor.get(`${endpoint}?${wanted}`), 'logout')
    const page = await visitor.get(`${server.authUrl}/connect?${new URLSearchParams({ request: sealed })}`)
    expect(page.status).toBe(400)
  })

  test('expires', async () => {
    const wanted = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: home })
    const sealed = sealedOf(await visitor.get(`${endpoint}?${wanted}`), 'logout')
    server.advanceClock(600)
    expectStays(await open(sealed), 200)
    await expectStillLoggedIn()
  })

  test('a state that is too long is refused at once', async () => {
    for (const page of await everyWay({ client_id: partner.clientId, state: '\u0001'.repeat(1000) })) {
      expectStays(page, 400)
    }
  })
})
