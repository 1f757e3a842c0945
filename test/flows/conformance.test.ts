import { describe, expect, test } from 'vitest'
import { serverMetadata } from '../../src/discovery/metadata.ts'
import { issued } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { RelyingParty } from '../support/openid-run.ts'
import { expectErrorPage } from '../support/pages.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'

// The tests are named after modules of the OpenID Foundation's Basic OP and Config OP plans. docs/conformance.md lists all
// modules and names the tests of the modules that are not here.

const server = await serverFixture({ clock: true, users: ['ada', 'bob'] })
const partner = await server.partner()
const client = await RelyingParty.discover(server, partner)

const freshClient = () => RelyingParty.discover(server, partner)

describe('one authorization', () => {
  test('oidcc-server', async () => {
    const { claims, loggedIn } = await (await freshClient()).run({ nonce: 'some nonce' })
    expect(loggedIn).toBe(true)
    expect(claims).toMatchObject({ iss: server.authUrl, aud: partner.clientId, nonce: 'some nonce' })
  })

  test.each<[module: string, more: Record<string, string>]>([
    ['oidcc-ensure-request-without-nonce-succeeds-for-code-flow', {}],
    ['oidcc-scope-profile', { scope: 'openid profile' }],
    ['oidcc-scope-email', { scope: 'openid email' }],
    ['oidcc-scope-address', { scope: 'openid address' }],
    ['oidcc-scope-phone', { scope: 'openid phone' }],
    ['oidcc-scope-all', { scope: 'openid profile email address phone' }],
    ['oidcc-alternate-happy-flow', { scope: 'email openid' }],
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
    ['oidcc-claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
  ])('%s', async (_module, more) => {
    expect((await client.run({ nonce: 'n', ...more })).claims.sub).toMatch(/^[0-9A-Za-z]{22}$/)
  })

  test('oidcc-ensure-request-with-acr-values-succeeds', async () => {
    const { acr_values_supported: supported } = serverMetadata(server.context.config)
    const { claims } = await client.run({ acr_values: supported.join(' ') })
    expect(supported).toContain(claims.acr)
  })

  test('oidcc-login-hint: the email field contains the hint', async () => {
    const page = await (await freshClient()).ask({ login_hint: 'bob@example.com' })
    const field = page.document.querySelector('input[name=email]')
    expect(field?.getAttribute('value')).toBe('bob@example.com')
  })

  test('oidcc-userinfo-get, -post-header, -post-body', async () => {
    const { claims, tokens } = await client.run()
    for (const init of [
      {},
      { method: 'POST' },
      {
        method: 'POST',
        headers: {},
        body: new URLSearchParams({ access_token: tokens.accessToken }),
      },
    ]) {
      expect(await client.userinfo(tokens.accessToken, init)).toEqual({
        status: 200,
        body: { sub: claims.sub },
      })
    }
  })
})

describe('two authorizations, one after the other', () => {
  test('oidcc-prompt-login: a new login and a later auth_time', async () => {
    const first = await client.run()
    server.advanceClock(2)
    const second = await client.run({ prompt: 'login' })
    expect(second.loggedIn).toBe(true)
    expect(second.claims.sub).toBe(first.claims.sub)
    expect(second.claims.auth_time).toBeGreaterThan(Number(first.claims.auth_time))
  })

  test('oidcc-prompt-none-not-logged-in', async () => {
    const page = await (await freshClient()).ask({ prompt: 'none', state: 'x'.repeat(128) })
    const location = new URL(page.headers.get('location') ?? '')
    expect(location.searchParams.get('error')).toBe('login_required')
    expect(location.searchParams.get('state')).toBe('x'.repeat(128))
  })

  test('oidcc-prompt-none-logged-in, oidcc-id-token-hint: the same sub and auth_time, without a page', async () => {
    const first = await client.run({ nonce: 'first' })
    const hints: Record<string, string>[] = [{}, { id_token_hint: first.tokens.idToken }]
    for (const hint of hints) {
      const page = await client.ask({ prompt: 'none', ...hint })
      expect(page.status).toBe(303)
      const second = await client.run({ prompt: 'none', nonce: 'second', ...hint })
      const { sub, auth_time } = first.claims
      expect(second.claims).toMatchObject({ sub, auth_time })
    }
  })

  test('oidcc-max-age-1: a new login', async () => {
    const first = await client.run({ max_age: '15000' })
    server.advanceClock(2)
    const second = await client.run({ max_age: '1' })
    expect(second.loggedIn).toBe(true)
    expect(second.claims.auth_time).toBeGreaterThan(Number(first.claims.auth_time))
  })

  test('oidcc-max-age-10000: no new login and the same auth_time', async () => {
    const first = await client.run()
    server.advanceClock(2)
    const second = await client.run({ max_age: '10000' })
    expect(second.loggedIn).toBe(false)
    expect(second.claims.auth_time).toBe(first.claims.auth_time)
    expect(second.claims.auth_time).toEqual(expect.any(Number))
  })

  test('oidcc-codereuse, oidcc-codereuse-30seconds: refused, and the access token is revoked', async () => {
    for (const seconds of [0, 30]) {
      const { code, tokens } = await client.run()
      await server.passTime(seconds)
      expectInvalidGrant(await client.redeem(code), /^Authorization code reuse detected\./)
      expect((await client.userinfo(tokens.accessToken)).status).toBe(401)
    }
  })

  test('oidcc-refresh-token: the same user; refused for another client', async () => {
    const first = await client.run({ nonce: 'n' })
    const other = await RelyingParty.discover(server, await server.partner())
    expectInvalidGrant(await other.refresh(first.tokens.refreshToken), /refresh token/)
    const refreshed = issued(await client.refresh(first.tokens.refreshToken, { token_type: 'id' }))
    const claims = await client.verify(refreshed.idToken)
    const { iss, sub, aud, auth_time } = first.claims
    expect(claims).toMatchObject({ iss, sub, aud, auth_time })
    expect((await client.userinfo(refreshed.accessToken)).status).toBe(200)
  })
})

test('oidcc-ensure-request-object-with-redirect-uri: an error page', async () => {
  const request = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`
  expectErrorPage(await client.ask({ request, redirect_uri: 'https://other.example/' }))
})

describe('oidcc-discovery-endpoint-verification', () => {
  test('all URLs are https if the server uses https, and the issuer has no query or fragment', () => {
    const https = { authUrl: 'https://id.example', baseUrl: 'https://api.example/service-open-api/' }
    const metadata = serverMetadata({ ...server.context.config, ...https })
    const addresses = Object.entries(metadata).filter(([name]) => /_endpoint$|_uri$|^issuer$/.test(name))
    expect(addresses.length).toBeGreaterThan(6)
    for (const [, address] of addresses) expect(address).toMatch(/^https:\/\/[a-z.]+[a-z0-9/.-]*$/)
  })

  test('the metadata has the fields and formats that the suite requires', async () => {
    const address = `${server.authUrl}/.well-known/openid-configuration`
    const response = await fetch(address)
    const metadata = await response.json()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(`${metadata.issuer}/.well-known/openid-configuration`).toBe(address)
    expect(metadata).toMatchObject({
      response_types_supported: expect.arrayContaining(['code']),
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
      scopes_supported: expect.arrayContaining(['openid']),
      claims_supported: expect.arrayContaining(['sub']),
      userinfo_endpoint: expect.any(String),
    })
    for (const locale of metadata.ui_locales_supported) {
      expect(Intl.getCanonicalLocales(locale)).toEqual([locale])
    }
    const { keys } = await (await fetch(metadata.jwks_uri)).json()
    expect(new Set(keys.map(({ kid }: { kid: string }) => kid)).size).toBe(keys.length)
  })
})
