import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { clientBy } from '../support/client-assertion.ts'
import { codeFor, connectionOf, type Issued, issued } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { interruptibleDatabase } from '../support/interruptible-database.ts'
import { api, send } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { credentials, expectError, postForm, postJson } from '../support/token-endpoint.ts'
import { Visitor } from '../support/visitor.ts'

const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const

const database = await databaseFixture(interruptibleDatabase)
const clock = await movableClock(database)
const server = await serverFixture({ on: database, clock })
const client = await clientBy('client_secret_post', server)
const other = await clientBy('client_secret_post', server)
await seed(server.database, { users: ['ada', 'bob'] })

const ada = new Visitor()

async function newTokens(of = client, visitor = ada, user = 'ada'): Promise<Issued> {
  const code = await codeFor(server, of.partner, user, { visitor })
  return issued(await of.ask({ grant_type: 'authorization_code', code }))
}

async function introspect(token: string, by = client): Promise<Record<string, unknown>> {
  const { status, headers, body } = await by.ask({ token }, 'introspect')
  expect({ status, type: headers.get('content-type'), cache: headers.get('cache-control') }).toEqual({
    status: 200,
    type: 'application/json; charset=utf-8',
    cache: 'no-store',
  })
  return body
}

const inactive = { active: false }

describe.each(methods)('by %s', (method) => {
  test('describes access and refresh tokens, and reports them as inactive after revocation', async () => {
    const caller = await clientBy(method, server)
    const before = Math.floor(Date.now() / 1000)
    const { accessToken, refreshToken, idToken } = await newTokens(caller)
    const after = Math.ceil(Date.now() / 1000)
    const common = {
      active: true,
      scope: 'openid',
      client_id: caller.partner.clientId,
      sub: decodeJwt(idToken).sub,
      iss: server.authUrl,
      exp: expect.any(Number),
      iat: expect.any(Number),
      // RFC 9470 section 6
      acr: 'urn:latchkey:acr:password',
      auth_time: decodeJwt(idToken).auth_time,
    }
    const access = await introspect(accessToken, caller)
    expect(access).toEqual({ ...common, token_type: 'Bearer' })
    const refresh = await introspect(refreshToken, caller)
    expect(refresh).toEqual(common)
    expect(Number(access.exp) - Number(access.iat)).toBe(3600)
    expect(Number(refresh.exp) - Number(refresh.iat)).toBe(30 * 24 * 3600 + 60)
    for (const { iat } of [access, refresh]) {
      expect(iat).toBeGreaterThanOrEqual(before)
      expect(iat).toBeLessThanOrEqual(after)
    }

    expect((await caller.ask({ token: accessToken }, 'revoke')).status).toBe(200)
    expect(await introspect(accessToken, caller)).toEqual(inactive)
    expect((await introspect(refreshToken, caller)).active).toBe(true)
    expect((await caller.ask({ token: refreshToken }, 'revoke')).status).toBe(200)
    expect(await introspect(refreshToken, caller)).toEqual(inactive)
  })
})

describe('28: the answer is only active: false for', () => {
  test.each<[string, () => Promise<string> | string]>([
    ['an access token of another client', async () => (await newTokens(other)).accessToken],
    ['a refresh token of another client', async () => (await newTokens(other)).refreshToken],
    ['an access token that was never issued', () => neverIssued('at')],
    ['a token of the other environment', () => neverIssued('at', 'production')],
    ['text that is not a token', () => 'x'],
    ['long text that is not a token', () => 'x'.repeat(10_000)],
    ['a code', () => codeFor(server, client.partner, 'ada', { visitor: ada })],
    ['an id_token', async () => (await newTokens()).idToken],
    ['a client secret', () => client.partner.clientSecret],
  ])('%s', async (_case, token) => {
    expect(await introspect(await token())).toEqual(inactive)
  })

  test('a rotated refresh token; its successor is active', async () => {
    const { refreshToken } = await newTokens()
    const next = issued(await client.ask({ grant_type: 'refresh_token', refresh_token: refreshToken }))
    expect(await introspect(refreshToken)).toEqual(inactive)
    expect((await introspect(next.refreshToken)).active).toBe(true)
  })

  test('expired tokens, each kind after its own lifetime', async () => {
    const { accessToken, refreshToken } = await newTokens()
    await server.passTime(3601)
    expect(await introspect(accessToken)).toEqual(inactive)
    expect((await introspect(refreshToken)).active).toBe(true)
    await server.passTime(30 * 24 * 3600)
    expect(await introspect(refreshToken)).toEqual(inactive)
  })

  test.each([
    ['the user is disabled', `UPDATE users SET status = 'disabled' WHERE id = 'bob'`],
    ['the grant is revoked', `UPDATE grants SET revoked_at = now() WHERE user_id = 'bob'`],
  ])('tokens when %s', async (_case, change) => {
    const tokens = await newTokens(client, new Visitor(), 'bob')
    expect((await introspect(tokens.accessToken)).active).toBe(true)
    await query(server.database, change)
    const after = [await introspect(tokens.accessToken), await introspect(tokens.refreshToken)]
    await query(server.database, `UPDATE users SET status = 'active' WHERE id = 'bob'`)
    expect(after).toEqual([inactive, inactive])
  })

  test('the tokens of a connection that ended with a replay', async () => {
    const code = await codeFor(server, client.partner, 'ada', { visitor: ada })
    const params = { grant_type: 'authorization_code', code }
    const { accessToken, refreshToken } = issued(await client.ask(params))
    expect((await client.ask(params)).status).toBe(400)
    expect(await introspect(accessToken)).toEqual(inactive)
    expect(await introspect(refreshToken)).toEqual(inactive)
  })
})

describe('28: the wrong client', () => {
  test.each(methods)('by %s cannot revoke the tokens of another client, and gets 200', async (method) => {
    const { accessToken, refreshToken } = await newTokens()
    const wrong = await clientBy(method, server)
    for (const token of [accessToken, refreshToken]) {
      expect((await wrong.ask({ token }, 'revoke')).status).toBe(200)
    }
    expect((await api(server, 'households', accessToken)).status).toBe(200)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false })
  })
})

describe('the request', () => {
  test('token_type_hint is ignored, and JSON bodies are accepted', async () => {
    const { accessToken, refreshToken } = await newTokens()
    for (const [token, hint] of [
      [accessToken, 'refresh_token'],
      [refreshToken, 'access_token'],
      [refreshToken, 'anything'],
    ] as const) {
      const { body } = await client.ask({ token, token_type_hint: hint }, 'introspect')
      expect(body.active).toBe(true)
    }
    const params = { ...credentials(client.partner), token: accessToken }
    expect((await postJson(server, params, {}, 'introspect')).body.active).toBe(true)
  })

  test('without a token or with a token in the query string: invalid_request', async () => {
    expectError(await client.ask({}, 'introspect'), 400, 'invalid_request', /token is missing/)
    const { accessToken } = await newTokens()
    const answer = await send(`${server.baseUrl}oauth2/introspect?token=${accessToken}`, {
      method: 'POST',
      body: new URLSearchParams(credentials(client.partner)),
    })
    expectError(answer, 400, 'invalid_request', /token was sent in the query string/)
  })

  test('without authentication or with wrong credentials: invalid_client; a suspended client gets unauthorized_client', async () => {
    const { accessToken: token } = await newTokens()
    const { clientId } = client.partner
    const wrong = { client_id: clientId, client_secret: neverIssued('cs') }
    const bearer = { authorization: `Bearer ${token}` }
    for (const answer of [
      await postForm(server, { token, client_id: clientId }, {}, 'introspect'),
      await postForm(server, { token, ...wrong }, {}, 'introspect'),
      await postForm(server, { token }, bearer, 'introspect'),
    ]) {
      expectError(answer, 401, 'invalid_client', /./)
    }
    const setStatus = (status: string) =>
      query(server.database, 'UPDATE partners SET status = $1 WHERE client_id = $2', [status, clientId])
    await setStatus('suspended')
    const suspended = await client.ask({ token }, 'introspect')
    await setStatus('active')
    expectError(suspended, 400, 'unauthorized_client', /suspended/)
  })
})

test.each(methods)(
  '28: while the database is down, by %s: introspection and revocation both give 503',
  async (method) => {
    const caller = await clientBy(method, server)
    const { accessToken: token } = await newTokens(caller)
    const fresh = await clientBy(method, server) // its keys are not in the server's memory yet
    await database.cut()
    const answers = [
      await caller.ask({ token }, 'introspect'),
      await caller.ask({ token: 'unknown' }, 'introspect'),
      await caller.ask({ token }, 'revoke'),
      await fresh.ask({ token }, 'introspect'),
    ]
    await database.heal()
    for (const { status, headers, body } of answers) {
      expect({ status, error: body.error }).toEqual({ status: 503, error: 'temporarily_unavailable' })
      expect(headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/)
    }
    expect((await introspect(token, caller)).active).toBe(true)
    expect(await introspect(token, fresh)).toEqual(inactive)
  },
)
