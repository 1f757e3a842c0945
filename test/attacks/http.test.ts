import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { seed } from '../support/directory.ts'
import { api, newTokens, send, token } from '../support/journey.ts'
import { getRaw, postRaw, type RawAnswer, sendRaw, trickle } from '../support/raw-socket.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'

let server: TestServer
let partner: TestPartner
let accessToken: string
const base = '/service-open-api/'
const households = `${base}api/v1/households`
const form = 'content-type: application/x-www-form-urlencoded'

beforeAll(async () => {
  server = await testServer()
  partner = await server.partner()
  await seed(server.database, { users: [{ id: 'ada' }], households: [{ id: 'h1', name: 'One' }] })
  accessToken = await accessTokenOf(server.database, 'ada')
})
afterAll(() => server.close())

/** The log lines that carry a request id. */
function linesOf(requestId: string): Record<string, unknown>[] {
  const lines = server.logs().split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line)).filter((line) => line.request_id === requestId)
}

describe('33: the request id', () => {
  test.each(['a', 'x'.repeat(128), 'b3f1c9a0-1f5e-4d0e-9c9a-7f7c2f6d9e10', 'A.b_c~d:e+f/g=h-i'])(
    '%s: given back in the response, the error and the log',
    async (id) => {
      const { headers, body, status } = await api(server, 'households', undefined, { 'x-api-request-id': id })
      expect(status).toBe(401)
      expect(headers.get('x-api-request-id')).toBe(id)
      expect(body).toMatchObject({ request_id: id })
      await expect
        .poll(() => linesOf(id))
        .toEqual([expect.objectContaining({ route: `${base}api/v1/households`, status: 401, method: 'GET' })])
    },
  )

  test.each([
    ['empty', ''],
    ['129 characters', 'x'.repeat(129)],
    ['10 kB', 'x'.repeat(10_000)],
    ['a space', 'a b'],
    ['Unicode', 'd\xc3\xa9j\xc3\xa0'],
    ['markup', '<script>'],
    ['quotes', '"a"'],
    ['JSON', '{"level":60}'],
    ['a terminal escape, encoded', '%1b[2J'],
    ['an encoded line break', 'a%0d%0aSet-Cookie: a=b'],
    ['a tab', 'a\tb'],
  ])('%s: replaced by one of our own', async (_name, id) => {
    const answer = await getRaw(server.authUrl, households, [`x-api-request-id: ${id}`])
    const given = answer?.headers.get('x-api-request-id')
    expect(given).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ request_id: given })
    await expect.poll(() => linesOf(given ?? '')).toHaveLength(1)
    if (id.length > 3) expect(server.logs()).not.toContain(id)
  })

  test('sent twice: replaced', async () => {
    const answer = await getRaw(server.authUrl, households, ['x-api-request-id: a', 'x-api-request-id: b'])
    expect(answer?.headers.get('x-api-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('CRLF in it is the end of the header: nothing is injected', async () => {
    const answer = await getRaw(server.authUrl, households, ['x-api-request-id: abc\r\nset-cookie: evil=1'])
    expect(answer?.headers.get('x-api-request-id')).toBe('abc')
    expect(answer?.headers.has('set-cookie')).toBe(false)
  })

  test.each(['a\rb', 'a\nb', 'a\r\n b', 'a\x00b'])('%j: the request is refused', async (id) => {
    const answer = await getRaw(server.authUrl, households, [`x-api-request-id: ${id}`])
    expect(answer?.status).toBe(400)
    expect(answer?.headers.get('x-api-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each<[string, () => Promise<RawAnswer | undefined>, number]>([
    ['a page', () => getRaw(server.authUrl, '/login'), 200],
    ['a redirect', () => getRaw(server.authUrl, '/connections'), 303],
    ['a page with an error', () => getRaw(server.authUrl, '/api/oauth2/authorize'), 400],
    ['no such page', () => getRaw(server.authUrl, '/nowhere'), 404],
    ['a style sheet', async () => getRaw(server.authUrl, await styleSheet()), 200],
    ['discovery', () => getRaw(server.authUrl, '/.well-known/openid-configuration'), 200],
    ['the JWKS', () => getRaw(server.authUrl, '/.well-known/jwks.json'), 200],
    ['a token error', () => postRaw(server.authUrl, `${base}oauth2/token`, [form], ''), 400],
    ['no such token endpoint', () => getRaw(server.authUrl, `${base}oauth2/nowhere`), 404],
    ['the API', () => getRaw(server.authUrl, households, [`authorization: Bearer ${accessToken}`]), 200],
    ['an API error', () => getRaw(server.authUrl, `${households}?page=x`), 400],
    ['no such operation', () => getRaw(server.authUrl, `${base}api/v1/nowhere`), 404],
    ['openapi.json', () => getRaw(server.authUrl, `${base}openapi.json`), 200],
    ['a malformed query', () => getRaw(server.authUrl, `${base}openapi.json?%zz`), 400],
    ['a malformed path', () => getRaw(server.authUrl, `${households}/%zz/accounts`), 400],
    ['headers too large', () => getRaw(server.authUrl, '/', [`x: ${'a'.repeat(17_000)}`]), 431],
    ['no HTTP at all', () => sendRaw(server.authUrl, 'hello\r\n\r\n'), 400],
  ])('%s carries one, and so does its log line', async (_name, ask, status) => {
    const answer = await ask()
    expect(answer?.status).toBe(status)
    const id = answer?.headers.get('x-api-request-id') ?? ''
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    await expect.poll(() => linesOf(id)).toContainEqual(expect.objectContaining({ status }))
  })

  test('a page shows it to whoever asks for help', async () => {
    const answer = await getRaw(server.authUrl, '/nowhere', ['x-api-request-id: quote-me'])
    expect(answer?.body).toContain('<code>quote-me</code>')
  })
})

async function styleSheet(): Promise<string> {
  const page = await getRaw(server.authUrl, '/login')
  return /href="(\/assets\/[^"]+)"/.exec(page?.body ?? '')?.[1] ?? ''
}

describe('34: bodies and messages that two readers would read differently', () => {
  const tokenRequest = 'grant_type=refresh_token&refresh_token=x'
  const json = JSON.stringify({ grant_type: 'refresh_token', refresh_token: 'x' })
  const post = (headers: string[], body: string | Buffer) =>
    postRaw(server.authUrl, `${base}oauth2/token`, headers, body)

  test.each([
    ['a form', 'application/x-www-form-urlencoded', tokenRequest],
    ['a form in utf-8', 'application/x-www-form-urlencoded; charset=UTF-8', tokenRequest],
    ['JSON', 'application/json', json],
    ['JSON in utf-8', 'Application/JSON;charset="utf-8"', json],
  ])('%s is read', async (_name, type, body) => {
    const answer = await post([`content-type: ${type}`], body)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ error_description: 'client_id is missing' })
  })

  test.each([
    ['application/json; charset=utf-16', json],
    ['application/json; charset=utf-16le', json],
    ['application/json; charset=iso-8859-1', json],
    ['application/json;charset="UTF-7"', json],
    ['application/x-www-form-urlencoded; charset=utf-16', tokenRequest],
    ['text/plain', json],
    ['text/plain; application/json', json],
    ['application/json\ta', json],
    ['application/json a', json],
    ['application/jsonx', json],
    ['application/problem+json', json],
    ['application/json, text/plain', json],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/xml', '<a/>'],
    ['', json],
  ])('content-type %j: 415 or 400, and says what would do', async (type, body) => {
    const answer = await post([`content-type: ${type}`], body)
    expect([400, 415]).toContain(answer?.status)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringMatching(
        /application\/x-www-form-urlencoded or application\/json, in UTF-8/,
      ),
    })
  })

  test('two content types: not the form that the first one says', async () => {
    const answer = await post([form, 'content-type: application/json'], json)
    expect(answer?.status).toBe(400)
  })

  test.each(['gzip', 'deflate', 'br', 'x-gzip', 'gzip, identity'])(
    'content-encoding %s: 415',
    async (encoding) => {
      for (const body of [gzipSync(tokenRequest), tokenRequest]) {
        expect((await post([form, `content-encoding: ${encoding}`], body))?.status).toBe(415)
      }
    },
  )

  test('a compressed bomb is not inflated: 413 or 415', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    expect((await post([form, 'content-encoding: gzip'], bomb.subarray(0, 60_000)))?.status).toBe(415)
    expect([413, 415]).toContain(
      (await post([form, 'content-encoding: gzip'], Buffer.alloc(100_000)))?.status,
    )
  })

  test.each([
    ['Latin-1', Buffer.from('client_id=\xe9', 'latin1')],
    ['half a character', Buffer.from([0x61, 0x3d, 0xc3])],
    ['a surrogate', Buffer.from([0x61, 0x3d, 0xed, 0xa0, 0x80])],
  ])('a body in %s: 400', async (_name, body) => {
    for (const type of [form, 'content-type: application/json']) {
      const answer = await post([type], body)
      expect([answer?.status, JSON.parse(answer?.body ?? '').error_description]).toEqual([
        400,
        'the body is not UTF-8',
      ])
    }
  })

  test.each([
    '',
    '{',
    'null',
    '[]',
    '"a"',
    '1',
    '{"client_id":{}}',
    '{"client_id":["a",1]}',
    '{"client_id":"\\u0000"}',
  ])('the JSON body %j: 400', async (body) => {
    const answer = await post(['content-type: application/json'], body)
    expect(answer?.status).toBe(400)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ error: 'invalid_request' })
  })

  test('JSON a hundred thousand levels deep: 400 or 413', async () => {
    for (const depth of [1000, 30_000, 100_000]) {
      const answer = await post(['content-type: application/json'], '['.repeat(depth))
      expect([400, 413]).toContain(answer?.status)
    }
  })

  test('more than 64 kB: 413', async () => {
    const answer = await post([form], `client_id=${'a'.repeat(64 * 1024)}`)
    expect(answer?.status).toBe(413)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ error: 'invalid_request' })
  })

  test('17 kB of headers, in one or in many: 431', async () => {
    const many = Array.from({ length: 340 }, (_, index) => `x-${index}: ${'a'.repeat(44)}`)
    for (const headers of [[`x: ${'a'.repeat(17_000)}`], many]) {
      const answer = await getRaw(server.authUrl, households, headers)
      expect(answer?.status).toBe(431)
      expect(JSON.parse(answer?.body ?? '')).toMatchObject({
        status: 431,
        detail: expect.stringContaining('16 kB'),
      })
    }
  })

  test.each([
    [
      'Content-Length with Transfer-Encoding',
      ['content-length: 5', 'transfer-encoding: chunked'],
      '0\r\n\r\n',
    ],
    ['the reverse order', ['transfer-encoding: chunked', 'content-length: 5'], '0\r\n\r\n'],
    ['two Content-Lengths', ['content-length: 5', 'content-length: 6'], 'a=b&c=d'],
    ['a Content-Length that is none', ['content-length: +5'], 'a=b&c'],
    ['a negative one', ['content-length: -5'], 'a=b&c'],
    ['a space before the colon', ['content-length : 5'], 'a=b&c'],
    ['an unknown coding', ['transfer-encoding: xchunked'], '0\r\n\r\n'],
    ['chunked, but not at the end', ['transfer-encoding: chunked, identity'], '0\r\n\r\n'],
    ['a chunk size that is none', ['transfer-encoding: chunked'], 'z\r\n\r\n'],
    ['a bare line feed after a chunk', ['transfer-encoding: chunked'], '1\na\n0\n\n'],
  ])('%s: 400, and what follows is no second request', async (_name, headers, body) => {
    const smuggled = `GET ${households} HTTP/1.1\r\nhost: x\r\nx-api-request-id: smuggled\r\n\r\n`
    const lines = [`POST ${base}oauth2/token HTTP/1.1`, 'host: x', form, ...headers]
    const answer = await sendRaw(server.authUrl, `${lines.join('\r\n')}\r\n\r\n${body}${smuggled}`)
    expect(answer?.status).toBe(400)
    expect(answer?.body).not.toMatch(/HTTP\/1\.1 \d/)
    expect(linesOf('smuggled')).toEqual([])
  })
})

test('35 (slow): a client that sends one byte a second is closed within 30 s, in its headers or in its body', async () => {
  const head = `POST ${base}oauth2/token HTTP/1.1\r\nhost: x\r\n${form}\r\ncontent-length: 1000\r\n\r\n`
  const closedAfter = await Promise.all([
    trickle(server.authUrl, { first: `GET ${households} HTTP/1.1\r\nhost: x\r\nx: `, rest: 'a' }),
    trickle(server.authUrl, { first: head, rest: 'a' }),
    trickle(server.authUrl, { first: '', rest: 'GET / ' }),
  ])
  for (const milliseconds of closedAfter) {
    expect(milliseconds).toBeGreaterThan(5000)
    expect(milliseconds).toBeLessThan(30_000)
  }
}, 40_000)

describe('36: names and addresses that mean something to somebody else', () => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__proto__[page]',
    'constructor.name',
  ]

  test.each(names)('%s as a parameter of the API is one that is not known', async (name) => {
    const query = new URLSearchParams([
      [name, '7'],
      [name, 'x'],
    ])
    expect((await api(server, `households?${query}`, accessToken)).body).toEqual([{ id: 'h1', name: 'One' }])
    expect(Object.hasOwn(Object.prototype, '7')).toBe(false)
  })

  test.each(names)('%s in a token request is ignored, in a form and in JSON', async (name) => {
    const credentials = { client_id: partner.clientId, client_secret: partner.clientSecret }
    const asked = { ...credentials, grant_type: 'refresh_token' }
    const inForm = await send(`${server.baseUrl}oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams([...Object.entries(asked), [name, 'x']]),
    })
    const text = JSON.stringify(asked).replace('{', `{${JSON.stringify(name)}:"x",`)
    const inJson = await send(`${server.baseUrl}oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    for (const { status, body } of [inForm, inJson]) {
      expect(status).toBe(400)
      expect(body).toMatchObject({ error: 'invalid_request', error_description: 'refresh_token is missing' })
    }
  })

  test('parameters of the prototype are not parameters: credentials do not come out of __proto__', async () => {
    const { status, body } = await send(`${server.baseUrl}oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"__proto__":{"client_id":"a","client_secret":"b"}}`,
    })
    expect([status, body.error]).toEqual([400, 'invalid_request'])
    expect('client_id' in {}).toBe(false)
  })

  test.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])(
    '%s is ignored',
    async (name) => {
      const authorization = `authorization: Bearer ${accessToken}`
      expect((await getRaw(server.authUrl, households, [authorization, `${name}: POST`]))?.status).toBe(200)
      const post = await postRaw(
        server.authUrl,
        `${households}?_method=GET`,
        [authorization, form, `${name}: GET`],
        '_method=GET',
      )
      expect(post?.status).toBe(404)
    },
  )

  test.each([
    `${base}api/v1/households%2f..%2fhouseholds`,
    `${base}api%2fv1%2fhouseholds`,
    `${base}api/v1/../v1/households`,
    `${base}api/v1/./households`,
    `${base}/api/v1/households`,
    `${base}api//v1/households`,
    `${base}api/v1/households/`,
    `${base}api/v1/households//`,
    `${base}api/v1/households/h1`,
    `${base}api/v1/households/h1/../h1/accounts`,
    `${base}api/v1/households/%2e%2e/households`,
    `${base}api/v1/HOUSEHOLDS`,
    `${base}api/v1/households;x=1`,
    `${base}api/v1\\households`,
    `${base.toUpperCase()}api/v1/households`,
    '//',
    '//evil.example/service-open-api/api/v1/households',
    '/%2f..%2f..%2fetc/passwd',
    '/../../etc/passwd',
    '/assets/../../package.json',
    '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    '/.env',
    '/%00',
  ])('%s: 404', async (path) => {
    const answer = await getRaw(server.authUrl, path, [`authorization: Bearer ${accessToken}`])
    expect(answer?.status).toBe(404)
  })

  test('the server is still there after all of it', async () => {
    expect((await api(server, 'households', accessToken)).status).toBe(200)
  })
})

describe('37: headers', () => {
  const always = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  }

  test('tokens, and errors of the token endpoint, are never cached', async () => {
    const { refresh_token: refreshToken } = await newTokens(server, partner, 'ada')
    const good = await token(server, partner, { grant_type: 'refresh_token', refresh_token: refreshToken })
    const bad = await token(server, partner, { grant_type: 'password' })
    const unreadable = await send(`${server.baseUrl}oauth2/token?%zz`, { method: 'POST' })
    const nowhere = await send(`${server.baseUrl}oauth2/nowhere`, {})
    expect([good, bad, unreadable, nowhere].map(({ status }) => status)).toEqual([200, 400, 400, 404])
    for (const { headers } of [good, bad, unreadable, nowhere]) {
      expect(Object.fromEntries(headers)).toMatchObject({
        ...always,
        'cache-control': 'no-store',
        pragma: 'no-cache',
        'content-type': 'application/json; charset=utf-8',
      })
    }
  })

  test('answers of the API are never kept by a cache, neither are its errors', async () => {
    for (const path of [
      'households',
      'households/h1/accounts',
      'households/x/accounts',
      'households?page=x',
      'households?%zz',
    ]) {
      for (const bearer of [accessToken, undefined]) {
        const { headers } = await api(server, path, bearer)
        expect(Object.fromEntries(headers)).toMatchObject(always)
        expect(headers.get('cache-control')).toMatch(/\bno-store\b/)
      }
    }
  })

  test('HSTS on https and only there; nothing says what the server is made of', async () => {
    const https = await testServer({ authUrl: 'https://auth.example' })
    try {
      const secure = await fetch(`${https.baseUrl}api/v1/households`)
      const seconds = /^max-age=(\d+); includeSubDomains$/.exec(
        secure.headers.get('strict-transport-security') ?? '',
      )?.[1]
      expect(Number(seconds)).toBeGreaterThanOrEqual(31_536_000)
    } finally {
      await https.close()
    }
    const { headers } = await api(server, 'households', accessToken)
    for (const name of [
      'strict-transport-security',
      'server',
      'x-powered-by',
      'via',
      'access-control-allow-origin',
    ]) {
      expect(headers.get(name)).toBeNull()
    }
  })
})

describe('addresses that do not exist answer in the language of their edge', () => {
  test.each(['/', '/nowhere', '/api/oauth2/nowhere', '/login/x', '/.well-known/nowhere'])(
    '%s: a page',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await getRaw(server.authUrl, path, ['content-length: 0'], method)
        expect(answer?.status).toBe(404)
        expect(answer?.headers.get('content-type')).toBe('text/html; charset=utf-8')
        expect(answer?.headers.get('content-security-policy')).toContain("default-src 'none'")
        expect(answer?.body).toContain('There is no such page')
      }
    },
  )

  test.each([`${base}nowhere`, base, `${base}api/v1/nowhere`, `${base}api/v2/households`, '/api/v1/nowhere'])(
    '%s: problem+json',
    async (path) => {
      const answer = await getRaw(server.authUrl, path)
      expect(answer?.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
      expect(JSON.parse(answer?.body ?? '')).toMatchObject({
        status: 404,
        code: 'not_found',
        detail: 'there is no GET at this address',
      })
    },
  )

  test('under oauth2/, and GET where it is POST: JSON of RFC 6749', async () => {
    for (const path of [`${base}oauth2/nowhere`, `${base}oauth2/token`, `${base}oauth2`]) {
      const answer = await getRaw(server.authUrl, path)
      expect(answer?.status).toBe(404)
      expect(JSON.parse(answer?.body ?? '')).toEqual({
        error: 'invalid_request',
        error_description: 'there is no GET here; token requests are POST',
        request_id: answer?.headers.get('x-api-request-id'),
      })
    }
  })
})

describe('methods', () => {
  const authorization = () => [`authorization: Bearer ${accessToken}`]

  test('HEAD is GET without the body', async () => {
    for (const path of [
      households,
      `${households}/h1/accounts`,
      `${households}/x/accounts`,
      `${households}?page=x`,
    ]) {
      const get = await getRaw(server.authUrl, path, authorization())
      const head = await getRaw(server.authUrl, path, authorization(), 'HEAD')
      expect(head?.status).toBe(get?.status)
      expect(head?.body).toBe('')
      for (const name of ['content-length', 'content-type', 'cache-control', 'link']) {
        if (!get?.body.includes('request_id')) expect(head?.headers.get(name)).toBe(get?.headers.get(name))
      }
    }
    expect((await getRaw(server.authUrl, households, [], 'HEAD'))?.status).toBe(401)
  })

  test('OPTIONS invites no other origin', async () => {
    const preflight = ['origin: https://evil.example', 'access-control-request-method: GET']
    const paths = [households, `${base}oauth2/token`, '/login', '*']
    for (const path of paths) {
      const answer = await getRaw(server.authUrl, path, preflight, 'OPTIONS')
      expect(answer?.status).toBe(404)
      expect(
        [...(answer?.headers.keys() ?? [])].filter((name) => name.startsWith('access-control-')),
      ).toEqual([])
    }
  })

  test('TRACE gives nothing back of what was sent', async () => {
    const answer = await getRaw(server.authUrl, households, [...authorization(), 'cookie: a=b'], 'TRACE')
    expect(answer?.status).toBe(404)
    expect(answer?.body).not.toContain(accessToken)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])('%s of the listing: 404', async (method) => {
    const answer = await getRaw(server.authUrl, households, [...authorization(), 'content-length: 0'], method)
    expect(answer?.status).toBe(404)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ detail: `there is no ${method} at this address` })
  })

  test('CONNECT and an upgrade open no tunnel', async () => {
    expect(await getRaw(server.authUrl, 'example.com:443', [], 'CONNECT')).toBeUndefined()
    const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13']
    expect((await getRaw(server.authUrl, households, upgrade))?.status).toBe(401)
  })
})
