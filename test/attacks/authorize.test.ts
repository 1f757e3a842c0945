import { createServer } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seed } from '../support/directory.ts'
import { authorize, authorizeUrl, connect, logIn, pkce } from '../support/journey.ts'
import { getWithHeaders } from '../support/raw-request.ts'
import { freePort, type TestPartner, type TestServer, testServer } from '../support/server.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

let server: TestServer
let partner: TestPartner
let endpoint: string

beforeAll(async () => {
  server = await testServer()
  partner = await server.partner()
  endpoint = `${server.authUrl}/api/oauth2/authorize`
  await seed(server.database, { users: [{ id: 'ada' }] })
})
afterAll(() => server.close())

/** The three ways the same parameters can arrive. */
function everyWay(query: string): Promise<Page>[] {
  return [
    new Visitor().get(`${endpoint}?${query}`),
    new Visitor().post(`${endpoint}?${query}`, ''),
    new Visitor().post(endpoint, query),
  ]
}

function parameters(more: Record<string, string> = {}, without: string[] = []): string {
  const all = new URLSearchParams({
    client_id: partner.clientId,
    redirect_uri: partner.redirectUri,
    scope: 'openid',
    response_type: 'code',
    ...more,
  })
  for (const name of without) all.delete(name)
  return all.toString()
}

function expectErrorPage(page: Page): void {
  expect(page.status).toBe(400)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('location')).toBeNull()
  expect(page.headers.get('refresh')).toBeNull()
  // Nothing on it leads, or is sent, anywhere else.
  expect(page.document.querySelectorAll('a[href], form, iframe, script, meta[http-equiv]')).toEqual([])
}

/** The answer to the partner, as the partner reads it. */
function answerOf(page: Page): Record<string, string> {
  expect(page.status).toBe(303)
  const location = redirectOf(page)
  expect(`${location?.origin}${location?.pathname}`).toBe(partner.redirectUri)
  return Object.fromEntries(location?.searchParams ?? [])
}

const registered = 'https://partner.example/callback'
const lookalikes = [
  'https://partner.example/Callback',
  'https://Partner.example/callback',
  'HTTPS://partner.example/callback',
  'https://partner.example:443/callback',
  'https://partner.example./callback',
  'https://partner.example/callback/',
  'https://partner.example/callback?',
  'https://partner.example/callback?x',
  'https://partner.example/callback?x=1',
  'https://partner.example/callback#',
  'https://partner.example/callback#f',
  'https://partner.example/callback/%2e%2e',
  'https://partner.example/x/%2e%2e/callback',
  'https://partner.example/x/../callback',
  'https://partner.example/./callback',
  'https://partner.example//callback',
  'https://partner.example/c%61llback',
  'https://partner.example%2fcallback',
  'https://partner.example/callback\t',
  'https://partner.example/call\tback',
  'https://partner.example/callback\n',
  'https://partner.example/callback\r\nx-injected: 1',
  ' https://partner.example/callback',
  'https://partner.example/callback ',
  'https://partner.example\\@evil.example/callback',
  'https:\\\\partner.example/callback',
  'https://partner.example@evil.example/callback',
  'https://user@partner.example/callback',
  'https://user:secret@partner.example/callback',
  'https://partner.example.evil.example/callback',
  'https://evilpartner.example/callback',
  'https://evil.example/https://partner.example/callback',
  'https://pаrtner.example/callback', // a Cyrillic а
  'https://partner.example/callback',
  'http://partner.example/callback',
  '//partner.example/callback',
  '/callback',
  'javascript:alert(1)//https://partner.example/callback',
  'https://partner.example/callback,https://evil.example/',
  'https://partner.example/callback https://evil.example/',
]

describe('1: a redirect_uri that is almost the registered one', () => {
  test.each(lookalikes)('%j', async (redirectUri) => {
    for (const page of await Promise.all(everyWay(parameters({ redirect_uri: redirectUri })))) {
      expectErrorPage(page)
      expect(page.document.querySelector('.fault')?.text).toContain('must match exactly')
    }
  })

  test('any other text, and any single edit of the registered one', async () => {
    const edit = fc
      .tuple(fc.nat(registered.length), fc.nat(1), fc.string({ maxLength: 2, unit: 'grapheme' }))
      .map(([at, cut, text]) => registered.slice(0, at) + text + registered.slice(at + cut))
    const other = fc.oneof(edit, fc.webUrl(), fc.string({ minLength: 1, unit: 'binary' }))
    const isNot = other.filter((uri) => uri !== registered && uri !== '' && uri.isWellFormed())
    await fc.assert(
      fc.asyncProperty(isNot, async (uri) => {
        expectErrorPage(await new Visitor().get(`${endpoint}?${parameters({ redirect_uri: uri })}`))
      }),
      { numRuns: 150 },
    )
  })

  test('the exact one goes on, so that the refusals above mean something', async () => {
    for (const page of await Promise.all(everyWay(parameters()))) {
      expect(page.status).toBe(303)
      expect(page.headers.get('location')).toMatch(/^\/connect\?request=/)
    }
  })

  test('one that is registered for another partner', async () => {
    const other = await server.partner({ redirectUri: 'https://other.example/callback' })
    for (const page of await Promise.all(everyWay(parameters({ redirect_uri: other.redirectUri })))) {
      expectErrorPage(page)
    }
  })
})

describe('an unknown client gets an error page, whatever else it asks for', () => {
  test.each(['nobody', 'test_0000000000000000000000', ' ', "' OR 1=1 --", '%', '<img src=x onerror=alert(1)>'])(
    'client_id %j',
    async (clientId) => {
      for (const page of await Promise.all(everyWay(parameters({ client_id: clientId })))) {
        expectErrorPage(page)
        expect(page.text).toContain('client_id is not known')
        expect(page.document.querySelector('img')).toBeNull()
      }
    },
  )

  test('client_id in another case, padded, or cut', async () => {
    const { clientId } = partner
    for (const id of [clientId.toUpperCase(), ` ${clientId}`, `${clientId} `, clientId.slice(0, -1), `${clientId}\n`]) {
      expectErrorPage(await new Visitor().get(`${endpoint}?${parameters({ client_id: id })}`))
    }
  })

  test('NUL, broken percent-encoding and broken UTF-8 are the request’s fault, never a 500', async () => {
    for (const bad of ['%00', '%zz', '%', '%ff%fe', '%ed%a0%80', '%c0%ae']) {
      for (const name of ['client_id', 'redirect_uri', 'state']) {
        for (const page of await Promise.all(everyWay(`${parameters({}, [name])}&${name}=a${bad}`))) {
          expectErrorPage(page)
        }
      }
    }
  })

  test('a body of another kind is not read, and cannot bring what a form cannot hold', async () => {
    const json = { 'content-type': 'application/json' }
    const bodies = [
      { client_id: 'a\0', redirect_uri: 'b' },
      { client_id: [partner.clientId], redirect_uri: { length: 1 } },
      Object.fromEntries(new URLSearchParams(parameters())),
    ]
    for (const body of bodies) {
      const page = await new Visitor().post(endpoint, JSON.stringify(body), json)
      expect(page.status).toBe(415)
      expect(page.headers.get('location')).toBeNull()
    }
  })
})

describe('3: redirect_uri missing', () => {
  test.each(['redirect_uri', 'client_id'])('%s absent or empty', async (name) => {
    for (const query of [parameters({}, [name]), parameters({ [name]: '' })]) {
      for (const page of await Promise.all(everyWay(query))) {
        expectErrorPage(page)
        expect(page.text).toContain(`${name} is missing`)
      }
    }
  })
})

describe('3: state that tries to break out', () => {
  const unicode = 'Zürich ☕ 家計 👩‍👩‍👧‍👦 ‮ '.repeat(60).slice(0, 700)
  const states = {
    '2 kB of Unicode': unicode,
    'a script': `"><script>alert(1)</script><img src=x onerror=alert(1)>`,
    CRLF: 'a\r\nSet-Cookie: planted=1\r\nLocation: https://evil.example/\r\n\r\n<h1>evil</h1>',
    'delimiters of a query': 'a&code=planted&iss=https://evil.example#f?x=1;b=2',
    'spaces, plus and percent': ' a+b %2B %0d%0a 100% ',
    'a lone 0': '0',
    'every visible ASCII character': String.fromCharCode(...Array.from({ length: 95 }, (_, i) => i + 32)),
  }
  test('the Unicode state has 2 kB', () => expect(Buffer.byteLength(unicode)).toBeGreaterThan(1500))

  const expectIntact = (page: Page, state: string) => {
    const raw = page.headers.get('location') ?? ''
    expect(raw).toMatch(/^https:\/\/partner\.example\/callback\?[A-Za-z0-9*_.=&%+-]+$/)
    expect(page.headers.get('set-cookie') ?? '').not.toContain('planted')
    const query = redirectOf(page)?.searchParams
    expect(query?.getAll('state')).toEqual([state])
    expect(query?.getAll('iss')).toEqual([server.authUrl])
    return query
  }

  test.each(Object.entries(states))('%s: comes back exactly, with the code', async (_name, state) => {
    const visitor = new Visitor()
    const login = await authorize(visitor, server, partner, { state })
    const page = await logIn(visitor, login, 'ada')
    for (const shown of [login, page]) expect(shown.document.querySelector('script, img')).toBeNull()
    const query = expectIntact(await visitor.submit(page, '/connect', { decision: 'connect' }), state)
    expect(query?.getAll('code')).toHaveLength(1)
    expect(query?.get('error')).toBeNull()
  })

  test.each(Object.entries(states))('%s: comes back exactly, with an error', async (_name, state) => {
    for (const page of await Promise.all(everyWay(parameters({ state, scope: 'none' })))) {
      expect(expectIntact(page, state)?.getAll('error')).toEqual(['invalid_scope'])
    }
    const visitor = new Visitor()
    const page = await logIn(visitor, await authorize(visitor, server, partner, { state }), 'ada')
    const cancelled = await visitor.submit(page, '/connect', { decision: 'cancel' })
    expect(expectIntact(cancelled, state)?.getAll('error')).toEqual(['access_denied'])
    const silent = await visitor.follow(await new Visitor().post(authorizeUrl(server, partner, { state, prompt: 'none' }), ''))
    expect(expectIntact(silent, state)?.get('error')).toBe('login_required')
  })

  test('a state that cannot be carried is refused at once, not in the middle of the login', async () => {
    const refused = answerOf(await new Visitor().post(endpoint, parameters({ state: 'x'.repeat(4097) })))
    expect(refused.error).toBe('invalid_request')
    // Control characters take six bytes each in JSON, which is what is sealed.
    const visitor = new Visitor()
    const login = await visitor.follow(await visitor.post(endpoint, parameters({ state: '\u0001'.repeat(4096) })))
    expect([200, 303]).toContain(login.status)
  })

  test('a registered redirect URI with a query of its own keeps it', async () => {
    const tenant = await server.partner({ redirectUri: 'https://partner.example/callback?tenant=7' })
    const answer = await connect(server, tenant, 'ada', { state: 's' })
    expect(answer.href).toMatch(/^https:\/\/partner\.example\/callback\?tenant=7&code=[^&]+&state=s&iss=/)
  })
})

describe('4: parameters sent twice, empty, unknown', () => {
  const once = { state: 's', nonce: 'n', prompt: 'login', max_age: '9', code_challenge_method: 'S256', login_hint: 'a' }
  const all = { ...once, code_challenge: pkce().challenge }

  test.each(['scope', 'response_type', 'unknown', '__proto__', ...Object.keys(all)])('%s twice', async (name) => {
    const query = parameters(all)
    const value = encodeURIComponent(new URLSearchParams(query).get(name) ?? 'x')
    const twice = query.includes(`${name}=`) ? `${query}&${name}=${value}` : `${query}&${name}=1&${name}=1`
    const pages = [
      ...everyWay(twice),
      // Once in the query and once in the body.
      new Visitor().post(`${endpoint}?${parameters(all)}&${name === 'unknown' || name === '__proto__' ? `${name}=1` : ''}`, `${name}=${value}`),
    ]
    for (const page of await Promise.all(pages)) {
      const answer = answerOf(page)
      expect(answer.error).toBe('invalid_request')
      expect(answer.error_description).toContain('more than once')
      expect(answer.iss).toBe(server.authUrl)
      // Which of two states is the partner's, nobody knows.
      expect(answer.state).toBe(name === 'state' ? undefined : 's')
    }
  })

  test.each(['client_id', 'redirect_uri'])('%s twice: an error page', async (name) => {
    const query = parameters()
    const value = encodeURIComponent(new URLSearchParams(query).get(name) ?? '')
    const evil = encodeURIComponent('https://evil.example/')
    for (const second of [value, evil, '']) {
      for (const twice of [`${query}&${name}=${second}`, `${name}=${second}&${query}`]) {
        for (const page of await Promise.all(everyWay(twice))) expectErrorPage(page)
      }
      expectErrorPage(await new Visitor().post(`${endpoint}?${query}`, `${name}=${second}`))
    }
  })

  test('empty equals absent', async () => {
    const empty = Object.fromEntries([...Object.keys(all), 'response_type', 'response_mode', 'request', 'request_uri'].map((name) => [name, '']))
    const visitor = new Visitor()
    const page = await logIn(visitor, await visitor.follow(await visitor.post(`${endpoint}?${parameters(empty)}`, '')), 'ada')
    const answer = answerOf(await visitor.submit(page, '/connect', { decision: 'connect' }))
    expect(Object.keys(answer).sort()).toEqual(['code', 'iss'])
    const scope = answerOf(await new Visitor().post(`${endpoint}?${parameters({ scope: '' })}`, ''))
    expect(scope.error).toBe('invalid_scope')
    const type = answerOf(await new Visitor().get(`${endpoint}?${parameters({ response_type: '' })}`))
    expect(type.error).toBe('invalid_request')
  })

  test('unknown ones are ignored, and those of JavaScript’s own are unknown', async () => {
    const unknown = { foo: 'bar', __proto__x: '1', constructor: 'x', toString: 'x', 'a b': 'c', '': 'empty name' }
    for (const page of await Promise.all(everyWay(`${parameters(unknown)}&__proto__=polluted&hasOwnProperty`))) {
      expect(page.headers.get('location')).toMatch(/^\/connect\?request=/)
    }
  })
})

describe('5: what is not supported', () => {
  test.each(['token', 'code token', 'id_token', 'code id_token', 'CODE', 'code ', ' code', 'none'])(
    'response_type %j',
    async (type) => {
      for (const page of await Promise.all(everyWay(parameters({ response_type: type, state: 's' })))) {
        const answer = answerOf(page)
        expect(answer).toMatchObject({ error: 'unsupported_response_type', state: 's', iss: server.authUrl })
        expect(redirectOf(page)?.hash).toBe('')
      }
    },
  )

  test('request, request_uri and registration are refused by name, and nothing is fetched', async () => {
    let fetched = 0
    const port = await freePort()
    const bait = createServer((_request, response) => {
      fetched += 1
      response.end()
    }).listen(port, '127.0.0.1')
    try {
      for (const name of ['request', 'request_uri', 'registration']) {
        for (const page of await Promise.all(everyWay(parameters({ [name]: `http://127.0.0.1:${port}/${name}` })))) {
          expect(answerOf(page).error).toBe(`${name}_not_supported`)
        }
      }
      await fetch(`http://127.0.0.1:${port}/the-bait-works`)
    } finally {
      bait.close()
    }
    expect(fetched).toBe(1)
  })

  test.each(['fragment', 'form_post', 'query.jwt', 'QUERY'])('response_mode %s', async (mode) => {
    const page = await new Visitor().get(`${endpoint}?${parameters({ response_mode: mode })}`)
    expect(answerOf(page).error).toBe('invalid_request')
  })
})

test('8: a client of the other environment is unknown, and the page says where it belongs', async () => {
  const production = await testServer({ environment: 'production' })
  try {
    const live = await production.partner()
    const pages = [
      { page: await new Visitor().post(authorizeUrl(server, live), ''), text: 'belongs to production, and this is sandbox' },
      { page: await new Visitor().post(authorizeUrl(production, partner), ''), text: 'belongs to sandbox, and this is production' },
    ]
    for (const { page, text } of pages) {
      expectErrorPage(page)
      expect(page.text).toContain(text)
    }
  } finally {
    await production.close()
  }
})

describe('15: spoofed headers change nothing', () => {
  const spoofed = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-port': '1234',
    'x-original-url': '/connections',
    'x-http-method-override': 'POST',
    forwarded: 'for=203.0.113.7;host=evil.example;proto=https',
  }

  test('iss, redirects and pages are those of the configuration', async () => {
    const refused = await getWithHeaders(`${endpoint}?${parameters({ scope: 'none' })}`, spoofed)
    expect(new URL(refused.location ?? '').searchParams.get('iss')).toBe(server.authUrl)
    // As a GET still, whatever the override says: response_type is required.
    const get = await getWithHeaders(`${endpoint}?${parameters({}, ['response_type'])}`, spoofed)
    expect(new URL(get.location ?? '').searchParams.get('error')).toBe('invalid_request')
    const accepted = await getWithHeaders(`${endpoint}?${parameters()}`, spoofed)
    expect(accepted.location).toMatch(/^\/connect\?request=/)
    const login = await getWithHeaders(`${server.authUrl}/login`, spoofed)
    expect(login.status).toBe(200)
    expect(login.text).not.toContain('evil.example')
    const discovery = await getWithHeaders(`${server.authUrl}/.well-known/openid-configuration`, spoofed)
    expect(discovery.text).not.toContain('evil.example')
    expect(JSON.parse(discovery.text)).toMatchObject({ issuer: server.authUrl, authorization_endpoint: endpoint })
  })
})
