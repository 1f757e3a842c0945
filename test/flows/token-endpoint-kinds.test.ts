import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { newClientId } from '../../src/partners/client-id.ts'
import { codeFor, issued, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh, send, type TokenAnswer, token } from '../support/journey.ts'
import { logLines } from '../support/logs.ts'
import { neverIssued } from '../support/never-issued.ts'
import { loggedIn } from '../support/pages.ts'
import type { TestPartner } from '../support/server.ts'

const server = await serverFixture({ users: ['ada'], households: ['h1'] })
const partner = await server.partner()
const other = await server.partner({ name: 'Other Partner' })

describe('27: a text that is not an access token', () => {
  test.each<[string, () => Promise<string>]>([
    ['a code', () => codeFor(server, partner, 'ada')],
    ['a redeemed code', async () => redeemed()],
    ['a refresh token', async () => (await tokensFor(server, partner, 'ada')).refreshToken],
    ['an id_token', async () => (await tokensFor(server, partner, 'ada')).idToken],
    ['a client secret', async () => partner.clientSecret],
    ['a session id', async () => sessionId()],
    ['an access token that was never issued', async () => neverIssued('at')],
    [
      'an access token with its last character changed',
      async () => (await tokensFor(server, partner, 'ada')).accessToken.replace(/.$/, '_'),
    ],
  ])('%s: 401', async (_case, secret) => {
    const text = await secret()
    expect(text.length).toBeGreaterThan(20)
    const answer = await api(server, 'households', text)
    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
    expect(answer.text).not.toContain(text)
  })

  async function redeemed(): Promise<string> {
    const code = await codeFor(server, partner, 'ada')
    issued(await token(server, partner, { grant_type: 'authorization_code', code }))
    return code
  }

  async function sessionId(): Promise<string> {
    const visitor = await loggedIn(server, 'ada')
    const cookies = await visitor.jar.getCookies(server.authUrl)
    return cookies.find(({ key }) => key.endsWith('session'))?.value ?? ''
  }
})

describe('the log names the fault of a malformed or misplaced credential', () => {
  const code = (text: string) => token(server, partner, { grant_type: 'authorization_code', code: text })
  test.each<[string, () => Promise<TokenAnswer>]>([
    ['code_malformed', () => code('x')],
    ['code_wrong_kind', () => code(neverIssued('rt'))],
    ['code_wrong_environment', () => code(neverIssued('ac', 'production'))],
    ['refresh_token_malformed', () => refresh(server, partner, 'x')],
    ['refresh_token_wrong_kind', () => refresh(server, partner, neverIssued('at'))],
    ['refresh_token_wrong_environment', () => refresh(server, partner, neverIssued('rt', 'production'))],
    ['secret_malformed', () => refresh(server, { ...partner, clientSecret: 'x' }, 'x')],
    ['secret_wrong_environment', () => refresh(server, { ...partner, clientSecret: productionSecret }, 'x')],
    ['client_wrong_environment', () => refresh(server, { ...partner, clientId: productionClientId }, 'x')],
  ])('%s', async (tag, sendRequest) => {
    const { headers, status } = await sendRequest()
    expect(status).toBeLessThan(402)
    const lines = logLines(server, headers.get('x-api-request-id') ?? '')
    expect(lines.filter(({ event }) => event === 'token')).toMatchObject([{ outcome: tag }])
  })

  const productionSecret = neverIssued('cs', 'production')
  const productionClientId = newClientId('production')
})

describe('the id_token', () => {
  const verify = (idToken: string) =>
    jwtVerify(idToken, createRemoteJWKSet(new URL(`${server.authUrl}/.well-known/jwks.json`)), {
      issuer: server.authUrl,
      audience: partner.clientId,
      algorithms: ['RS256'],
      requiredClaims: ['sub', 'iat', 'exp', 'auth_time'],
    })

  test('is signed by a published key and has the right claims', async () => {
    const nonce = 'nonce with "quotes" and ü'
    const before = Math.floor(Date.now() / 1000)
    const code = await codeFor(server, partner, 'ada', { more: { nonce } })
    const answer = await token(server, partner, { grant_type: 'authorization_code', code })
    const after = Math.ceil(Date.now() / 1000)
    const { payload, protectedHeader } = await verify(issued(answer).idToken)
    expect(protectedHeader).toEqual({ alg: 'RS256', kid: expect.any(String), typ: 'JWT' })
    expect(payload).toEqual({
      iss: server.authUrl,
      aud: partner.clientId,
      sub: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
      nonce,
      auth_time: expect.any(Number),
      iat: expect.any(Number),
      exp: Number(payload.iat) + 3600,
      acr: 'urn:latchkey:acr:password',
      amr: ['pwd'],
      at_hash: expect.any(String),
    })
    for (const time of [payload.iat, payload.auth_time]) {
      expect(time).toBeGreaterThanOrEqual(before)
      expect(time).toBeLessThanOrEqual(after)
    }
  })

  test('of a refresh has the same subject and auth_time, and no nonce (OpenID Connect Core 12.2)', async () => {
    const first = await tokensFor(server, partner, 'ada', { more: { nonce: 'once' } })
    const second = issued(await refresh(server, partner, first.refreshToken, { token_type: 'id' }))
    const [before, after] = [(await verify(first.idToken)).payload, (await verify(second.idToken)).payload]
    expect(before.nonce).toBe('once')
    expect(after).not.toHaveProperty('nonce')
    for (const claim of ['sub', 'auth_time', 'iss', 'aud']) expect(after[claim]).toEqual(before[claim])
  })

  test('of a refresh is only for a request with token_type=id, or for a partner that is registered for it', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const { body } = await refresh(server, partner, refreshToken)
    expect(Object.keys(body).sort()).toEqual([
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ])
    const always = await server.partner({ name: 'Always', idTokenOnRefresh: true })
    const tokens = await tokensFor(server, always, 'ada')
    const { idToken } = issued(await refresh(server, always, tokens.refreshToken))
    expect(decodeJwt(idToken).aud).toBe(always.clientId)
  })

  test('has a subject that is stable for a partner, different for each partner, and not an id of the platform', async () => {
    const subjectFor = async (of: TestPartner) => {
      const answer = await tokensFor(server, of, 'ada')
      const [, payload = ''] = answer.idToken.split('.')
      return String(JSON.parse(Buffer.from(payload, 'base64url').toString()).sub)
    }
    const [first, again, elsewhere] = [
      await subjectFor(partner),
      await subjectFor(partner),
      await subjectFor(other),
    ]
    expect(again).toBe(first)
    expect(elsewhere).not.toBe(first)
    expect(first).toMatch(/^[0-9A-Za-z]{22}$/)
    expect([first, elsewhere].every((sub) => sub?.includes('ada'))).toBe(false) // one of them may contain it by chance
  })

  test('the published keys have only public members', async () => {
    const jwks = await send(`${server.authUrl}/.well-known/jwks.json`, {})
    const text = expect.any(String)
    expect(jwks.body.keys).toEqual([
      { kty: 'EC', crv: 'P-256', x: text, y: text, kid: text, alg: 'ES256', use: 'sig' },
      { kty: 'RSA', n: text, e: 'AQAB', kid: text, alg: 'RS256', use: 'sig' },
    ])
  })
})
