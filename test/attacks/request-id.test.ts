import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { logLines } from '../support/logs.ts'
import { getRaw, postRaw, type RawAnswer, sendRaw } from '../support/raw-socket.ts'

const base = '/service-open-api/'
const households = '/service-open-api/api/v1/households'
const form = 'content-type: application/x-www-form-urlencoded'

const server = await serverFixture({ users: ['ada'], households: [{ id: 'h1', name: 'One' }] })
const accessToken = await accessTokenOf(server.database, 'ada')

describe('33: the request id', () => {
  test.each(['a', 'x'.repeat(128), 'b3f1c9a0-1f5e-4d0e-9c9a-7f7c2f6d9e10', 'A.b_c~d:e+f/g=h-i'])(
    '%s: returned in the response, the error and the log',
    async (id) => {
      const { headers, body, status } = await api(server, 'households', undefined, { 'x-api-request-id': id })
      expect(status).toBe(401)
      expect(headers.get('x-api-request-id')).toBe(id)
      expect(body).toMatchObject({ request_id: id })
      await expect
        .poll(() => logLines(server, id))
        .toEqual([
          expect.objectContaining({ event: 'bearer', outcome: 'missing' }),
          expect.objectContaining({ route: `${base}api/v1/households`, status: 401, method: 'GET' }),
        ])
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
  ])('%s: replaced by a generated one', async (_name, id) => {
    const answer = await getRaw(server.authUrl, households, [`x-api-request-id: ${id}`])
    const given = answer?.headers.get('x-api-request-id')
    expect(given).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ request_id: given })
    await expect.poll(() => logLines(server, given ?? '')).toHaveLength(2)
    if (id.length > 3) expect(server.logs()).not.toContain(id)
  })

  test('sent twice: replaced', async () => {
    const answer = await getRaw(server.authUrl, households, ['x-api-request-id: a', 'x-api-request-id: b'])
    expect(answer?.headers.get('x-api-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('CRLF ends the header: nothing is injected', async () => {
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
  ])('%s contains one, and so does its log line', async (_name, ask, status) => {
    const answer = await ask()
    expect(answer?.status).toBe(status)
    const id = answer?.headers.get('x-api-request-id') ?? ''
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    await expect.poll(() => logLines(server, id)).toContainEqual(expect.objectContaining({ status }))
  })

  test('an error page shows it, so that users can quote it to support', async () => {
    const answer = await getRaw(server.authUrl, '/nowhere', ['x-api-request-id: quote-me'])
    expect(answer?.body).toContain('<code>quote-me</code>')
  })
})

async function styleSheet(): Promise<string> {
  const page = await getRaw(server.authUrl, '/login')
  return /href="(\/assets\/[^"]+)"/.exec(page?.body ?? '')?.[1] ?? ''
}
