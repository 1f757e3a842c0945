import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { setPartnerStatus } from '../../src/partners/partners.ts'
import { codeFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, authorizeUrl, connect, logIn, pkce, token } from '../support/journey.ts'
import { answerOf, isConnectPage, loggedIn, recoveryLink } from '../support/pages.ts'
import { rowCounts } from '../support/raw-request.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'
import { type Page, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'eve'] })
const partner = await server.partner()

/** Sends the authorization request with these extra parameters. Returns the first page or the redirect to the partner. */
async function authorizeWith(visitor: Visitor, more: Record<string, string>): Promise<Page> {
  return authorize(visitor, server, partner, more)
}

describe('the answer to the partner', () => {
  test('Cancel gives access_denied with state and iss, and writes no row', async () => {
    const visitor = await loggedIn(server, 'eve')
    const page = await authorizeWith(visitor, { state: 'my state' })
    const before = await rowCounts(server)
    const answer = answerOf(partner, await visitor.submit(page, '/connect', { decision: 'cancel' }))
    expect(answer).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      error_uri: `${server.baseUrl}docs/errors/access_denied#user-denied`,
      state: 'my state',
      iss: server.authUrl,
    })
    expect(await rowCounts(server)).toEqual(before)
  })

  test('a redirect URI that the partner gives up meanwhile is sent nothing, and no page keeps it alive', async () => {
    const changing = await server.partner({ redirectUri: 'https://old.example/callback' })
    const visitor = await loggedIn(server, 'eve')
    const page = await authorize(visitor, server, changing)
    expect(isConnectPage(page)).toBe(true)
    await query(
      server.database,
      `UPDATE partners SET redirect_uris = '{https://new.example/callback}' WHERE client_id = $1`,
      [changing.clientId],
    )
    const before = await rowCounts(server)
    for (const answer of [
      await visitor.submit(page, '/connect', { decision: 'connect' }),
      await visitor.get(page.url),
    ]) {
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
      expect(answer.document.querySelector('h1')?.text).toBe('This page is out of date')
    }
    expect(await rowCounts(server)).toEqual(before)
  })

  test('a request without state gets an answer without state', async () => {
    const answer = await connect(server, partner, 'ada')
    expect([...answer.searchParams.keys()]).toEqual(['code', 'iss'])
  })

  test('a code lives for 60 seconds', async () => {
    const code = await codeFor(server, partner, 'ada')
    const [row] = await query<{ seconds: number }>(
      server.database,
      `SELECT extract(epoch FROM code_expires_at - created_at)::float8 AS seconds FROM connections ORDER BY id DESC LIMIT 1`,
    )
    expect(row?.seconds).toBe(60)
    await query(server.database, `UPDATE connections SET code_expires_at = now() - interval '1 second'`)
    const { status, body } = await token(server, partner, { grant_type: 'authorization_code', code })
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
  })

  test('a connect page whose code was redeemed cannot be submitted again, and its Start again link works', async () => {
    const visitor = await loggedIn(server, 'ada')
    const page = await authorizeWith(visitor, { state: 'again' })
    const code = answerOf(partner, await visitor.submit(page, '/connect', { decision: 'connect' })).code ?? ''
    expect((await token(server, partner, { grant_type: 'authorization_code', code })).status).toBe(200)
    const used = await visitor.submit(page, '/connect', { decision: 'connect' })
    expect(used.status).toBe(409)
    expect(used.headers.get('location')).toBeNull()
    const again = await visitor.follow(await visitor.get(recoveryLink(used, 'Start again')))
    expect(isConnectPage(again)).toBe(true)
    const second = answerOf(partner, await visitor.submit(again, '/connect', { decision: 'connect' }))
    expect(second).toMatchObject({ state: 'again', code: expect.any(String) })
    expect(second.code).not.toBe(code)
  })
})

describe('the sealed request', () => {
  let own: TestServer
  let client: TestPartner
  beforeAll(async () => {
    own = await testServer()
    client = await own.partner()
    await seed(own.database, { users: [{ id: 'ada' }] })
  })
  afterAll(() => own.close())

  test('expires after ten minutes; the error page then offers to start the same request again', async () => {
    const { verifier, challenge } = pkce()
    const params = {
      state: 'kept <&> ✓',
      nonce: 'n-1',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }
    const visitor = new Visitor()
    const login = await authorize(visitor, own, client, params)
    own.advanceClock(595)
    const inTime = await logIn(visitor, login, 'ada')
    expect(isConnectPage(inTime)).toBe(true)
    own.advanceClock(10)
    const late = await visitor.get(login.url.replace('/login', '/connect'))
    expect(late.status).toBe(400)
    expect(late.text).toContain('out of date')

    // The connect page was issued later and has its own ten minutes.
    own.advanceClock(591)
    const refused = await visitor.submit(inTime, '/connect', { decision: 'connect' })
    expect(refused.status).toBe(400)
    expect(refused.headers.get('location')).toBeNull()
    expect((await rowCounts(own)).connections).toBe(0)

    for (const page of [late, refused]) {
      const again = await visitor.follow(await visitor.get(recoveryLink(page, 'Start again')))
      expect(isConnectPage(again)).toBe(true)
      const answer = answerOf(partner, await visitor.submit(again, '/connect', { decision: 'connect' }))
      expect(answer.state).toBe(params.state)
      const code = answer.code ?? ''
      const redeemed = await token(own, client, {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
      })
      expect(redeemed.status).toBe(200)
      const [, claims] = String(redeemed.body.id_token).split('.')
      expect(JSON.parse(Buffer.from(claims ?? '', 'base64url').toString()).nonce).toBe('n-1')
    }
  })

  test.each(['', 'x', 'a.b.c.d.e', '..'])(
    'an invalid sealed request (%j) gives an error page',
    async (request) => {
      const page = await new Visitor().get(`${own.authUrl}/connect?${new URLSearchParams({ request })}`)
      expect(page.status).toBe(400)
      expect(page.headers.get('location')).toBeNull()
      expect(page.headers.get('content-type')).toContain('text/html')
    },
  )
})

describe('a suspended partner', () => {
  test('gets an error page at every step and never a redirect', async () => {
    const client = await server.partner()
    const visitor = await loggedIn(server, 'ada')
    await connect(server, client, 'ada', {}, visitor)
    const page = await authorize(visitor, server, client)
    const silent = await new Visitor().post(authorizeUrl(server, client, { prompt: 'none' }), '')
    await setPartnerStatus(server.database, systemOrigin, client.clientId, 'suspended')
    const before = await rowCounts(server)
    const steps = [
      await authorize(visitor, server, client),
      await visitor.get(`${server.authUrl}${silent.headers.get('location')}`),
      await visitor.submit(page, '/connect', { decision: 'connect' }),
    ]
    for (const step of steps) {
      expect([400, 403]).toContain(step.status)
      expect(step.headers.get('location')).toBeNull()
    }
    expect(await rowCounts(server)).toEqual(before)
    await setPartnerStatus(server.database, systemOrigin, client.clientId, 'active')
    expect(isConnectPage(await authorize(visitor, server, client))).toBe(true)
  })
})
