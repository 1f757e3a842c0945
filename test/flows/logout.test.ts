import { beforeEach, describe, expect, test } from 'vitest'
import { type Issued, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { claimsOf, signedHint } from '../support/id-token.ts'
import { api } from '../support/journey.ts'
import { loggedIn } from '../support/pages.ts'
import { rowCounts } from '../support/raw-request.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const home = 'https://partner.example/bye'

let visitor: Visitor
/** The tokens that the partner has for Ada, from this visitor's login. */
let tokens: Issued

const server = await serverFixture({ users: ['ada', 'bob'] })
const partner = await server.partner({ postLogoutRedirectUris: [home, `${home}?from=latchkey`] })
const endpoint = `${server.authUrl}/api/oauth2/logout`
beforeEach(async () => {
  visitor = new Visitor()
  tokens = await tokensFor(server, partner, 'ada', { visitor })
})

/** Requests the logout. Returns the first page or the redirect to an external address. */
async function logOut(parameters: Record<string, string>, by = visitor): Promise<Page> {
  return by.follow(await by.get(`${endpoint}?${new URLSearchParams(parameters)}`))
}

const asksForConfirmation = (page: Page) => page.document.querySelector('form[action="/logout"]') !== null

describe('with an id_token_hint of the user who is logged in', () => {
  test('the session is deleted from the database, and the browser returns without a page', async () => {
    const before = await rowCounts(server)
    const page = await logOut({
      id_token_hint: tokens.idToken,
      post_logout_redirect_uri: home,
      state: 'a b&c=é',
    })
    expect(redirectOf(page)?.href).toBe(`${home}?state=a+b%26c%3D%C3%A9`)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(await isLoggedIn(visitor, server)).toBe(false)
    expect(await rowCounts(server)).toEqual({
      ...before,
      sessions: (before.sessions ?? 0) - 1,
      audit_log: (before.audit_log ?? 0) + 1,
    })
    // Grants and connections stay.
    expect((await api(server, 'households', tokens.accessToken)).status).toBe(200)
  })

  test('by POST, with the parameters in the body', async () => {
    const body = {
      id_token_hint: tokens.idToken,
      post_logout_redirect_uri: home,
      client_id: partner.clientId,
    }
    const page = await visitor.follow(await visitor.post(endpoint, body))
    expect(redirectOf(page)?.href).toBe(home)
    expect(await isLoggedIn(visitor, server)).toBe(false)
  })

  test('the cross-site POST carries no cookie; the GET that follows finds the session', async () => {
    const body = new URLSearchParams({ id_token_hint: tokens.idToken, post_logout_redirect_uri: home })
    const crossSite = await fetch(endpoint, { method: 'POST', body, redirect: 'manual' })
    expect(crossSite.status).toBe(303)
    expect(await isLoggedIn(visitor, server)).toBe(true)
    const page = await visitor.get(new URL(crossSite.headers.get('location') ?? '', server.authUrl).href)
    expect(redirectOf(page)?.href).toBe(home)
    expect(await isLoggedIn(visitor, server)).toBe(false)
  })

  test('an expired hint ends the session as well', async () => {
    const { sub } = claimsOf(tokens.idToken)
    const expired = await signedHint(server, partner, { sub, iat: 1, exp: 2 })
    await logOut({ id_token_hint: expired })
    expect(await isLoggedIn(visitor, server)).toBe(false)
  })

  test('without post_logout_redirect_uri, a page says that the user is signed out', async () => {
    for (const more of [{}, { state: 's' }]) {
      visitor = await loggedIn(server, 'ada')
      const page = await logOut({ id_token_hint: tokens.idToken, ...more })
      expect(page.status).toBe(200)
      expect(page.text).toContain('You are signed out')
      expect(await isLoggedIn(visitor, server)).toBe(false)
    }
  })

  test('a post_logout_redirect_uri keeps its query', async () => {
    const returnTo = `${home}?from=latchkey`
    const page = await logOut({
      id_token_hint: tokens.idToken,
      post_logout_redirect_uri: returnTo,
      state: 's',
    })
    expect(redirectOf(page)?.href).toBe(`${returnTo}&state=s`)
  })

  test('logout_hint is ignored, and ui_locales sets the language', async () => {
    const page = await logOut({ id_token_hint: tokens.idToken, logout_hint: 'bob', ui_locales: 'xx de-AT' })
    expect(page.headers.get('content-language')).toBe('de')
    expect(page.text).toContain('Sie sind abgemeldet')
    expect(await isLoggedIn(visitor, server)).toBe(false)
  })
})

describe('without such a hint the user has to confirm', () => {
  test('the page names the partner and the user; the button ends the session and returns to the partner', async () => {
    const page = await logOut({ client_id: partner.clientId, post_logout_redirect_uri: home, state: 's' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Test Partner')
    expect(page.text).toContain('User ada')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https:;")
    expect(await isLoggedIn(visitor, server)).toBe(true)
    const done = await visitor.follow(await visitor.submit(page, '/logout', {}))
    expect(redirectOf(done)?.href).toBe(`${home}?state=s`)
    expect(await isLoggedIn(visitor, server)).toBe(false)
  })

  test('without parameters the page names no partner, and the next page says that the user is signed out', async () => {
    const page = await logOut({})
    expect(asksForConfirmation(page)).toBe(true)
    expect(page.text).not.toContain('asks you to sign out')
    const done = await visitor.follow(await visitor.submit(page, '/logout', {}))
    expect(done.text).toContain('You are signed out')
    expect(await isLoggedIn(visitor, server)).toBe(false)
  })

  test('all pages use the language of ui_locales', async () => {
    const page = await logOut({ ui_locales: 'fr' })
    expect(page.text).toContain('Fermer la session')
    const done = await visitor.follow(await visitor.submit(page, '/logout', {}))
    expect(done.headers.get('content-language')).toBe('fr')
  })

  test('a user who is not the one in the hint has to confirm', async () => {
    const bob = await loggedIn(server, 'bob')
    const page = await logOut({ id_token_hint: tokens.idToken, post_logout_redirect_uri: home }, bob)
    expect(asksForConfirmation(page)).toBe(true)
    expect(page.text).toContain('User bob')
    expect(await isLoggedIn(bob, server)).toBe(true)
  })

  test('a confirmation page that has expired still logs out, but does not return to the partner', async () => {
    const page = await logOut({ client_id: partner.clientId, post_logout_redirect_uri: home })
    server.advanceClock(601)
    const done = await visitor.follow(await visitor.submit(page, '/logout', {}))
    expect(done.text).toContain('You are signed out')
    expect(await isLoggedIn(visitor, server)).toBe(false)
  })
})

test('without a session the browser returns immediately', async () => {
  const page = await logOut({ client_id: partner.clientId, post_logout_redirect_uri: home }, new Visitor())
  expect(redirectOf(page)?.href).toBe(home)
})
