import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { sandboxPassword } from '../../src/sandbox/data.ts'
import { loadSandbox } from '../../src/sandbox/load.ts'
import { connectionOf, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { grantsOf } from '../support/grants.ts'
import { api, authorize, refresh, send, token } from '../support/journey.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const sunsetOn = new Date(Date.now() + 90 * 24 * 3_600_000)
const server = await serverFixture({ v1: { deprecatedOn: new Date(0), sunsetOn } })
expect(await loadSandbox(server.database, systemOrigin, { households: 30 })).toMatchObject({
  kind: 'imported',
})
await server.context.sandbox?.look()
const partner = await server.partner()

async function logIn(visitor: Visitor, user: string): Promise<Page> {
  const page = await authorize(visitor, server, partner, { state: 's' })
  const fields = { email: `${user}@sandbox.example`, password: sandboxPassword }
  return visitor.follow(await visitor.submit(page, '/login', fields))
}

const householdsOf = async (user: string) =>
  (await api(server, 'households', (await tokensFor(server, partner, `sandbox-${user}`)).accessToken)).body

test('each user does what the guide says', async () => {
  expect((await logIn(new Visitor(), 'login-refused')).status).toBe(403)

  const visitor = new Visitor()
  const page = await logIn(visitor, 'consent-cancelled')
  const answer = redirectOf(await visitor.submit(page, '/connect', { decision: 'connect' }))
  expect(Object.fromEntries(answer?.searchParams ?? [])).toMatchObject({ error: 'access_denied', state: 's' })

  expect(await householdsOf('firm')).toHaveLength(12)
  expect(await householdsOf('granted')).toHaveLength(5)
  expect(await householdsOf('nothing-visible')).toEqual([])
  expect(await householdsOf('many-households')).toHaveLength(30)
})

test('the header makes the failures of the API, and changes nothing', async () => {
  const { accessToken } = await tokensFor(server, partner, 'sandbox-firm')
  const failure = async (scenario: string) => {
    const { status, headers, body } = await api(server, 'households', accessToken, {
      'latchkey-sandbox': scenario,
    })
    return {
      status,
      retryAfter: headers.get('retry-after'),
      challenge: headers.get('www-authenticate'),
      body,
    }
  }
  expect(await failure('too_many_requests')).toMatchObject({
    status: 429,
    retryAfter: '1',
    body: { code: 'too_many_requests' },
  })
  expect(await failure('unavailable')).toMatchObject({
    status: 503,
    retryAfter: '1',
    body: { code: 'unavailable' },
  })
  expect(await failure('internal_error')).toMatchObject({ status: 500, body: { code: 'internal_error' } })
  const expired = await failure('expired_token')
  expect(expired).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect(expired.challenge).toContain('Expired access token')
  expect((await failure('revoked_token')).challenge).toContain('has been revoked')
  expect(await failure('nonsense')).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('knows too_many_requests, unavailable,') },
  })
  expect((await api(server, 'households', accessToken)).status).toBe(200)
})

test('the header makes the failures of the token endpoint, and uses nothing up', async () => {
  const { refreshToken } = await tokensFor(server, partner, 'sandbox-firm')
  const failure = async (scenario: string, parameters: Record<string, string>, client = partner) => {
    const { clientId: client_id, clientSecret: client_secret } = client
    const { status, body, headers } = await send(`${server.baseUrl}oauth2/token`, {
      method: 'POST',
      headers: { 'latchkey-sandbox': scenario },
      body: new URLSearchParams({ client_id, client_secret, ...parameters }),
    })
    return { status, error: body.error, text: body.error_description, retryAfter: headers.get('retry-after') }
  }
  const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken }
  const retryAfter = '1'
  expect(await failure('too_many_requests', parameters)).toMatchObject({ status: 429, retryAfter })
  expect(await failure('unavailable', parameters)).toMatchObject({
    status: 503,
    error: 'temporarily_unavailable',
    retryAfter,
  })
  expect(await failure('internal_error', parameters)).toMatchObject({ status: 500, error: 'server_error' })
  expect(await failure('expired_token', parameters)).toMatchObject({
    status: 400,
    error: 'invalid_grant',
    text: 'Expired refresh token. A refresh token is valid for 30 days.',
  })
  expect(await failure('revoked_token', parameters)).toMatchObject({ status: 400, error: 'invalid_grant' })
  const code = { grant_type: 'authorization_code', code: 'x' }
  expect((await failure('expired_token', code)).text).toMatch(/^Expired authorization code/)
  expect(await failure('nonsense', parameters)).toMatchObject({ status: 400, error: 'invalid_request' })
  const stranger = { ...partner, clientSecret: (await server.partner()).clientSecret }
  expect(await failure('unavailable', parameters, stranger)).toMatchObject({
    status: 401,
    error: 'invalid_client',
  })
  expect((await connectionOf(server, refreshToken)).generation).toBe(1)

  // The rotation is done, the answer is lost, and the retry gets the same successor.
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(failure('dropped_response', parameters)).rejects.toThrow('fetch failed')
    expect((await connectionOf(server, refreshToken)).generation).toBe(2)
  }
  const retry = await refresh(server, partner, refreshToken)
  expect(retry.status).toBe(200)
  expect((await connectionOf(server, refreshToken)).generation).toBe(2)
})

/** Moves the clock of the token's connection. */
function advance(accessToken: string, seconds: number) {
  return send(`${server.baseUrl}sandbox/clock`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ advance_seconds: seconds }),
  })
}

test('a clock shows the expiry of the access token and of the refresh token, and every refresh between', async () => {
  const first = await tokensFor(server, partner, 'sandbox-firm')
  expect((await advance(first.accessToken, 3590)).body).toMatchObject({ seconds_ahead: 3590 })
  expect((await api(server, 'households', first.accessToken)).status).toBe(200)
  expect((await advance(first.accessToken, 20)).body).toMatchObject({ seconds_ahead: 3610 })
  const expired = await api(server, 'households', first.accessToken)
  expect(expired.headers.get('www-authenticate')).toContain('Expired access token')

  // A month of refreshes: the moved moments are consistent, and the grace of the first token has passed.
  let tokens = { ...first, idToken: '' }
  for (const days of [29, 29]) {
    const { status, body } = await refresh(server, partner, tokens.refreshToken, { token_type: 'id' })
    expect({ status, body }).toMatchObject({ status: 200, body: { expires_in: 3600 } })
    tokens = {
      accessToken: String(body.access_token),
      refreshToken: String(body.refresh_token),
      idToken: String(body.id_token),
    }
    expect((await api(server, 'households', tokens.accessToken)).status).toBe(200)
    const live = await token(server, partner, { token: tokens.accessToken }, 'introspect')
    // By the server's clock, which is the partner's.
    expect(Math.abs(Number(live.body.exp) - Date.now() / 1000 - 3600)).toBeLessThan(60)
    await advance(tokens.accessToken, days * 24 * 3600)
  }
  const { at_hash } = decodeJwt(tokens.idToken)
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(tokens.accessToken))
  expect(at_hash).toBe(Buffer.from(digest).subarray(0, 16).toString('base64url'))

  await advance(tokens.accessToken, 2 * 24 * 3600)
  const late = await refresh(server, partner, tokens.refreshToken)
  expect(late.body.error_description).toBe('Expired refresh token. A refresh token is valid for 30 days.')
  expect((await advance(tokens.accessToken, 366 * 24 * 3600)).status).toBe(200)
})

test('a replay is a replay by the connection’s clock too', async () => {
  const { accessToken, refreshToken } = await tokensFor(server, partner, 'sandbox-firm')
  const second = await refresh(server, partner, refreshToken)
  const third = await refresh(server, partner, String(second.body.refresh_token))
  expect((await refresh(server, partner, refreshToken)).body.refresh_token).toBe(third.body.refresh_token)
  await advance(accessToken, 180)
  expect((await refresh(server, partner, refreshToken)).body.error_description).toMatch(/reuse detected/)
})

test('a consent ends by the connection’s clock, for all connections of the user', async () => {
  const limited = await server.partner({ grantLifetimeDays: 20 })
  const first = await tokensFor(server, limited, 'sandbox-granted')
  const second = await tokensFor(server, limited, 'sandbox-granted')
  const unlimited = await tokensFor(server, partner, 'sandbox-granted')
  const day = 24 * 3600
  await advance(first.accessToken, 12 * day)
  await advance(second.accessToken, 7 * day)
  const reason = 'The consent of the user has expired. Ask the user to connect again.'
  const refreshed = await refresh(server, limited, second.refreshToken)
  expect(refreshed.status).toBe(200)
  expect(await grantsOf(server, 'sandbox-granted')).toContainEqual(
    expect.objectContaining({ live: true, days: 1 }),
  )
  await advance(first.accessToken, 2 * day)
  const refused = await refresh(server, limited, first.refreshToken)
  expect(refused.body).toMatchObject({
    error: 'invalid_grant',
    error_description: expect.stringContaining(reason),
  })
  const read = await api(server, 'households', String(refreshed.body.access_token))
  expect(read.headers.get('www-authenticate')).toContain(reason)
  expect((await advance(first.accessToken, day)).status).toBe(401) // the connection has ended
  // The end is not before the consent: the user's page shows it.
  expect(await grantsOf(server, 'sandbox-granted')).toContainEqual(
    expect.objectContaining({ live: false, days: 0 }),
  )

  expect((await api(server, 'households', unlimited.accessToken)).status).toBe(200)
  const fresh = await tokensFor(server, limited, 'sandbox-granted')
  expect((await api(server, 'households', fresh.accessToken)).status).toBe(200)
})

test('v1 answers 410 from its sunset on, by the connection’s clock', async () => {
  const { accessToken, refreshToken } = await tokensFor(server, partner, 'sandbox-firm')
  const fresh = async (current: string) => {
    const { body } = await refresh(server, partner, current)
    return { access: String(body.access_token), refresh: String(body.refresh_token) }
  }
  await advance(accessToken, 29 * 24 * 3600)
  let tokens = await fresh(refreshToken)
  for (const days of [29, 29]) {
    await advance(tokens.access, days * 24 * 3600)
    tokens = await fresh(tokens.refresh)
  }
  expect((await api(server, 'households', tokens.access)).status).toBe(200)
  await advance(tokens.access, 4 * 24 * 3600)
  const { access } = await fresh(tokens.refresh)
  const gone = await api(server, 'households', access)
  expect(gone).toMatchObject({ status: 410, body: { code: 'gone' } })
  expect(gone.headers.get('link')).toBe(`<${server.baseUrl}api/v2/households>; rel="successor-version"`)
  const successor = await fetch(`${server.baseUrl}api/v2/households`, {
    headers: { authorization: `Bearer ${access}` },
  })
  expect(successor.status).toBe(200)
})
