import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { serverFixture } from '../support/fixtures.ts'
import { logLines } from '../support/logs.ts'
import { getRaw, postRaw, sendRaw, trickle } from '../support/raw-socket.ts'

const base = '/service-open-api/'
const households = '/service-open-api/api/v1/households'
const form = 'content-type: application/x-www-form-urlencoded'

const server = await serverFixture()

describe('34: bodies and messages that two programs could parse differently', () => {
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
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ error_description: 'client_id is missing.' })
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
  ])('content-type %j: 415 or 400, and the error names the accepted types', async (type, body) => {
    const answer = await post([`content-type: ${type}`], body)
    expect([400, 415]).toContain(answer?.status)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringMatching(
        /application\/x-www-form-urlencoded or application\/json, in UTF-8/,
      ),
    })
  })

  test('two content types: not read as the form that the first one names', async () => {
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

  test('a compression bomb is not decompressed: 413 or 415', async () => {
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
        'The body is not UTF-8.',
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
    ['an invalid Content-Length', ['content-length: +5'], 'a=b&c'],
    ['a negative one', ['content-length: -5'], 'a=b&c'],
    ['a space before the colon', ['content-length : 5'], 'a=b&c'],
    ['an unknown coding', ['transfer-encoding: xchunked'], '0\r\n\r\n'],
    ['chunked, but not at the end', ['transfer-encoding: chunked, identity'], '0\r\n\r\n'],
    ['an invalid chunk size', ['transfer-encoding: chunked'], 'z\r\n\r\n'],
    ['a bare line feed after a chunk', ['transfer-encoding: chunked'], '1\na\n0\n\n'],
  ])('%s: 400, and the rest is not read as a second request', async (_name, headers, body) => {
    const smuggled = `GET ${households} HTTP/1.1\r\nhost: x\r\nx-api-request-id: smuggled\r\n\r\n`
    const lines = [`POST ${base}oauth2/token HTTP/1.1`, 'host: x', form, ...headers]
    const answer = await sendRaw(server.authUrl, `${lines.join('\r\n')}\r\n\r\n${body}${smuggled}`)
    expect(answer?.status).toBe(400)
    expect(answer?.body).not.toMatch(/HTTP\/1\.1 \d/)
    expect(logLines(server, 'smuggled')).toEqual([])
  })
})

describe('49: requests that two programs could parse differently', () => {
  test('two Host headers: 400, on the API, on pages and at unknown addresses', async () => {
    for (const path of [households, '/login', `${base}oauth2/token`, '/nothing']) {
      for (const host of ['localhost', 'evil.example']) {
        const answer = await getRaw(server.authUrl, path, [`Host: ${host}`])
        expect([path, answer?.status]).toEqual([path, 400])
      }
    }
    const answer = await getRaw(server.authUrl, households, ['host: evil.example'])
    expect(JSON.parse(answer?.body ?? '').detail).toBe('The Host header was sent more than once.')
  })

  test.each(['', ' HTTP/0.9', ' HTTP/2.0', ' HTTP/1.2', ' HTTP/3.0'])(
    '"GET /login%s": 400',
    async (version) => {
      for (const headers of ['', 'host: localhost\r\n']) {
        const answer = await sendRaw(
          server.authUrl,
          `GET /login${version}\r\n${headers}connection: close\r\n\r\n`,
        )
        expect(answer?.status).toBe(400)
      }
    },
  )

  test('HTTP/1.0 works, with and without Host', async () => {
    for (const headers of ['', 'host: localhost\r\n']) {
      expect((await sendRaw(server.authUrl, `GET /login HTTP/1.0\r\n${headers}\r\n`))?.status).toBe(200)
    }
  })

  const json = (body: string) =>
    postRaw(server.authUrl, `${base}oauth2/token`, ['content-type: application/json'], body)

  test.each([
    '{"client_id":"a","client_id":"a"}',
    '{"client_id":"a", "grant_type":"refresh_token", "client_id" : "b"}',
    '{"client_id":"a","clien\\u0074_id":"b"}',
    '{"__proto__":"a","__proto__":"b"}',
    '{"x":{"a":"1","a":"2"},"client_id":"a"}',
    '{"x":[{},{"a":{}, "a":"}"}]}',
  ])('a JSON body with a duplicate name, %s: invalid_request', async (body) => {
    const answer = await json(body)
    expect(answer?.status).toBe(400)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({
      error: 'invalid_request',
      error_description: 'A name in the JSON body was sent more than once.',
    })
  })

  test.each([
    '{"grant_type":"client_id","x":"client_id"}',
    '{"x":"{\\"a\\":1,\\"a\\":2}"}',
    '{"x":"a\\\\","y":"\\"x\\":"}',
  ])('a name that appears only inside a value, %s: accepted', async (body) => {
    const answer = await json(body)
    expect(JSON.parse(answer?.body ?? '').error_description).toBe('client_id is missing.')
  })
})

test('35 (slow): a client that sends one byte a second is disconnected within 30 s, in its headers or in its body', async () => {
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

// Reading it in quadratic time took most of a minute, which exceeds the test timeout.
test('a small body that repeats one name many times is parsed quickly and does not block the server', async () => {
  const body = 'a&'.repeat(32_000)
  const response = await fetch(`${server.baseUrl}oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  })
  expect(response.status).toBe(400)
  expect((await response.json()).error_description).toContain('more than once')
}, 30_000)
