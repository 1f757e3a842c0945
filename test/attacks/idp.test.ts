import type { ServerResponse } from 'node:http'
import { generateKeyPair, SignJWT } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { twoFactorAcr } from '../../src/acr.ts'
import { sealStored } from '../../src/secrets/stored-secret.ts'
import { query } from '../support/database.ts'
import { keyOn, totp } from '../support/factors.ts'
import { serverFixture } from '../support/fixtures.ts'
import { callbackOf, forgingProvider, json, usualClaims } from '../support/forging-provider.ts'
import { addTestProvider, clientSecret, identities, textOf } from '../support/idp.ts'
import { authorize } from '../support/journey.ts'
import { cookieOf, plant } from '../support/login.ts'
import { isConnectPage } from '../support/pages.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({
  users: ['ada', 'bob', { id: 'eve', firm: 'firm-2' }],
  host: 'localhost',
})
const partner = await server.partner()
const provider = await forgingProvider()
const other = await forgingProvider()
await addTestProvider(server, { id: 'one', issuer: provider.issuer })
await addTestProvider(server, { id: 'two', issuer: other.issuer, firms: ['firm-2'] })

let visitor: Visitor
beforeEach(async () => {
  visitor = new Visitor()
  for (const each of [provider, other]) {
    each.claims = {}
    each.metadata = {}
    each.override.clear()
    each.requested.clear()
    each.issue = (claims) => each.sign(claims)
  }
  await query(server.database, 'DELETE FROM identities')
  await query(server.database, 'DELETE FROM login_failures')
})

const flowCookies = async () => {
  const cookies = await visitor.jar.getCookies(server.authUrl)
  return cookies.filter(({ key }) => key.includes('latchkey-flow'))
}

async function login(id = 'one'): Promise<Page> {
  return visitor.get((await callbackOf(server, id, visitor)).href)
}

async function expectRefused(page: Page, status = 400): Promise<void> {
  expect(page.status, textOf(page)).toBe(status)
  expect(await isLoggedIn(visitor, server)).toBe(false)
}

/** What the log says about the last callback. */
function reason(): unknown {
  const lines = server
    .logs()
    .split('\n')
    .filter((line) => line.includes('"provider_login"'))
  const { outcome, reason } = JSON.parse(lines.at(-1) ?? '{}')
  return reason ?? outcome
}

test('54: the honest login of these tests works', async () => {
  expect((await login()).status).toBe(303)
  expect(await isLoggedIn(visitor, server)).toBe(true)
})

describe('54: mix-up of two providers', () => {
  test('an answer of one provider at the address of the other is refused, and no code is sent', async () => {
    // Even if the other does not support `iss`, which would reveal the mix-up.
    other.metadata = { authorization_response_iss_parameter_supported: false }
    await freshMetadata('two')
    const callback = await callbackOf(server, 'one', visitor)
    callback.pathname = '/login/idp/two/callback'
    callback.searchParams.delete('iss')
    await expectRefused(await visitor.get(callback.href))
    expect(other.requested.get('/token')).toBeUndefined()
    other.metadata = {}
    await freshMetadata('two')
  })

  test('an answer with the iss of the other provider, or without iss, is refused, and no code is sent', async () => {
    for (const iss of [other.issuer, `${provider.issuer}/`, null]) {
      const callback = await callbackOf(server, 'one', visitor)
      if (iss === null) callback.searchParams.delete('iss')
      else callback.searchParams.set('iss', iss)
      await expectRefused(await visitor.get(callback.href))
    }
    expect(provider.requested.get('/token')).toBeUndefined()
  })

  test('an id_token of the other provider is refused', async () => {
    provider.issue = () => other.sign({ ...usualClaims(other.issuer) })
    await expectRefused(await login())
  })

  test('a provider cannot speak for users of a firm that is not its own', async () => {
    other.claims = { email: 'ada@example.com' }
    await expectRefused(await login('two'), 403)
    other.claims = { email: 'eve@example.com' }
    expect((await login('two')).status).toBe(303)
  })

  test('a provider cannot speak for addresses outside of its domains', async () => {
    await query(server.database, `INSERT INTO identity_provider_domains VALUES ('other.example', 'two')`)
    const callback = await callbackOf(server, 'two', visitor).catch(() => undefined)
    expect(callback, 'the domain decides, so there is no button').toBeUndefined()
    const start = await visitor.submit(await visitor.get(`${server.authUrl}/login`), '/login', {
      email: 'x@other.example',
    })
    const back = redirectOf(await visitor.get(redirectOf(start)?.href ?? ''))
    other.claims = { email: 'eve@example.com' }
    await expectRefused(await visitor.get(back?.href ?? ''), 403)
    await query(server.database, 'DELETE FROM identity_provider_domains')
  })
})

describe('54: the callback is bound to the browser', () => {
  test('planted callback: the login of an attacker does not end in the browser of a victim', async () => {
    const attacker = new Visitor()
    const callback = await callbackOf(server, 'one', attacker)
    await expectRefused(await visitor.get(callback.href))
    expect(provider.requested.get('/token')).toBeUndefined()
    // Not even if the victim has started a login as well.
    await callbackOf(server, 'one', visitor)
    await expectRefused(await visitor.get(callback.href))
    expect(provider.requested.get('/token')).toBeUndefined()
  })

  test('replayed state: a callback counts once, and its cookie is gone', async () => {
    const callback = await callbackOf(server, 'one', visitor)
    const [flow] = await flowCookies()
    expect((await visitor.get(callback.href)).status).toBe(303)
    expect(await flowCookies()).toEqual([])
    await query(server.database, 'DELETE FROM sessions')
    await expectRefused(await visitor.get(callback.href))
    // With the cookie restored, a code of another login has another nonce.
    await plant(visitor, server, flow?.key ?? '', flow?.value ?? '')
    const later = await callbackOf(server, 'one', new Visitor())
    callback.searchParams.set('code', later.searchParams.get('code') ?? '')
    await expectRefused(await visitor.get(callback.href))
    expect(reason()).toContain('nonce')
  })

  test('one flow cookie drives no more than 100 failed callbacks from a source, and honest logins are not counted', async () => {
    await login()
    const callback = await callbackOf(server, 'one', visitor)
    const [flow] = await flowCookies()
    const again = async (code: string) => {
      await plant(visitor, server, flow?.key ?? '', flow?.value ?? '')
      callback.searchParams.set('code', code)
      return visitor.get(callback.href)
    }
    await query(server.database, 'DELETE FROM login_failures')
    await query(server.database, 'DELETE FROM sessions')
    await again('wrong')
    const counted = () => query<{ count: number }>(server.database, 'SELECT count FROM login_failures')
    expect(await counted()).toEqual([{ count: 1 }])
    expect((await login()).status).toBe(303)
    expect(await counted()).toEqual([{ count: 1 }])

    await query(server.database, 'UPDATE login_failures SET count = 98')
    await query(server.database, 'DELETE FROM sessions')
    const before = provider.requested.get('/token') ?? 0
    const answers: Page[] = []
    for (let round = 0; round < 3; round++) answers.push(await again(`wrong-${round}`))
    const last = await again('wrong-3')
    expect([...answers, last].map(({ status }) => status)).toEqual([400, 400, 429, 429])
    expect((provider.requested.get('/token') ?? 0) - before).toBe(2)
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(textOf(last)).toContain('Too many attempts')
    // The limit is for callbacks that belong to a flow: others send no request, and passwords have limits of their own.
    expect((await visitor.get(`${server.authUrl}/login/idp/one/callback?state=x&code=y`)).status).toBe(400)
    await query(server.database, 'DELETE FROM login_failures')
  })

  test('foreign state: of another flow, changed, missing, or with another request inside', async () => {
    const page = await authorize(visitor, server, partner)
    const start = redirectOf(await visitor.submit(page, '/login/idp/one', {}))
    const callback = redirectOf(await visitor.get(start?.href ?? ''))
    const state = callback?.searchParams.get('state') ?? ''
    const [slot = '', mac = '', ...carried] = state.split('.')
    const elsewhere = await authorize(new Visitor(), server, partner, { state: 'of an attacker' })
    const swapped = new URLSearchParams({ request: new URL(elsewhere.url).searchParams.get('request') ?? '' })
    const states = [
      '',
      `${slot}.${mac}.`,
      `${slot}.${'A'.repeat(22)}.${carried.join('.')}`,
      `${(Number(slot) + 1) % 4}.${mac}.${carried.join('.')}`,
      `${slot}.${mac}.${swapped}`,
      `9.${state.slice(2)}`,
    ]
    for (const forged of states) {
      const address = new URL(callback?.href ?? '')
      address.searchParams.set('state', forged)
      await expectRefused(await visitor.get(address.href))
    }
    expect(provider.requested.get('/token')).toBeUndefined()
    // The genuine answer still counts.
    expect(isConnectPage(await visitor.follow(await visitor.get(callback?.href ?? '')))).toBe(true)
  })

  test('a forged cookie, and a cookie of another purpose, are no flow', async () => {
    const page = await authorize(visitor, server, partner)
    const request = new URL(page.url).searchParams.get('request') ?? ''
    const callback = await callbackOf(server, 'one', visitor)
    const [flow] = await flowCookies()
    for (const value of ['x', request, `${flow?.value}x`]) {
      await plant(visitor, server, flow?.key ?? '', value)
      await expectRefused(await visitor.get(callback.href))
    }
  })

  test('the parameters of a callback cannot be sent twice', async () => {
    const callback = await callbackOf(server, 'one', visitor)
    for (const name of ['code', 'state', 'iss']) {
      await expectRefused(await visitor.get(`${callback.href}&${name}=x`))
    }
  })

  test('the provider gets nothing of the form but the state', async () => {
    const callback = await callbackOf(server, 'one', visitor)
    expect(callback.searchParams.get('state')).toMatch(/^[0-3]\.[\w-]{22}\.$/)
  })

  test('a login is started by a form of our own only', async () => {
    const page = await visitor.get(`${server.authUrl}/login?choose=account`)
    expect((await visitor.post(`${server.authUrl}/login/idp/one`, {})).status).toBe(403)
    const foreign = { origin: 'https://evil.example' }
    expect((await visitor.submit(page, '/login/idp/one', {}, foreign)).status).toBe(403)
    expect(await flowCookies()).toEqual([])
  })

  test('the session cookie that an attacker planted is replaced', async () => {
    await plant(visitor, server, 'latchkey-session', 'planted')
    expect((await login()).status).toBe(303)
    expect(await cookieOf(visitor, server, 'latchkey-session')).not.toBe('planted')
  })
})

describe('54: forged id_tokens', () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test('alg confusion: unsigned, or signed with the public key or the client secret', async () => {
    const secrets = [JSON.stringify(provider.keys[0]), clientSecret]
    for (const algorithms of [['ES256'], ['ES256', 'HS256', 'none']]) {
      provider.metadata = { id_token_signing_alg_values_supported: algorithms }
      provider.issue = async (claims) => `${encoded({ alg: 'none' })}.${encoded(claims)}.`
      await expectRefused(await login())
      for (const secret of secrets) {
        provider.issue = (claims) =>
          new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(Buffer.from(secret))
        await expectRefused(await login())
      }
      await freshMetadata()
    }
  })

  test.each([
    ['another key with the same id', (c: object) => foreignKey(c, 'k1')],
    ['a key that is not published', (c: object) => foreignKey(c, 'k2')],
    ['a changed claim', async (c: object) => tampered(await provider.sign({ ...c }))],
  ])('signed with %s', async (_what, issue) => {
    provider.issue = issue
    await expectRefused(await login())
  })

  test.each([
    ['of another client', { aud: 'someone-else' }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['of another login', { nonce: 'another' }],
    ['without nonce', { nonce: undefined }],
    ['for several audiences, and made for another', { aud: ['latchkey', 'evil'], azp: 'evil' }],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - 60 }],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 120 }],
  ])('%s', async (_what, claims) => {
    provider.claims = claims
    await expectRefused(await login())
  })

  test('a clock that differs by some seconds is tolerated', async () => {
    const now = Math.floor(Date.now() / 1000)
    provider.claims = { iat: now + 20, exp: now - 10, auth_time: now + 20 }
    expect((await login()).status).toBe(303)
    const [session] = await query<{ ahead: boolean }>(
      server.database,
      'SELECT auth_time > now() AS ahead FROM sessions ORDER BY id DESC LIMIT 1',
    )
    expect(session?.ahead, 'auth_time is not in the future').toBe(false)
  })

  async function foreignKey(claims: object, kid: string): Promise<string> {
    const { privateKey } = await generateKeyPair('ES256')
    return provider.sign({ ...claims }, { kid }, privateKey)
  }

  function tampered(token: string): string {
    const [header, payload = '', signature] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return [header, encoded({ ...claims, sub: 'sub-bob' }), signature].join('.')
  }
})

describe('54: whom a claim names', () => {
  test.each([[{ email_verified: false }], [{ email_verified: undefined }], [{ email_verified: 'true' }]])(
    'an unverified email links no user: %o',
    async (claims) => {
      provider.claims = claims
      const page = await login()
      await expectRefused(page, 403)
      expect(textOf(page)).toContain('has not confirmed')
      expect(await identities(server)).toEqual([])
    },
  )

  test('an email that is given to somebody else later does not open the account of the first', async () => {
    await login()
    await query(server.database, 'DELETE FROM sessions')
    provider.claims = { sub: 'sub-newcomer' }
    const page = await login()
    await expectRefused(page, 403)
    expect(textOf(page)).toContain('belongs to another sign-in')
    expect(await identities(server)).toEqual(['one sub-ada ada'])
  })

  test('an address that belongs to somebody else later does not move a link', async () => {
    await login()
    await query(server.database, 'DELETE FROM sessions')
    provider.claims = { email: 'bob@example.com' }
    expect((await login()).status).toBe(303)
    expect(await identities(server)).toEqual(['one sub-ada ada'])
    expect((await visitor.get(`${server.authUrl}/connections`)).text).toContain('User ada')
  })

  test('values of other types, and without length limit, name no user', async () => {
    for (const email of [['ada@example.com'], { $ne: '' }, 7, 'a'.repeat(5000), '', "' OR 1=1 --"]) {
      provider.claims = { email }
      await expectRefused(await login(), 403)
    }
    expect(await identities(server)).toEqual([])
  })
})

describe('54: max_age and prompt=login', () => {
  const old = () => ({ auth_time: Math.floor(Date.now() / 1000) - 3600 })

  test('a provider that ignores them gets no session for the user, and the page says so', async () => {
    for (const [more, claims] of [
      [{ prompt: 'login' }, old()],
      [{ max_age: '60' }, old()],
      [{ max_age: '60' }, {}],
    ] as const) {
      provider.claims = claims
      const page = await authorize(visitor, server, partner, more)
      const start = redirectOf(await visitor.submit(page, '/login/idp/one', {}))
      const answer = await visitor.get(redirectOf(await visitor.get(start?.href ?? ''))?.href ?? '')
      await expectRefused(answer, 403)
      expect(textOf(answer)).toContain('did not confirm that you have just signed in')
    }
  })

  test('a silent login for one request does not count for an older one that asks for a new login', async () => {
    for (const claims of [old(), {}]) {
      const strict = await visitor.post(
        `${server.authUrl}/api/oauth2/authorize?${new URLSearchParams({
          client_id: partner.clientId,
          redirect_uri: partner.redirectUri,
          scope: 'openid',
          prompt: 'login',
        })}`,
        '',
      )
      provider.claims = claims
      expect((await login()).status).toBe(303)
      expect(await isLoggedIn(visitor, server)).toBe(true)
      const page = await visitor.get(redirectOf(strict)?.href ?? '')
      expect(redirectOf(page)?.pathname).toBe('/login')
    }
  })

  test('a request that is added to the callback of a plain login, or to its second factor, is not met by it', async () => {
    provider.claims = old()
    const strict = await authorize(visitor, server, partner, { prompt: 'login' })
    const request = new URL(strict.url).searchParams.get('request') ?? ''
    const loginAgain = async () => {
      expect(await isLoggedIn(visitor, server)).toBe(true)
      const page = await visitor.get(`${server.authUrl}/connect?${new URLSearchParams({ request })}`)
      expect(redirectOf(page)?.pathname).toBe('/login')
    }
    const callback = await callbackOf(server, 'one', visitor)
    callback.searchParams.set('request', request)
    await visitor.get(callback.href)
    await loginAgain()

    await query(server.database, 'DELETE FROM sessions')
    await query(server.database, 'UPDATE firms SET require_acr = $1', [twoFactorAcr])
    const enrol = await visitor.follow(await login())
    const code = totp(keyOn(enrol), server.context.now())
    await visitor.submit(enrol, '/login/second-factor/totp', { request, code })
    await query(server.database, 'UPDATE firms SET require_acr = NULL')
    await loginAgain()
    await query(server.database, 'DELETE FROM totp_secrets')
  })
})

describe('54: first logins while an import locks the users', () => {
  const waiting = () =>
    query(
      server.database,
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )

  test('do not wait, and those that create users wait in one queue: other logins still work', async () => {
    await query(
      server.database,
      `UPDATE identity_providers SET creates_firm = 'firm-2', creates_role = 'sees-granted' WHERE id = 'two'`,
    )
    const visitors = Array.from({ length: 12 }, () => new Visitor())
    const callbacks: URL[] = []
    for (const each of visitors) callbacks.push(await callbackOf(server, 'two', each))
    let subjects = 0
    other.issue = (claims) => {
      subjects += 1
      return other.sign({ ...claims, sub: `new-${subjects}`, email: `new-${subjects}@example.com` })
    }
    const pages = await server.database.withConnection(async (client) => {
      await client.query('BEGIN; LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE')
      const creating = visitors.map((each, index) => each.get(callbacks[index]?.href ?? ''))
      await expect.poll(() => other.requested.get('/token')).toBe(12)
      await expect.poll(async () => (await waiting()).length).toBe(1)
      expect((await login()).status).toBe(303)
      expect(await waiting()).toHaveLength(1)
      await client.query('COMMIT')
      return Promise.all(creating)
    })
    expect(pages.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 303))
    const created = await query(server.database, `DELETE FROM users WHERE id LIKE 'two:%' RETURNING id`)
    expect(created).toHaveLength(12)
    await query(server.database, `UPDATE identity_providers SET creates_firm = NULL, creates_role = NULL`)
  })
})

describe('54: metadata and keys', () => {
  beforeEach(() => freshMetadata())

  test('a changed issuer is refused and logged', async () => {
    provider.metadata = { issuer: 'https://evil.example' }
    const page = await visitor.get(`${server.authUrl}/login?choose=account`)
    await expectRefused(await visitor.submit(page, '/login/idp/one', {}), 502)
    expect(reason()).toContain('https://evil.example')
  })

  test('an authorization endpoint without TLS is not used', async () => {
    provider.metadata = { authorization_endpoint: 'http://evil.example/auth' }
    const page = await visitor.get(`${server.authUrl}/login?choose=account`)
    await expectRefused(await visitor.submit(page, '/login/idp/one', {}), 503)
  })

  test('keys that cannot be fetched, are no keys, or are endless: no login, and other logins work', async () => {
    const answers: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(500).end(),
      (response) => response.writeHead(302, { location: `${other.issuer}/jwks` }).end(),
      (response) => json(response, { keys: 'none' }),
      (response) => json(response, { keys: [{ kty: 'oct', k: 'AA', kid: 'k1' }] }),
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const more = () => response.destroyed || response.write('x'.repeat(65_536), () => setImmediate(more))
        more()
      },
    ]
    for (const answer of answers) {
      await freshMetadata()
      provider.override.set('/jwks', answer)
      const page = await login()
      expect([400, 502, 503], textOf(page)).toContain(page.status)
      expect(await isLoggedIn(visitor, server)).toBe(false)
    }
    other.claims = { email: 'eve@example.com' }
    expect((await login('two')).status).toBe(303)
  })

  test('an answer that breaks off gives a page, and no session', async () => {
    provider.override.set('/token', (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{', () => response.destroy())
    })
    await expectRefused(await login(), 503)
  })

  test('a provider that is down gives a page with a way to try again and to use the password', async () => {
    provider.override.set('/.well-known/openid-configuration', (response) => response.destroy())
    const login = await visitor.get(`${server.authUrl}/login?choose=account`)
    const page = await visitor.submit(login, '/login/idp/one', {})
    await expectRefused(page, 503)
    expect(page.headers.get('retry-after')).toBe('5')
    const links = page.document.querySelectorAll('main a').map((link) => link.getAttribute('href'))
    expect(links).toEqual(['/login?choose=password', '/login?choose=account'])
  })

  test('metadata that cannot be read again are used for a day', async () => {
    await login()
    provider.override.set('/.well-known/openid-configuration', (response) => response.writeHead(502).end())
    server.advanceClock(23 * 3600)
    expect((await login()).status).toBe(303)
    server.advanceClock(2 * 3600)
    const page = await visitor.get(`${server.authUrl}/login?choose=account`)
    expect((await visitor.submit(page, '/login/idp/one', {})).status).toBe(503)
    server.advanceClock(-25 * 3600)
  })

  test('a new key of the provider is found, and an unknown one does not make it read the keys again and again', async () => {
    await login()
    await query(server.database, 'DELETE FROM sessions')
    const before = provider.requested.get('/jwks') ?? 0
    for (let round = 0; round < 5; round++) {
      provider.issue = (claims) => provider.sign(claims, { kid: `unknown-${round}` })
      await expectRefused(await login())
    }
    expect((provider.requested.get('/jwks') ?? 0) - before).toBeLessThanOrEqual(1)
  })

  test('a token endpoint that fails is not the user’s fault', async () => {
    provider.override.set('/token', (response) => response.writeHead(503).end())
    await expectRefused(await login(), 503)
    provider.override.set('/token', (response) =>
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}'),
    )
    await expectRefused(await login(), 502)
    provider.override.set('/token', (response) =>
      response.writeHead(307, { location: `${other.issuer}/token` }).end(),
    )
    await expectRefused(await login(), 502)
    expect(other.requested.get('/token')).toBeUndefined()
  })
})

/** Stores the client secret again: the server then forgets what it knows about the provider. */
async function freshMetadata(id = 'one'): Promise<void> {
  await query(server.database, 'UPDATE identity_providers SET credential = $2 WHERE id = $1', [
    id,
    sealStored(server.context.keys, clientSecret),
  ])
}
