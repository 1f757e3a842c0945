import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, connect, logIn, pkce } from '../support/journey.ts'
import { answerOf, everyWay, expectErrorPage, isLoginPage, parametersFor } from '../support/pages.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada'] })
const partner = await server.partner()
const endpoint = `${server.authUrl}/api/oauth2/authorize`

describe('3: state values that try to escape the redirect', () => {
  const unicode = 'Zürich ☕ 家計 👩‍👩‍👧‍👦 ‮ '.repeat(40).slice(0, 1100)
  const states = {
    '2 kB of Unicode': unicode,
    'a script': `"><script>alert(1)</script><img src=x onerror=alert(1)>`,
    CRLF: 'a\r\nSet-Cookie: planted=1\r\nLocation: https://evil.example/\r\n\r\n<h1>evil</h1>',
    'delimiters of a query': 'a&code=planted&iss=https://evil.example#f?x=1;b=2',
    'spaces, plus and percent': ' a+b %2B %0d%0a 100% ',
    'a lone 0': '0',
    'every visible ASCII character': String.fromCharCode(...Array.from({ length: 95 }, (_, i) => i + 32)),
  }
  test('the Unicode state has more than 1.5 kB', () =>
    expect(Buffer.byteLength(unicode)).toBeGreaterThan(1500))

  const expectIntact = (page: Page, state: string) => {
    const raw = page.headers.get('location') ?? ''
    expect(raw).toMatch(/^https:\/\/partner\.example\/callback\?[A-Za-z0-9*_.=&%+-]+$/)
    expect(page.headers.get('set-cookie') ?? '').not.toContain('planted')
    const query = redirectOf(page)?.searchParams
    expect(query?.getAll('state')).toEqual([state])
    expect(query?.getAll('iss')).toEqual([server.authUrl])
    return query
  }

  test.each(Object.entries(states))('%s: returned exactly, with the code', async (_name, state) => {
    const visitor = new Visitor()
    const login = await authorize(visitor, server, partner, { state })
    const page = await logIn(visitor, login, 'ada')
    for (const shown of [login, page])
      expect(
        shown.document.querySelector('script:not([src^="/assets/"]), img:not([src^="/assets/"])'),
      ).toBeNull()
    const query = expectIntact(await visitor.submit(page, '/connect', { decision: 'connect' }), state)
    expect(query?.getAll('code')).toHaveLength(1)
    expect(query?.get('error')).toBeNull()
  })

  test.each(Object.entries(states))('%s: returned exactly, with an error', async (_name, state) => {
    for (const page of await Promise.all(
      everyWay(server, parametersFor(partner, { state, scope: 'none' })),
    )) {
      expect(expectIntact(page, state)?.getAll('error')).toEqual(['invalid_scope'])
    }
    const visitor = new Visitor()
    const page = await logIn(visitor, await authorize(visitor, server, partner, { state }), 'ada')
    const cancelled = await visitor.submit(page, '/connect', { decision: 'cancel' })
    expect(expectIntact(cancelled, state)?.getAll('error')).toEqual(['access_denied'])
    const silent = await authorize(new Visitor(), server, partner, { state, prompt: 'none' })
    expect(expectIntact(silent, state)?.get('error')).toBe('login_required')
  })

  test('a state that is too long is refused at once, not in the middle of the login', async () => {
    const refused = answerOf(
      partner,
      await new Visitor().post(endpoint, parametersFor(partner, { state: 'x'.repeat(4097) })),
    )
    expect(refused.error).toBe('invalid_request')
    // A control character takes six bytes in the JSON that is sealed into an address. The header limit is 16 kB.
    const carried = await new Visitor().post(
      endpoint,
      parametersFor(partner, { state: '\u0001'.repeat(2000), login_hint: 'é'.repeat(320) }),
    )
    expect(answerOf(partner, carried).error).toBe('invalid_request')
    const most = await new Visitor().follow(
      await new Visitor().post(endpoint, parametersFor(partner, { state: 'é'.repeat(2047) })),
    )
    expect(most.status).toBe(200)
  })

  test('a registered redirect URI keeps its own query', async () => {
    const tenant = await server.partner({ redirectUri: 'https://partner.example/callback?tenant=7' })
    const answer = await connect(server, tenant, 'ada', { state: 's' })
    expect(answer.href).toMatch(/^https:\/\/partner\.example\/callback\?tenant=7&code=[^&]+&state=s&iss=/)
  })
})

describe('4: parameters sent twice, empty, unknown', () => {
  const once = {
    state: 's',
    nonce: 'n',
    prompt: 'login',
    max_age: '9',
    code_challenge_method: 'S256',
    login_hint: 'a',
    id_token_hint: 'a',
  }
  const all = { ...once, code_challenge: pkce().challenge }

  test.each(['scope', 'response_type', 'unknown', '__proto__', ...Object.keys(all)])(
    '%s twice',
    async (name) => {
      const query = parametersFor(partner, all)
      const value = encodeURIComponent(new URLSearchParams(query).get(name) ?? 'x')
      const twice = query.includes(`${name}=`) ? `${query}&${name}=${value}` : `${query}&${name}=1&${name}=1`
      const pages = [
        ...everyWay(server, twice),
        // Once in the query and once in the body.
        new Visitor().post(
          `${endpoint}?${parametersFor(partner, all)}&${name === 'unknown' || name === '__proto__' ? `${name}=1` : ''}`,
          `${name}=${value}`,
        ),
      ]
      for (const page of await Promise.all(pages)) {
        const answer = answerOf(partner, page)
        expect(answer.error).toBe('invalid_request')
        expect(answer.error_description).toContain('more than once')
        expect(answer.iss).toBe(server.authUrl)
        // It is unknown which of the two states belongs to the partner.
        expect(answer.state).toBe(name === 'state' ? undefined : 's')
      }
    },
  )

  test.each(['client_id', 'redirect_uri'])('%s twice: an error page', async (name) => {
    const query = parametersFor(partner)
    const value = encodeURIComponent(new URLSearchParams(query).get(name) ?? '')
    const evil = encodeURIComponent('https://evil.example/')
    for (const second of [value, evil, '']) {
      for (const twice of [`${query}&${name}=${second}`, `${name}=${second}&${query}`]) {
        for (const page of await Promise.all(everyWay(server, twice))) expectErrorPage(page)
      }
      expectErrorPage(await new Visitor().post(`${endpoint}?${query}`, `${name}=${second}`))
    }
  })

  test('empty equals absent', async () => {
    const empty = Object.fromEntries(
      [...Object.keys(all), 'response_type', 'response_mode', 'request', 'request_uri'].map((name) => [
        name,
        '',
      ]),
    )
    const visitor = new Visitor()
    const page = await logIn(
      visitor,
      await visitor.follow(await visitor.post(`${endpoint}?${parametersFor(partner, empty)}`, '')),
      'ada',
    )
    const answer = answerOf(partner, await visitor.submit(page, '/connect', { decision: 'connect' }))
    expect(Object.keys(answer).sort()).toEqual(['code', 'iss'])
    const scope = answerOf(
      partner,
      await new Visitor().post(`${endpoint}?${parametersFor(partner, { scope: '' })}`, ''),
    )
    expect(scope.error).toBe('invalid_scope')
    const type = answerOf(
      partner,
      await new Visitor().get(`${endpoint}?${parametersFor(partner, { response_type: '' })}`),
    )
    expect(type.error).toBe('invalid_request')
  })

  test('unknown parameters are ignored, including names of JavaScript’s own properties', async () => {
    const unknown = {
      foo: 'bar',
      __proto__x: '1',
      constructor: 'x',
      toString: 'x',
      'a b': 'c',
      '': 'empty name',
    }
    for (const page of await Promise.all(
      everyWay(server, `${parametersFor(partner, unknown)}&__proto__=polluted&hasOwnProperty`),
    )) {
      expect(page.headers.get('location')).toMatch(/^\/connect\?request=/)
    }
  })
})

describe('optional parameters of OpenID Connect are never an error', () => {
  test.each([
    ['claims', '{"userinfo":{"name":{"essential":true}},"id_token":{"acr":{"values":["x"]}}}'],
    ['claims', '{not JSON'],
    ['claims', '[]'],
    ['claims_locales', 'de fr-CA'],
    ['ui_locales', 'xx-Nowhere de'],
    ['ui_locales', '***'],
    ['acr_values', 'urn:nobody:knows 2'],
    ['login_hint', `"><script>${'x'.repeat(2000)}`],
    ['display', 'popup'],
    ['display', 'hologram'],
  ])('%s=%s', async (name, value) => {
    for (const page of await Promise.all(everyWay(server, parametersFor(partner, { [name]: value })))) {
      const login = await new Visitor().follow(page)
      expect(login.status).toBe(200)
      expect(isLoginPage(login)).toBe(true)
      expect(login.document.querySelector('script:not([src^="/assets/"])')).toBeNull()
    }
  })
})

describe('5: unsupported features', () => {
  test.each(['token', 'code token', 'id_token', 'code id_token', 'CODE', 'code ', ' code', 'none'])(
    'response_type %j',
    async (type) => {
      for (const page of await Promise.all(
        everyWay(server, parametersFor(partner, { response_type: type, state: 's' })),
      )) {
        const answer = answerOf(partner, page)
        expect(answer).toMatchObject({ error: 'unsupported_response_type', state: 's', iss: server.authUrl })
        expect(redirectOf(page)?.hash).toBe('')
      }
    },
  )

  test('request, request_uri and registration are refused by name, and the server fetches nothing', async () => {
    let fetched = 0
    const bait = createServer((_request, response) => {
      fetched += 1
      response.end()
    }).listen(0, '127.0.0.1')
    await once(bait, 'listening')
    const { port } = bait.address() as AddressInfo
    try {
      for (const name of ['request', 'request_uri', 'registration']) {
        for (const page of await Promise.all(
          everyWay(server, parametersFor(partner, { [name]: `http://127.0.0.1:${port}/${name}` })),
        )) {
          expect(answerOf(partner, page).error).toBe(`${name}_not_supported`)
        }
      }
      await fetch(`http://127.0.0.1:${port}/the-bait-works`)
    } finally {
      bait.close()
    }
    expect(fetched).toBe(1)
  })

  test.each(['fragment', 'form_post', 'query.jwt', 'QUERY'])('response_mode %s', async (mode) => {
    const page = await new Visitor().get(`${endpoint}?${parametersFor(partner, { response_mode: mode })}`)
    expect(answerOf(partner, page).error).toBe('invalid_request')
  })
})
