import { generateKeyPair, SignJWT } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { twoFactorAcr } from '../../src/acr.ts'
import { query } from '../support/database.ts'
import { keyOn, totp } from '../support/factors.ts'
import { callbackOf } from '../support/forging-provider.ts'
import { clientSecret, identities, textOf } from '../support/idp.ts'
import { idpAttackFixture } from '../support/idp-attacks.ts'
import { authorize } from '../support/journey.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { redirectOf, type Visitor } from '../support/visitor.ts'

const { server, partner, provider, browserOfTest, login, expectRefused, freshMetadata } =
  await idpAttackFixture()

let visitor: Visitor
beforeEach(() => {
  visitor = browserOfTest()
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
