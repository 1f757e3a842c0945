import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, send, token } from '../support/journey.ts'
import { getRaw, postRaw } from '../support/raw-socket.ts'
import { testServer } from '../support/server.ts'

const base = '/service-open-api/'
const households = '/service-open-api/api/v1/households'
const form = 'content-type: application/x-www-form-urlencoded'

const server = await serverFixture({ users: ['ada'], households: [{ id: 'h1', name: 'One' }] })
const partner = await server.partner()
const accessToken = await accessTokenOf(server.database, 'ada')

describe('36: names and addresses with a meaning in JavaScript, proxies or other programs', () => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__proto__[page]',
    'constructor.name',
  ]

  test.each(names)('%s as a parameter of the API is an unknown parameter and is ignored', async (name) => {
    const query = new URLSearchParams([
      [name, '7'],
      [name, 'x'],
    ])
    expect((await api(server, `households?${query}`, accessToken)).body).toEqual([{ id: 'h1', name: 'One' }])
    expect(Object.hasOwn(Object.prototype, '7')).toBe(false)
  })

  test.each(names)('%s in a token request is ignored, in a form and in JSON', async (name) => {
    const credentials = { client_id: partner.clientId, client_secret: partner.clientSecret }
    const parameters = { ...credentials, grant_type: 'refresh_token' }
    const inForm = await send(`${server.baseUrl}oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams([...Object.entries(parameters), [name, 'x']]),
    })
    const text = JSON.stringify(parameters).replace('{', `{${JSON.stringify(name)}:"x",`)
    const inJson = await send(`${server.baseUrl}oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    for (const { status, body } of [inForm, inJson]) {
      expect(status).toBe(400)
      expect(body).toMatchObject({ error: 'invalid_request', error_description: 'refresh_token is missing.' })
    }
  })

  test('inherited properties are not parameters: credentials are not read from __proto__', async () => {
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
      expect(post?.status).toBe(405)
    },
  )

  test.each([
    `${base}api/v1/households%2f..%2fhouseholds`,
    `${base}api%2fv1%2fhouseholds`,
    `${base}api/v1/../v1/households`,
    `${base}api/v1/./households`,
    `${base}//api/v1/households`,
    `/${base}api/v1/households`,
    `${base}%2fapi/v1/households`,
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

  test('the server still responds after all these requests', async () => {
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
    const { refreshToken } = await tokensFor(server, partner, 'ada')
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

  test('a cache must revalidate responses of the API before it reuses them, and must not store errors', async () => {
    for (const path of [
      'households',
      'households/h1/accounts',
      'households/x/accounts',
      'households?page=x',
      'households?%zz',
    ]) {
      for (const bearer of [accessToken, undefined]) {
        const { status, headers } = await api(server, path, bearer)
        expect(Object.fromEntries(headers)).toMatchObject(always)
        expect(headers.get('cache-control')).toBe(status === 200 ? 'private, no-cache' : 'no-store')
      }
    }
  })

  test('HSTS only on https; no header names the server software', async () => {
    const https = await testServer({ authUrl: 'https://auth.example' })
    try {
      const secure = await fetch(`${https.baseUrl}api/v1/households`)
      const seconds = /^max-age=(\d+)$/.exec(secure.headers.get('strict-transport-security') ?? '')?.[1]
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

describe('unknown addresses return the error format of their part of the server', () => {
  test.each(['/nowhere', '/api/oauth2/nowhere', '/login/x', '/.well-known/nowhere'])(
    '%s: a page',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await getRaw(server.authUrl, path, ['content-length: 0'], method)
        expect(answer?.status).toBe(404)
        expect(answer?.headers.get('content-type')).toBe('text/html; charset=utf-8')
        expect(answer?.headers.get('content-security-policy')).toContain("default-src 'none'")
        expect(answer?.body).toContain('Page not found')
      }
    },
  )

  test.each([`${base}nowhere`, base, `${base}api/v1/nowhere`, `${base}api/v3/households`, '/api/v1/nowhere'])(
    '%s: problem+json',
    async (path) => {
      const answer = await getRaw(server.authUrl, path)
      expect(answer?.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
      expect(JSON.parse(answer?.body ?? '')).toMatchObject({
        status: 404,
        code: 'not_found',
        detail: expect.stringMatching(/^There is nothing at this address\./),
      })
    },
  )

  test('under oauth2/: JSON of RFC 6749', async () => {
    for (const path of [`${base}oauth2/nowhere`, `${base}oauth2`]) {
      const answer = await getRaw(server.authUrl, path)
      expect(answer?.status).toBe(404)
      expect(JSON.parse(answer?.body ?? '')).toEqual({
        error: 'invalid_request',
        error_description: 'There is nothing at this address.',
        error_uri: `${server.baseUrl}docs/errors/invalid_request#no-such-address`,
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

  test('OPTIONS allows no other origin', async () => {
    const preflight = ['origin: https://evil.example', 'access-control-request-method: GET']
    const statuses = { [households]: 405, [`${base}oauth2/token`]: 405, '/login': 404, '*': 404 }
    for (const [path, status] of Object.entries(statuses)) {
      const answer = await getRaw(server.authUrl, path, preflight, 'OPTIONS')
      expect(answer?.status).toBe(status)
      expect(
        [...(answer?.headers.keys() ?? [])].filter((name) => name.startsWith('access-control-')),
      ).toEqual([])
    }
  })

  test('TRACE returns nothing of the request', async () => {
    const answer = await getRaw(server.authUrl, households, [...authorization(), 'cookie: a=b'], 'TRACE')
    expect(answer?.status).toBe(405)
    expect(answer?.body).not.toContain(accessToken)
  })

  test.each([
    ['POST', 405, 'This address takes GET, HEAD, not POST.'],
    ['PUT', 405, 'This address takes GET, HEAD, not PUT.'],
    ['PATCH', 405, 'This address takes GET, HEAD, not PATCH.'],
    ['DELETE', 405, 'This address takes GET, HEAD, not DELETE.'],
    ['PROPFIND', 404, 'There is nothing at this address.'],
  ])('%s of the listing: %i', async (method, status, detail) => {
    const answer = await getRaw(server.authUrl, households, [...authorization(), 'content-length: 0'], method)
    expect(answer?.status).toBe(status)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ detail })
  })

  test('CONNECT and an upgrade open no tunnel', async () => {
    expect(await getRaw(server.authUrl, 'example.com:443', [], 'CONNECT')).toBeUndefined()
    const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13']
    expect((await getRaw(server.authUrl, households, upgrade))?.status).toBe(401)
  })
})

test('an incomplete address of the server’s own: an error page that names no field', async () => {
  for (const path of ['/connect', '/connect?request=a&request=b']) {
    const answer = await getRaw(server.authUrl, path)
    expect(answer?.status).toBe(400)
    expect(answer?.body).toContain('This link does not work')
  }
})
