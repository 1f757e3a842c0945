import { generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { callbackOf, forgingProvider, usualClaims } from '../support/forging-provider.ts'
import { addTestProvider, clientSecret } from '../support/idp.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { Visitor } from '../support/visitor.ts'

const event = 'http://schemas.openid.net/event/backchannel-logout'
const server = await serverFixture({ users: ['ada', 'bob'], host: 'localhost' })
const provider = await forgingProvider()
const other = await forgingProvider()
await addTestProvider(server, { id: 'one', issuer: provider.issuer })
await addTestProvider(server, { id: 'two', issuer: other.issuer })

let visitor: Visitor
let jtis = 0
beforeEach(async () => {
  provider.claims = { sid: 'session-1' }
  provider.override.clear()
  await query(server.database, 'DELETE FROM sessions')
  visitor = await loggedInAt('one')
})

async function loggedInAt(id: string): Promise<Visitor> {
  const browser = new Visitor()
  await browser.get((await callbackOf(server, id, browser)).href)
  expect(await isLoggedIn(browser, server)).toBe(true)
  return browser
}

/** The claims of a correct logout token of Ada's session. */
function claims(more: Record<string, unknown> = {}): JWTPayload {
  jtis += 1
  const { iss, aud, sub, iat, exp } = usualClaims(provider.issuer)
  return {
    iss,
    aud,
    sub,
    iat,
    exp,
    sid: 'session-1',
    jti: `jti-${jtis}`,
    events: { [event]: {} },
    ...more,
  } as JWTPayload
}

const typ = 'logout+jwt'

async function send(token: string, id = 'one'): Promise<Response> {
  return fetch(`${server.authUrl}/idp/${id}/backchannel-logout`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
  })
}

async function expectRefused(response: Response, status = 400): Promise<void> {
  expect(response.status, await response.text()).toBe(status)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await isLoggedIn(visitor, server)).toBe(true)
}

test('54: a genuine logout token ends the session, and a replay of it ends no later one', async () => {
  const token = await provider.sign(claims(), { typ })
  const response = await send(token)
  expect([response.status, response.headers.get('cache-control')]).toEqual([204, 'no-store'])
  expect(await isLoggedIn(visitor, server)).toBe(false)
  visitor = await loggedInAt('one')
  await expectRefused(await send(token))
})

test('54: of 10 deliveries of one token at once, one counts', async () => {
  const token = await provider.sign(claims(), { typ })
  const statuses = (await Promise.all(Array.from({ length: 10 }, () => send(token)))).map(
    ({ status }) => status,
  )
  expect(statuses.filter((status) => status === 204)).toHaveLength(1)
  const rows = await query(server.database, 'SELECT FROM logout_tokens WHERE hash IS NOT NULL')
  expect(rows.length).toBeGreaterThan(0)
})

describe('54: which sessions end', () => {
  test('with sid, only that session', async () => {
    provider.claims = { sid: 'session-2' }
    const second = await loggedInAt('one')
    await send(await provider.sign(claims(), { typ }))
    expect([await isLoggedIn(visitor, server), await isLoggedIn(second, server)]).toEqual([false, true])
  })

  test('also the session of an operator', async () => {
    const { sub } = usualClaims(provider.issuer)
    await query(
      server.database,
      `WITH olive AS (
         INSERT INTO operators (email, email_folded, name, role) VALUES ('o@x.example', 'o@x.example', 'Olive', 'owner')
         RETURNING id, login_version
       )
       INSERT INTO operator_sessions (hash, operator_id, login_version, expires_at, provider_id, provider_sub, provider_sid)
       SELECT sha256(sid::bytea), id, login_version, now() + interval '1 hour', 'one', $1, sid
         FROM olive, unnest(ARRAY['session-1', 'session-2']) AS sid`,
      [sub],
    )
    expect((await send(await provider.sign(claims(), { typ }))).ok).toBe(true)
    const left = await query(server.database, 'SELECT provider_sid FROM operator_sessions')
    expect(left).toEqual([{ provider_sid: 'session-2' }])
  })

  test('with sub alone, all sessions of the account, and none of others', async () => {
    provider.claims = { sub: 'sub-bob', email: 'bob@example.com' }
    const bob = await loggedInAt('one')
    provider.claims = {}
    const second = await loggedInAt('one')
    await send(await provider.sign(claims({ sid: undefined }), { typ }))
    const live = await Promise.all([visitor, second, bob].map((browser) => isLoggedIn(browser, server)))
    expect(live).toEqual([false, false, true])
  })

  test('with sub and sid, also a session of the account whose id_token had no sid', async () => {
    provider.claims = {}
    const second = await loggedInAt('one')
    provider.claims = { sub: 'sub-bob', email: 'bob@example.com' }
    const bob = await loggedInAt('one')
    await send(await provider.sign(claims({ sub: undefined, sid: 'session-9' }), { typ }))
    expect(await isLoggedIn(second, server), 'a sid alone does not name it').toBe(true)
    await send(await provider.sign(claims({ sid: 'session-9' }), { typ }))
    const live = await Promise.all([visitor, second, bob].map((browser) => isLoggedIn(browser, server)))
    expect(live).toEqual([true, false, true])
  })

  test('a session of another user with the same sid stays', async () => {
    expect((await send(await provider.sign(claims({ sub: 'sub-bob' }), { typ }))).status).toBe(204)
    expect(await isLoggedIn(visitor, server)).toBe(true)
  })

  test('another provider ends nothing, even with the same sub and sid', async () => {
    const token = await other.sign(claims({ iss: other.issuer }), { typ })
    expect((await send(token, 'two')).status).toBe(204)
    await expectRefused(await send(token, 'one'))
  })
})

describe('54: a forged logout token', () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test('unsigned, signed with the public key, the client secret, or another key', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    const hs = (secret: string) =>
      new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', typ, kid: 'k1' }).sign(Buffer.from(secret))
    for (const token of [
      'x',
      `${encoded({ alg: 'none', typ })}.${encoded(claims())}.`,
      await hs(JSON.stringify(provider.keys[0])),
      await hs(clientSecret),
      await provider.sign(claims(), { typ }, privateKey),
      await provider.sign(claims(), { typ, kid: 'unknown' }, privateKey),
    ]) {
      await expectRefused(await send(token))
    }
  })

  test.each([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'someone-else' }],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - 60 }],
    ['that is an hour old', { iat: Math.floor(Date.now() / 1000) - 3600 }],
    ['from the future', { iat: Math.floor(Date.now() / 1000) + 3600 }],
    ['without iat', { iat: undefined }],
    ['without jti', { jti: undefined }],
    ['without sub and sid', { sub: undefined, sid: undefined }],
    ['with a nonce', { nonce: 'n' }],
    ['without events', { events: undefined }],
    ['with another event', { events: { 'http://example.com/event': {} } }],
    ['with an event of another type', { events: { [event]: 'yes' } }],
  ] as [string, JWTPayload][])('%s', async (_what, more) => {
    await expectRefused(await send(await provider.sign(claims(more), { typ })))
  })

  test('that is an id_token, or of another type', async () => {
    await expectRefused(
      await send(await provider.sign({ ...usualClaims(provider.issuer), sid: 'session-1' })),
    )
    await expectRefused(await send(await provider.sign(claims(), { typ: 'at+jwt' })))
  })

  test('without the field, twice, or for an unknown provider', async () => {
    const address = `${server.authUrl}/idp/one/backchannel-logout`
    expect((await fetch(address, { method: 'POST', body: new URLSearchParams() })).status).toBe(400)
    const token = await provider.sign(claims(), { typ })
    const twice = new URLSearchParams([
      ['logout_token', token],
      ['logout_token', token],
    ])
    expect((await fetch(address, { method: 'POST', body: twice })).status).toBe(400)
    expect((await send(token, 'three')).status).toBe(404)
    expect(await isLoggedIn(visitor, server)).toBe(true)
  })
})

test('54: keys that cannot be fetched: the provider is told to try again', async () => {
  const third = await forgingProvider()
  await addTestProvider(server, { id: 'three', issuer: third.issuer })
  third.override.set('/jwks', (response) => response.writeHead(500).end())
  await expectRefused(await send(await third.sign(claims({ iss: third.issuer }), { typ }), 'three'), 503)
})
