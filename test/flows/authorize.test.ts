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

/** Sends the authorization request with these extra parameters. Returns the first page or the redirect to the partner. */
async function authorizeWith(visitor: Visitor, more: Record<string, string>): Promise<Page> {
  return authorize(visitor, server, partner, more)
}

describe('authorization requests by POST (contract) and by GET (RFC 6749)', () => {
  test('response_type may be absent on POST and is required on GET', async () => {
    const url = authorizeUrl(server, partner, { state: 's' })
    expect(isLoginPage(await new Visitor().follow(await new Visitor().post(url, '')))).toBe(true)
    expect(answerOf(partner, await new Visitor().get(url))).toEqual({
      error: 'invalid_request',
      error_description: 'response_type is missing. Send code.',
      error_uri: `${server.baseUrl}docs/errors/invalid_request#no-response-type`,
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

  test('a POST without a body or content type is accepted', async () => {
    const response = await fetch(authorizeUrl(server, partner), { method: 'POST', redirect: 'manual' })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toMatch(/^\/connect\?/)
  })

  test('parameters are accepted in the query, in the body, or split between both', async () => {
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

  test('a parameter in both the query and the body is refused, even with the same value', async () => {
    const page = await new Visitor().post(authorizeUrl(server, partner, { state: 's' }), 'scope=openid')
    expect(answerOf(partner, page)).toMatchObject({
      error: 'invalid_request',
      error_description: 'scope was sent more than once.',
    })
  })

  test('the cross-site POST carries no cookie; the same-site GET that follows finds the session', async () => {
    const visitor = await loggedIn(server, 'ada')
    const crossSite = await fetch(authorizeUrl(server, partner), { method: 'POST', redirect: 'manual' })
    expect(crossSite.status).toBe(303)
    expect(crossSite.headers.getSetCookie()).toEqual([])
    const next = crossSite.headers.get('location') ?? ''
    expect(isConnectPage(await visitor.get(`${server.authUrl}${next}`))).toBe(true)
    expect(next).not.toContain(partner.clientId) // sealed
  })

  test('pages that a visitor opens without a login write no row', async () => {
    const before = await rowCounts(server)
    const visitor = new Visitor()
    const login = await authorizeWith(visitor, { state: 'x'.repeat(500) })
    expect(isLoginPage(login)).toBe(true)
    await visitor.get(login.url)
    await visitor.get(`${endpoint}?client_id=nobody`)
    await authorizeWith(visitor, { prompt: 'none' })
    await authorizeWith(visitor, { scope: 'none' })
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

  test('a partner with required PKCE is refused without a code_challenge and gets tokens with one', async () => {
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
  test('6: prompt=none without a session gives login_required', async () => {
    const answer = answerOf(partner, await authorizeWith(new Visitor(), { prompt: 'none', state: 's' }))
    expect(answer).toMatchObject({ error: 'login_required', state: 's', iss: server.authUrl })
  })

  test('prompt=none with a session but without a grant gives consent_required and writes no row', async () => {
    const visitor = await loggedIn(server, 'bob')
    const before = await rowCounts(server)
    expect(answerOf(partner, await authorizeWith(visitor, { prompt: 'none' })).error).toBe('consent_required')
    expect(await rowCounts(server)).toEqual(before)
  })

  test('prompt=none with a live grant gives a code; after disconnecting it gives consent_required', async () => {
    const visitor = await loggedIn(server, 'cleo')
    await connect(server, partner, 'cleo', {}, visitor)
    const answer = answerOf(partner, await authorizeWith(visitor, { prompt: 'none', state: 's' }))
    expect(answer).toEqual({ code: expect.any(String), state: 's', iss: server.authUrl })
    const redeemed = await token(server, partner, {
      grant_type: 'authorization_code',
      code: answer.code ?? '',
    })
    expect(redeemed.status).toBe(200)
    await disconnect(visitor, server)
    expect(answerOf(partner, await authorizeWith(visitor, { prompt: 'none' })).error).toBe('consent_required')
  })

  test('the connect page is shown after login, even to a user who connected before', async () => {
    await connect(server, partner, 'dan')
    for (const more of [{}, { prompt: 'consent' }]) {
      const page = await authorizeWith(await loggedIn(server, 'dan'), more)
      expect(isConnectPage(page)).toBe(true)
      const visitor = new Visitor()
      expect(isConnectPage(await logIn(visitor, await authorizeWith(visitor, more), 'dan'))).toBe(true)
    }
  })

  test.each(['none login', 'none consent', 'none none', 'login none'])(
    '6: prompt=%j is invalid_request',
    async (prompt) => {
      expect(answerOf(partner, await authorizeWith(new Visitor(), { prompt })).error).toBe('invalid_request')
    },
  )

  test.each<Record<string, string>>([{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login consent' }])(
    '6: %j authenticates a logged-in user again, once',
    async (more) => {
      const visitor = await loggedIn(server, 'ada')
      const page = await authorizeWith(visitor, more)
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
      expect(answerOf(partner, await authorizeWith(new Visitor(), { max_age: age })).error).toBe(
        'invalid_request',
      )
    },
  )

  test.each(['', '10000', '1'.repeat(15)])(
    '6: max_age=%j accepts a login that just happened',
    async (age) => {
      expect(isConnectPage(await authorizeWith(await loggedIn(server, 'ada'), { max_age: age }))).toBe(true)
    },
  )

  test.each(['select_account', 'create', 'select_account tomorrow', 'NONE'])(
    '6: prompt=%j shows the connect page without a new login',
    async (prompt) => {
      expect(isConnectPage(await authorizeWith(await loggedIn(server, 'ada'), { prompt }))).toBe(true)
    },
  )

  test('prompt=none with a login older than max_age gives login_required', async () => {
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
      // The server's clock is two minutes ahead of the database's clock here. The new login still counts.
      expect(isConnectPage(await logIn(visitor, page, 'ada'))).toBe(true)
    } finally {
      await own.close()
    }
  })
})
