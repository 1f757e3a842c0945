import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { disableUser } from '../../src/directory/users.ts'
import { revokeGrant } from '../../src/grants/grants.ts'
import { assertionOf, assertionParameters, newSigningPair } from '../support/client-assertion.ts'
import { codeFor, issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { api, pkce, refresh, type TokenAnswer, token } from '../support/journey.ts'
import { logLines } from '../support/logs.ts'
import { neverIssued } from '../support/never-issued.ts'
import { disconnect, loggedIn } from '../support/pages.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'
import { basic, credentials, expectError, expectInvalidGrant, postForm } from '../support/token-endpoint.ts'

let server: TestServer
let partner: TestPartner

beforeAll(async () => {
  server = await testServer({ clock: true })
  partner = await server.partner()
  const users = ['ada', 'bob', 'cleo', 'dan', 'eve'].map((id) => ({ id }))
  await seed(server.database, { users, households: [{ id: 'h1' }] })
})
afterAll(() => server.close())

const redeem = (code: string, more: Record<string, string> = {}) =>
  token(server, partner, { grant_type: 'authorization_code', code, ...more })

const loggedReason = ({ headers }: { headers: Headers }) =>
  logLines(server, headers.get('x-api-request-id') ?? '').find(({ outcome }) => outcome)?.outcome

/** Expects that the API refuses with this reason in the log and this description in the body and in the challenge. */
async function expectApiRefusal(accessToken: string, reason: string, description: RegExp): Promise<void> {
  const answer = await api(server, 'households', accessToken)
  expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect(answer.body).toMatchObject({ detail: expect.stringMatching(description) })
  expect(answer.headers.get('www-authenticate')).toMatch(description)
  expect(loggedReason(answer)).toBe(reason)
}

/** Expects that all tokens and the code are refused with this reason. */
async function expectEnded(
  issuedCredentials: { accessToken: string; refreshToken: string; code: string },
  reason: string,
  description: RegExp,
): Promise<void> {
  await expectApiRefusal(issuedCredentials.accessToken, reason, description)
  for (const answer of [
    await refresh(server, partner, issuedCredentials.refreshToken),
    await redeem(issuedCredentials.code),
  ]) {
    expectInvalidGrant(answer, description)
    expect(loggedReason(answer)).toBe(reason)
  }
}

/** Tokens of one connection, and the unredeemed code of another. */
async function newCredentials(userId: string) {
  const visitor = await loggedIn(server, userId)
  const tokens = await tokensFor(server, partner, userId, { visitor })
  return { ...tokens, code: await codeFor(server, partner, userId, { visitor }), visitor }
}

describe('a refusal names the reason', () => {
  test('a revoked access token is not reported as expired, and the refresh token gives a new one', async () => {
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    await token(server, partner, { token: accessToken }, 'revoke')
    const description = /The access token has been revoked. Get a new one with the refresh token\./
    await expectApiRefusal(accessToken, 'token_revoked', description)
    const next = issued(await refresh(server, partner, refreshToken))
    expect((await api(server, 'households', next.accessToken)).status).toBe(200)
    const introspected = await token(server, partner, { token: accessToken }, 'introspect')
    expect(introspected.body).toEqual({ active: false })
  })

  test('an expired access token is not reported as revoked, even if it is revoked afterwards', async () => {
    const { accessToken } = await tokensFor(server, partner, 'ada')
    await server.passTime(3601)
    for (const _ of [1, 2]) {
      await expectApiRefusal(
        accessToken,
        'expired',
        /Expired access token\. Get a new one with the refresh token\./,
      )
      await token(server, partner, { token: accessToken }, 'revoke')
    }
  })

  test('the operator ended the grant', async () => {
    const issuedCredentials = await newCredentials('bob')
    const [grant] = await query<{ id: string }>(
      server.database,
      `SELECT id FROM grants WHERE user_id = 'bob'`,
    )
    await revokeGrant(server.database, systemOrigin, { id: grant?.id ?? '' })
    await expectEnded(
      issuedCredentials,
      'ended_by_operator',
      /The operator of this service has ended the connection\./,
    )
  })

  test('the user disconnected', async () => {
    const issuedCredentials = await newCredentials('cleo')
    await disconnect(issuedCredentials.visitor, server)
    await expectEnded(issuedCredentials, 'ended_by_user', /The user has disconnected this application\./)
  })

  test('the user is disabled', async () => {
    const issuedCredentials = await newCredentials('dan')
    await disableUser(server.database, systemOrigin, 'dan')
    await expectEnded(issuedCredentials, 'user_disabled', /The user is disabled\./)
  })

  test('a refresh token was revoked, or replayed', async () => {
    const revoked = await tokensFor(server, partner, 'ada')
    await token(server, partner, { token: revoked.refreshToken }, 'revoke')
    const byPartner = /The connection has been revoked by this application\./
    await expectApiRefusal(revoked.accessToken, 'ended_by_partner', byPartner)
    const code = await codeFor(server, partner, 'ada')
    const replayed = issued(await redeem(code))
    expectInvalidGrant(await redeem(code), /^Authorization code reuse detected\./)
    const byReplay = /Authorization code reuse detected\. The connection has been revoked\./
    await expectApiRefusal(replayed.accessToken, 'ended_by_code_replay', byReplay)
    expectInvalidGrant(await refresh(server, partner, replayed.refreshToken), byReplay)
  })

  test('the application is suspended', async () => {
    const { accessToken } = await tokensFor(server, partner, 'ada')
    const suspend = (status: string) =>
      query(server.database, 'UPDATE partners SET status = $1 WHERE client_id = $2', [
        status,
        partner.clientId,
      ])
    await suspend('suspended')
    await expectApiRefusal(accessToken, 'client_suspended', /The application is suspended\./).finally(() =>
      suspend('active'),
    )
  })
})

describe('each fault of a code request has its own description', () => {
  const { verifier, challenge } = pkce()
  const challenged = { code_challenge: challenge, code_challenge_method: 'S256' }

  test.each([
    [
      'another redirect_uri',
      {},
      { redirect_uri: 'https://evil.example/' },
      'redirect_uri_mismatch',
      /^redirect_uri differs/,
    ],
    ['no code_verifier', challenged, {}, 'code_verifier_missing', /^code_verifier is missing/],
    [
      'a code_verifier without a challenge',
      {},
      { code_verifier: verifier },
      'code_verifier_unexpected',
      /no code_challenge/,
    ],
    [
      'a wrong code_verifier',
      challenged,
      { code_verifier: pkce().verifier },
      'code_verifier_mismatch',
      /^code_verifier does not match/,
    ],
  ])('%s', async (_case, more, sent, reason, description) => {
    const answer = await redeem(await codeFor(server, partner, 'ada', { more }), sent)
    expectInvalidGrant(answer, description)
    expect(loggedReason(answer)).toBe(reason)
  })
})

describe('client authentication comes first', () => {
  const wrongSecret = () => ({ client_id: partner.clientId, client_secret: neverIssued('cs') })

  test.each([
    ['a malformed refresh token', { grant_type: 'refresh_token', refresh_token: 'lk_test_rt_x' }],
    [
      'a production refresh token',
      { grant_type: 'refresh_token', refresh_token: neverIssued('rt', 'production') },
    ],
    ['a malformed code', { grant_type: 'authorization_code', code: 'x' }],
  ])(
    '%s with a wrong secret: invalid_client; with the right secret: the fault of the token',
    async (_case, fields) => {
      const wrong = await postForm(server, { ...wrongSecret(), ...fields })
      expectError(wrong, 401, 'invalid_client', /^Invalid client credentials\.$/)
      expectInvalidGrant(await postForm(server, { ...credentials(partner), ...fields }), /./)
    },
  )

  test('a private_key_jwt client that sends a secret gets an error that names its method', async () => {
    const pair = await newSigningPair()
    const signing = await server.partner({ authMethods: ['private_key_jwt'], jwks: pair.jwk })
    const secret = neverIssued('cs')
    const fields = { grant_type: 'refresh_token', refresh_token: neverIssued('rt') }
    const inBody = { ...fields, client_id: signing.clientId, client_secret: secret }
    const answers: TokenAnswer[] = [
      await postForm(server, inBody),
      await postForm(server, fields, basic(signing.clientId, secret)),
    ]
    for (const answer of answers) {
      expectError(answer, 401, 'invalid_client', /registered for private_key_jwt. Send client_assertion/)
      expect(loggedReason(answer)).toBe('assertion_required')
    }
    for (const malformed of [{ client_secret: 'guess' }, {}]) {
      const answer = await postForm(server, { ...fields, client_id: signing.clientId, ...malformed })
      expectError(answer, 401, 'invalid_client', /private_key_jwt sends client_assertion/)
    }
    // A wrong key gets no details, and neither does a wrong secret of a client that has secrets.
    const assertion = await assertionOf(server, signing.clientId, await newSigningPair())
    const byWrongKey = await postForm(server, { ...fields, ...assertionParameters(assertion) })
    for (const answer of [byWrongKey, await postForm(server, { ...wrongSecret(), ...fields })]) {
      expectError(answer, 401, 'invalid_client', /^Invalid client credentials\.$/)
    }
  })
})

describe('an HTTP method that an API address does not support', () => {
  test.each([
    ['api/v1/households', 'GET, HEAD'],
    ['api/v1/households/h1/accounts', 'GET, HEAD'],
    ['api/v2/households', 'GET, HEAD'],
    ['openapi.json', 'GET, HEAD'],
    ['oauth2/userinfo', 'GET, HEAD, POST'],
  ])('%s: 405 with Allow', async (path, allow) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (allow.includes(method)) continue
      const answer = await fetch(`${server.baseUrl}${path}`, { method })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allow])
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
      expect(await answer.json()).toMatchObject({ code: 'method_not_allowed', status: 405 })
    }
  })

  test('an unknown address is still 404', async () => {
    expect((await fetch(`${server.baseUrl}api/v1/nowhere`, { method: 'POST' })).status).toBe(404)
  })
})
