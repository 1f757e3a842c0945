import { beforeEach, describe, expect, test } from 'vitest'
import { issued } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { keyOn, nextCode } from '../support/factors.ts'
import { serverFixture } from '../support/fixtures.ts'
import { foreignProvider } from '../support/foreign-provider.ts'
import { claimsOf } from '../support/id-token.ts'
import {
  addTestProvider,
  clientSecret,
  continueWith,
  followAnywhere,
  identities,
  loginThrough,
  signInAs,
  textOf,
} from '../support/idp.ts'
import { api, authorize, logIn, token } from '../support/journey.ts'
import { isConnectPage, isLoginPage, recoveryLink } from '../support/pages.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const id = 'northbridge'
const server = await serverFixture({
  users: ['ada', 'bob', 'cleo', { id: 'dan', status: 'disabled' }, { id: 'eve', firm: 'firm-2' }],
  households: ['h1'],
  host: 'localhost',
})
const partner = await server.partner({ postLogoutRedirectUris: ['https://partner.example/bye'] })
const provider = await foreignProvider({
  client_id: 'latchkey',
  client_secret: clientSecret,
  redirect_uris: [`${server.authUrl}/login/idp/${id}/callback`],
  post_logout_redirect_uris: [`${server.authUrl}/idp/${id}/logged-out`],
  backchannel_logout_uri: `${server.authUrl}/idp/${id}/backchannel-logout`,
  backchannel_logout_session_required: true,
})
await addTestProvider(server, { id, issuer: provider.issuer })

for (const user of ['ada', 'bob', 'cleo', 'dan', 'eve']) {
  provider.accounts.set(`sub-${user}`, { email: `${user}@example.com`, email_verified: true })
}

let visitor: Visitor
beforeEach(async () => {
  visitor = new Visitor()
  provider.requests.length = 0
  provider.method = {}
  await query(server.database, 'DELETE FROM identities')
})

/** From a partner's request to the page of the provider. */
async function toProvider(more: Record<string, string> = {}): Promise<Page> {
  return continueWith(visitor, await authorize(visitor, server, partner, more), id)
}

/** Presses *Connect*, and redeems the code. */
async function connected(page: Page) {
  const answer = redirectOf(await visitor.submit(page, '/connect', { decision: 'connect' }))
  const code = answer?.searchParams.get('code') ?? ''
  return issued(await token(server, partner, { grant_type: 'authorization_code', code }))
}

describe('a login through the provider', () => {
  test('leads to the connect page, and the id_token tells how the user logged in', async () => {
    provider.method = { acr: 'urn:example:mfa', amr: ['pwd', 'otp', 'mfa'] }
    const page = await signInAs(visitor, await toProvider(), 'sub-ada')
    expect(isConnectPage(page)).toBe(true)
    expect(await identities(server)).toEqual(['northbridge sub-ada ada'])
    const claims = claimsOf((await connected(page)).idToken)
    expect(claims).toMatchObject({ acr: 'urn:example:mfa', amr: ['pwd', 'otp', 'mfa'] })
    expect(claims.auth_time).toBeTypeOf('number')
  })

  test('needs a second factor here, if one is required and the provider has asked for none', async () => {
    const requireAcr = (acr: string | null) =>
      query(server.database, `UPDATE firms SET require_acr = $1 WHERE id = 'firm-2'`, [acr])
    await requireAcr('urn:latchkey:acr:two-factor')
    provider.method = { acr: 'urn:example:password', amr: ['pwd', 'mfa'] }
    expect(isConnectPage(await signInAs(visitor, await toProvider(), 'sub-eve'))).toBe(true)
    provider.method = { acr: 'urn:example:password', amr: ['pwd'] }
    visitor = new Visitor()
    const page = await signInAs(visitor, await toProvider(), 'sub-eve')
    expect(textOf(page)).toContain('Set up a second factor')
    expect(await isLoggedIn(visitor, server)).toBe(false)
    const codes = await visitor.submit(page, '/login/second-factor/totp', {
      code: nextCode(server, keyOn(page)),
    })
    const next = await visitor.follow(await visitor.get(recoveryLink(codes)))
    const claims = claimsOf((await connected(next)).idToken)
    expect(claims).toMatchObject({ acr: 'urn:latchkey:acr:two-factor', amr: ['pwd', 'otp', 'mfa'] })
    await requireAcr(null)
  })

  test('later logins use the subject, even after the address has changed', async () => {
    await loginThrough(server, id, 'sub-ada')
    provider.accounts.set('sub-ada', { email: 'ada.lovelace@elsewhere.example', email_verified: false })
    const page = await loginThrough(server, id, 'sub-ada')
    provider.accounts.set('sub-ada', { email: 'ada@example.com', email_verified: true })
    expect(textOf(page)).toContain('User ada')
    expect(await identities(server)).toEqual(['northbridge sub-ada ada'])
  })

  test('what the partner asks for travels to the provider', async () => {
    const more = {
      login_hint: 'ada@example.com',
      ui_locales: 'fr',
      acr_values: 'urn:example:mfa',
      max_age: '60',
    }
    const page = await signInAs(visitor, await toProvider(more), 'sub-ada')
    expect(isConnectPage(page)).toBe(true)
    expect(provider.requests[0]).toMatchObject({
      ...more,
      scope: 'openid email',
      code_challenge_method: 'S256',
    })
    expect(provider.requests[0]).not.toHaveProperty('prompt')
  })

  test('prompt=login authenticates the user again at the provider, and does not loop', async () => {
    await signInAs(visitor, await toProvider(), 'sub-ada')
    const there = await toProvider({ prompt: 'login' })
    expect(there.url).toContain(provider.issuer)
    const page = await signInAs(visitor, there, 'sub-ada')
    expect(isConnectPage(page)).toBe(true)
    expect(provider.requests.at(-1)).toMatchObject({ prompt: 'login', max_age: '0' })
  })

  test('a session at the provider is enough for a request without prompt', async () => {
    await loginThrough(server, id, 'sub-ada', visitor)
    await query(server.database, 'DELETE FROM sessions')
    const page = await toProvider()
    expect(isConnectPage(page)).toBe(true)
  })

  test('prompt=none never leads to the provider', async () => {
    const answer = await authorize(visitor, server, partner, { prompt: 'none' })
    expect(redirectOf(answer)?.searchParams.get('error')).toBe('login_required')
  })

  test('a login page that was open for an hour still leads back to the request', async () => {
    const page = await authorize(visitor, server, partner)
    server.advanceClock(3000)
    const after = await signInAs(visitor, await continueWith(visitor, page, id), 'sub-ada')
    server.advanceClock(-3000)
    expect(isConnectPage(after)).toBe(true)
  })

  test('logins in two tabs at once both end', async () => {
    const first = await toProvider()
    const second = await toProvider()
    expect(isConnectPage(await signInAs(visitor, second, 'sub-ada'))).toBe(true)
    expect(isConnectPage(await signInAs(visitor, first, 'sub-ada'))).toBe(true)
  })
})

describe('no session is opened, and the page says what to do,', () => {
  const isOpen = () => isLoggedIn(visitor, server)

  test('if no user belongs to the account', async () => {
    provider.accounts.set('sub-x', { email: 'x@example.com', email_verified: true })
    const page = await signInAs(visitor, await toProvider(), 'sub-x')
    expect(page.status).toBe(403)
    expect(textOf(page)).toContain('You signed in at Northbridge as x@example.com')
    const here = page.document.querySelector('input[name=back]')?.getAttribute('value')
    expect(here, 'the page in another language').toMatch(/^\/login\?request=.*choose=account$/)
    expect(await isOpen()).toBe(false)
    // The way on leads to another account, not to the same one again.
    const again = await continueWith(visitor, await visitor.get(recoveryLink(page)), id)
    expect(isConnectPage(await signInAs(visitor, again, 'sub-ada'))).toBe(true)
    expect(provider.requests.at(-1)).toMatchObject({ prompt: 'login' })
  })

  test('if the user is disabled here', async () => {
    const page = await loginThrough(server, id, 'sub-dan', visitor)
    expect([page.status, textOf(page)]).toEqual([403, expect.stringContaining('Your account is not active')])
    expect(await isOpen()).toBe(false)
  })

  test('if the user was disabled after the first login', async () => {
    await loginThrough(server, id, 'sub-cleo')
    await query(server.database, `UPDATE users SET status = 'disabled' WHERE id = 'cleo'`)
    const page = await loginThrough(server, id, 'sub-cleo', visitor)
    await query(server.database, `UPDATE users SET status = 'active' WHERE id = 'cleo'`)
    expect([page.status, textOf(page)]).toEqual([403, expect.stringContaining('Your account is not active')])
    expect(await isOpen()).toBe(false)
  })

  test('if the user cancels, or the provider cannot log the user in', async () => {
    for (const [error, text] of [
      ['access_denied', 'was cancelled'],
      ['interaction_required', 'interaction_required'],
    ] as const) {
      const there = await toProvider()
      const action = there.document.querySelector('form')?.getAttribute('action') ?? ''
      const sent = await visitor.post(new URL(action, there.url).href, { error })
      const page = await followAnywhere(visitor, sent)
      expect([page.status, textOf(page)]).toEqual([403, expect.stringContaining(text)])
      expect(isLoginPage(await visitor.get(recoveryLink(page)))).toBe(true)
    }
  })
})

describe('races', () => {
  test('of several first logins of one account, all end, and the account is linked once', async () => {
    const pages = await Promise.all(Array.from({ length: 8 }, () => loginThrough(server, id, 'sub-bob')))
    expect(pages.map(textOf).filter((text) => text.includes('User bob'))).toHaveLength(8)
    expect(await identities(server)).toEqual(['northbridge sub-bob bob'])
  })

  test('of two accounts with the address of one user, one is linked', async () => {
    const subs = Array.from({ length: 8 }, (_, place) => `twin-${place}`)
    for (const sub of subs) provider.accounts.set(sub, { email: 'bob@example.com', email_verified: true })
    const pages = await Promise.all(subs.map((sub) => loginThrough(server, id, sub)))
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(pages.filter((page) => textOf(page).includes('belongs to another sign-in'))).toHaveLength(7)
    expect(await identities(server)).toHaveLength(1)
  })
})

describe('logout', () => {
  test('here ends the session at the provider too, and connections live on', async () => {
    const tokens = await connected(await signInAs(visitor, await toProvider(), 'sub-ada'))
    const account = await visitor.get(`${server.authUrl}/connections`)
    const page = await followAnywhere(visitor, await visitor.submit(account, '/logout', {}))
    // The provider asks the user; its page is a form.
    const confirmed = await confirmLogout(page)
    expect(textOf(confirmed)).toContain('You are signed out')
    expect(await isLoggedIn(visitor, server)).toBe(false)
    expect((await toProvider()).url, 'the provider asks for a login again').toContain('/sign-in/')
    expect((await api(server, 'households', tokens.accessToken)).status).toBe(200)
  })

  test('requested by a partner passes through the provider and ends at the partner', async () => {
    const { idToken } = await connected(await signInAs(visitor, await toProvider(), 'sub-ada'))
    const query = new URLSearchParams({
      id_token_hint: idToken,
      post_logout_redirect_uri: 'https://partner.example/bye',
      state: 'xyz',
    })
    const page = await visitor.get(`${server.authUrl}/api/oauth2/logout?${query}`)
    const answer = await confirmLogout(await followAnywhere(visitor, page), 'https://partner.example')
    expect(redirectOf(answer)?.href).toBe('https://partner.example/bye?state=xyz')
  })

  test('in order to switch accounts leads back to the request, and the provider asks for an account', async () => {
    const connect = await signInAs(visitor, await toProvider(), 'sub-ada')
    const page = await followAnywhere(visitor, await visitor.submit(connect, '/logout', {}))
    const login = await confirmLogout(page)
    const next = await signInAs(visitor, await continueWith(visitor, login, id), 'sub-bob')
    expect(isConnectPage(next)).toBe(true)
    expect(textOf(next)).toContain('User bob')
  })

  test('from the provider (back-channel) ends the browser session at once, and connections live on', async () => {
    const tokens = await connected(await signInAs(visitor, await toProvider(), 'sub-ada'))
    const other = new Visitor()
    await loginThrough(server, id, 'sub-ada', other)
    // The user logs out at the provider, in the first browser.
    await confirmLogout(await visitor.get(`${provider.issuer}/session/end`))
    await expect.poll(() => isLoggedIn(visitor, server)).toBe(false)
    expect(await isLoggedIn(other, server), 'the other browser has another session at the provider').toBe(
      true,
    )
    expect((await api(server, 'households', tokens.accessToken)).status).toBe(200)
  })

  /** Presses the button on the provider's logout page. */
  async function confirmLogout(page: Page, stopAt?: string): Promise<Page> {
    const action = page.document.querySelector('form')?.getAttribute('action') ?? ''
    const answer = await visitor.submit(page, action, { logout: 'yes' })
    return followAnywhere(visitor, answer, stopAt)
  }
})

describe('local passwords', () => {
  test('stay beside the provider: the page offers both', async () => {
    const page = await visitor.get(`${server.authUrl}/login`)
    expect(isLoginPage(page)).toBe(true)
    expect(textOf(await logIn(visitor, page, 'ada'))).toContain('User ada')
  })

  test('that are off for a firm are answered like wrong ones', async () => {
    await query(server.database, `UPDATE firms SET local_passwords = false WHERE id = 'firm-1'`)
    const page = await visitor.get(`${server.authUrl}/login`)
    const ada = await logIn(visitor, page, 'ada')
    const nobody = await logIn(new Visitor(), page, 'nobody').catch(() => undefined)
    await query(server.database, 'UPDATE firms SET local_passwords = true')
    expect([ada.status, nobody?.status ?? 403]).toEqual([403, 403])
    expect(textOf(ada)).toContain('Wrong email address or password')
  })
})

test('a partner gets tokens for a user without any password', async () => {
  await query(server.database, `UPDATE users SET password_hash = NULL WHERE id = 'cleo'`)
  const tokens = await connected(await signInAs(visitor, await toProvider(), 'sub-cleo'))
  expect((await api(server, 'households', tokens.accessToken)).status).toBe(200)
})
