import { describe, expect, test } from 'vitest'
import { codeFor } from '../support/connection.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, authorizeUrl, connect, logIn, pkce, token } from '../support/journey.ts'
import { answerOf, disconnect, isConnectPage, isLoginPage, loggedIn } from '../support/pages.ts'
import { rowCounts } from '../support/raw-request.ts'
import { testServer } from '../support/server.ts'
import { type Page, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob', 'cleo', 'dan'] })
const partner = await server.partner()
const endpoint = `${server.authUrl}/api/oauth2/authorize`

/** The request with these parameters, from the partner's page to the first page or answer. */
async function ask(visitor: Visitor, more: Record<string, string>): Promise<Page> {
  return authorize(visitor, server, partner, more)
}

describe('the contract’s POST and the standard’s GET', () => {
  test('response_type may be absent on POST and is required on GET', async () => {
    const url = authorizeUrl(server, partner, { state: 's' })
    expect(isLoginPage(await new Visitor().follow(await new Visitor().post(url, '')))).toBe(true)
    expect(answerOf(partner, await new Visitor().get(url))).toEqual({
      error: 'invalid_request',
      error_description: 'response_type is missing. Send code.',
      state: 's',
      iss: server.authUrl,
    })
    for (const page of [
      await new Visitor().get(`${url}&response_type=code`),
      await new Visitor().post(url, 'response_type=code'),
    ]) {
      expect(page.headers.get('location')).toMatch(/^\/connect\?/)
    }
  })

  test('a POST without any body or content type, as a bare HTTP client sends it', async () => {
    const response = await fetch(authorizeUrl(server, partner), { method: 'POST', redirect: 'manual' })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toMatch(/^\/connect\?/)
  })

  test('parameters may stand in the query, in the body, or some in each', async () => {
    const all = new URL(authorizeUrl(server, partner, { state: 'from both' })).searchParams
    for (const inBody of [[], ['state'], ['client_id', 'redirect_uri'], [...all.keys()]]) {
      const body = new URLSearchParams(inBody.map((name) => [name, all.get(name) ?? '']))
      const rest = new URLSearchParams([...all].filter(([name]) => !inBody.includes(name)))
      const visitor = new Visitor()
      const page = await visitor.follow(await visitor.post(`${endpoint}?${rest}`, body.toString()))
      const connectPage = await logIn(visitor, page, 'ada')
      const answer = answerOf(partner, await visitor.submit(connectPage, '/connect', { decision: 'connect' }))
      expect(answer).toMatchObject({ code: expect.stringMatching(/^lk_test_ac_/), state: 'from both' })
    }
  })

  test('once in the query and once in the body is twice, even with the same value', async () => {
    const page = await new Visitor().post(authorizeUrl(server, partner, { state: 's' }), 'scope=openid')
    expect(answerOf(partner, page)).toMatchObject({
      error: 'invalid_request',
      error_description: 'scope was sent more than once.',
    })
  })

  test('the cross-site POST brings no cookie; the same-site GET after it finds the session', async () => {
    const visitor = await loggedIn(server, 'ada')
    const crossSite = await fetch(authorizeUrl(server, partner), { method: 'POST', redirect: 'manual' })
    expect(crossSite.status).toBe(303)
    expect(crossSite.headers.getSetCookie()).toEqual([])
    const next = crossSite.headers.get('location') ?? ''
    expect(isConnectPage(await visitor.get(`${server.authUrl}${next}`))).toBe(true)
    expect(next).not.toContain(partner.clientId) // sealed
  })

  test('no row is written for a stranger, whatever pages they look at', async () => {
    const before = await rowCounts(server)
    const visitor = new Visitor()
    const login = await ask(visitor, { state: 'x'.repeat(500) })
    expect(isLoginPage(login)).toBe(true)
    await visitor.get(login.url)
    await visitor.get(`${endpoint}?client_id=nobody`)
    await ask(visitor, { prompt: 'none' })
    await ask(visitor, { scope: 'none' })
    expect(await rowCounts(server)).toEqual(before)
    expect(before.login_failures).toBeDefined()
  })
})

describe('scope', () => {
  test.each(['openid', 'openid profile', 'email openid offline_access', ' openid '])(
    '%j is accepted',
    async (scope) => {
      const code = await codeFor(server, partner, 'ada', { more: { scope } })
      const { body } = await token(server, partner, { grant_type: 'authorization_code', code })
      expect(body.scope).toBe('openid')
    },
  )

  test.each(['', 'profile', 'OPENID', 'openid2', 'openid,profile', 'openid\tprofile'])(
    '%j is invalid_scope',
    async (scope) => {
      expect(
        answerOf(partner, await new Visitor().post(authorizeUrl(server, partner, { scope }), '')),
      ).toMatchObject({
        error: 'invalid_scope',
        iss: server.authUrl,
      })
    },
  )
})

describe('PKCE', () => {
  const { challenge } = pkce()
  const faulty: [string, Record<string, string>][] = [
    ['plain', { code_challenge: challenge, code_challenge_method: 'plain' }],
    ['no method, which means plain', { code_challenge: challenge }],
    ['s256', { code_challenge: challenge, code_challenge_method: 's256' }],
    ['a method without a challenge', { code_challenge_method: 'S256' }],
    ['42 characters', { code_challenge: challenge.slice(1), code_challenge_method: 'S256' }],
    ['44 characters', { code_challenge: `${challenge}=`, code_challenge_method: 'S256' }],
    [
      'base64 instead of base64url',
      { code_challenge: `+${challenge.slice(1)}`, code_challenge_method: 'S256' },
    ],
    ['a line break at the end', { code_challenge: `${challenge}\n`, code_challenge_method: 'S256' }],
  ]
  test.each(faulty)('7: %s is invalid_request', async (_name, more) => {
    expect(answerOf(partner, await new Visitor().post(authorizeUrl(server, partner, more), '')).error).toBe(
      'invalid_request',
    )
  })

  test('a partner that must use it cannot leave it out, and is served when it does', async () => {
    const strict = await server.partner({ requirePkce: true })
    const refused = answerOf(partner, await new Visitor().post(authorizeUrl(server, strict), ''))
    expect(refused).toMatchObject({ error: 'invalid_request', iss: server.authUrl })
    expect(refused.error_description).toContain('code_challenge')
    const { verifier, challenge: s256 } = pkce()
    const code = await codeFor(server, strict, 'ada', {
      more: { code_challenge: s256, code_challenge_method: 'S256' },
    })
    const { status } = await token(server, strict, {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
    })
    expect(status).toBe(200)
  })
})

describe('prompt and max_age', () => {
  test('6: prompt=none, logged out: login_required', async () => {
    const answer = answerOf(partner, await ask(new Visitor(), { prompt: 'none', state: 's' }))
    expect(answer).toMatchObject({ error: 'login_required', state: 's', iss: server.authUrl })
  })

  test('prompt=none, logged in but never connected: consent_required, and nothing is recorded', async () => {
    const visitor = await loggedIn(server, 'bob')
    const before = await rowCounts(server)
    expect(answerOf(partner, await ask(visitor, { prompt: 'none' })).error).toBe('consent_required')
    expect(await rowCounts(server)).toEqual(before)
  })

  test('prompt=none with a live grant skips the confirmation; after disconnecting it does not', async () => {
    const visitor = await loggedIn(server, 'cleo')
    await connect(server, partner, 'cleo', {}, visitor)
    const answer = answerOf(partner, await ask(visitor, { prompt: 'none', state: 's' }))
    expect(answer).toEqual({ code: expect.any(String), state: 's', iss: server.authUrl })
    const redeemed = await token(server, partner, {
      grant_type: 'authorization_code',
      code: answer.code ?? '',
    })
    expect(redeemed.status).toBe(200)
    await disconnect(visitor, server)
    expect(answerOf(partner, await ask(visitor, { prompt: 'none' })).error).toBe('consent_required')
  })

  test('the confirmation is shown after login, also to a user who connected before', async () => {
    await connect(server, partner, 'dan')
    for (const more of [{}, { prompt: 'consent' }]) {
      const page = await ask(await loggedIn(server, 'dan'), more)
      expect(isConnectPage(page)).toBe(true)
      const visitor = new Visitor()
      expect(isConnectPage(await logIn(visitor, await ask(visitor, more), 'dan'))).toBe(true)
    }
  })

  test.each(['none login', 'none consent', 'none none', 'login none'])(
    '6: prompt=%j is invalid_request',
    async (prompt) => {
      expect(answerOf(partner, await ask(new Visitor(), { prompt })).error).toBe('invalid_request')
    },
  )

  test.each<Record<string, string>>([{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login consent' }])(
    '6: %j authenticates a logged-in user again, once',
    async (more) => {
      const visitor = await loggedIn(server, 'ada')
      const page = await ask(visitor, more)
      expect(isLoginPage(page)).toBe(true)
      const after = await logIn(visitor, page, 'ada')
      expect(isConnectPage(after)).toBe(true)
      const answer = answerOf(partner, await visitor.submit(after, '/connect', { decision: 'connect' }))
      expect(answer.code).toBeDefined()
    },
  )

  test.each(['-1', '+5', '1.5', '1e2', '0x10', 'x', ' 7', '1'.repeat(16)])(
    '6: max_age=%j is invalid_request',
    async (age) => {
      expect(answerOf(partner, await ask(new Visitor(), { max_age: age })).error).toBe('invalid_request')
    },
  )

  test.each(['', '10000', '1'.repeat(15)])('6: max_age=%j: a login of just now will do', async (age) => {
    expect(isConnectPage(await ask(await loggedIn(server, 'ada'), { max_age: age }))).toBe(true)
  })

  test.each(['select_account', 'create', 'select_account tomorrow', 'NONE'])(
    '6: prompt=%j asks for nothing beside what the connect page is',
    async (prompt) => {
      expect(isConnectPage(await ask(await loggedIn(server, 'ada'), { prompt }))).toBe(true)
    },
  )

  test('prompt=none with a login older than max_age: login_required', async () => {
    const own = await testServer()
    try {
      await seed(own.database, { users: [{ id: 'ada' }] })
      const client = await own.partner()
      const visitor = await loggedIn(own, 'ada')
      await connect(own, client, 'ada', {}, visitor)
      own.advanceClock(120)
      const silent = (maxAge: string) => authorize(visitor, own, client, { prompt: 'none', max_age: maxAge })
      expect(answerOf(partner, await silent('300')).code).toBeDefined()
      expect(answerOf(partner, await silent('100')).error).toBe('login_required')
      const page = await authorize(visitor, own, client, { max_age: '100' })
      expect(isLoginPage(page)).toBe(true)
      // The server's clock and the database's differ by two minutes here: the new login still counts.
      expect(isConnectPage(await logIn(visitor, page, 'ada'))).toBe(true)
    } finally {
      await own.close()
    }
  })
})
