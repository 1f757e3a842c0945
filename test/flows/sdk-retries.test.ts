import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { type Client, createLatchkey, type Latchkey, memoryStore } from '../../sdk/src/index.ts'
import { failureOf } from '../support/sdk.ts'
import { digestOf } from '../support/walks.ts'

type Answer = (response: ServerResponse) => void

/** A server that gives the next of `answers` to each request, and keeps what it received. */
const received: { method: string; path: string; id: string; body: string; at: number }[] = []
let answers: Answer[] = []
const fake = createServer(async (request: IncomingMessage, response) => {
  const at = performance.now()
  let body = ''
  for await (const chunk of request) body += chunk
  const { method = '', url: path = '', headers } = request
  received.push({ method, path, id: String(headers['x-api-request-id']), body, at })
  const answer = answers.shift()
  if (answer) answer(response)
  else response.writeHead(500).end()
}).listen(0, '127.0.0.1')
await once(fake, 'listening')
const address = fake.address()
const origin = typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : ''

const store = memoryStore()
let latchkey: Latchkey
let client: Client

beforeEach(async () => {
  received.length = 0
  latchkey = createLatchkey({
    authUrl: origin,
    baseUrl: `${origin}/api-base/`,
    clientId: 'c',
    clientSecret: 's',
    redirectUri: 'https://partner.example/callback',
    store,
  })
  client = latchkey.client('ada')
  await store.set('ada', { accessToken: 'at', refreshToken: 'rt', expiresAt: Date.now() + 3_600_000 })
})
afterEach(() => expect(answers).toEqual([]))
afterAll(() => fake.close())

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify(body))
const limited = (retryAfter: string) =>
  json({ code: 'too_many_requests', detail: 'Slow down.' }, 429, { 'retry-after': retryAfter })
const dropped: Answer = (response) => response.destroy()
const cutOff: Answer = (response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{', () => response.destroy())
}
const household = json({ id: 'h1' })

test('a limited call is sent again when Retry-After has passed, with the same request id', async () => {
  answers = [limited('1'), json({}, 503, { 'retry-after': '0' }), household]
  expect(await client.household('h1')).toEqual({ id: 'h1' })
  const [first, second, third] = received
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(990)
  expect([second?.id, third?.id]).toEqual([first?.id, first?.id])
})

test('Retry-After may be a date', async () => {
  answers = [limited(new Date().toUTCString()), household]
  expect(await client.household('h1')).toEqual({ id: 'h1' })
})

test('a call fails at once if the server asks for a wait of more than a minute', async () => {
  answers = [limited('61')]
  expect(await failureOf(client.household('h1'))).toMatchObject({
    code: 'too_many_requests',
    retryAfter: 61,
    status: 429,
  })
})

test('a call fails after four attempts', async () => {
  answers = Array.from({ length: 4 }, () => limited('0'))
  expect(await failureOf(client.household('h1'))).toMatchObject({
    code: 'too_many_requests',
    detail: 'Slow down.',
  })
})

test('a read whose response is lost or cut off is sent again', async () => {
  answers = [dropped, cutOff, household]
  expect(await client.household('h1')).toEqual({ id: 'h1' })
})

test('a refresh whose response is lost is sent again with the same refresh token', async () => {
  await store.set('ada', { accessToken: 'old', refreshToken: 'rt', expiresAt: Date.now() })
  answers = [dropped, json({ access_token: 'at2', refresh_token: 'rt2', expires_in: 3600 }), household]
  expect(await client.household('h1')).toEqual({ id: 'h1' })
  expect(received.map(({ body }) => new URLSearchParams(body).get('refresh_token'))).toEqual([
    'rt',
    'rt',
    null,
  ])
  expect(await store.get('ada')).toMatchObject({ accessToken: 'at2', refreshToken: 'rt2' })
})

test('an exchange of a code is sent again after 429, but not if its response is lost: the code would count as replayed', async () => {
  const { attempt } = latchkey.startConnecting()
  const request = `/callback?code=x&iss=${origin}&state=${attempt.split('.')[0]}`
  answers = [limited('0'), dropped]
  const error = await failureOf(latchkey.handleCallback({ request, attempt, key: 'new' }))
  expect(error).toMatchObject({ code: 'network_error', requestId: received[1]?.id })
})

test('a redirect is not followed', async () => {
  answers = [json({}, 307, { location: `${origin}/elsewhere` })]
  expect(await failureOf(client.household('h1'))).toMatchObject({ code: 'invalid_response', status: 307 })
})

test('the link to the next page is only a number: the access token stays at this server', async () => {
  answers = [json([{ id: 'h1' }], 200, { link: '<https://evil.example/?page=1>; rel="next"' })]
  expect(await client.householdsPage()).toMatchObject({ next: 1, previous: undefined })
  answers = [json([]), json([])]
  await client.householdsPage({ page: 1 })
  await client.accountsPage('a/../b')
  expect(received.map(({ path }) => path)).toEqual([
    '/api-base/api/v1/households?page=0&page_size=100',
    '/api-base/api/v1/households?page=1&page_size=100',
    '/api-base/api/v1/households/a%2F..%2Fb/accounts?page=0&page_size=100',
  ])
})

const right = { count: 1, sha256: digestOf(['h1']), as_of: '2026-11-21T09:30:00.123456Z' }
test.each([
  ['count', { count: 2 }],
  ['sha256', { sha256: digestOf(['h2']) }],
  ['removed', { removed: 1 }],
])('a sync whose summary has another %s than what arrived fails', async (_, wrong) => {
  answers = [json({ data: [{ id: 'h1' }], next_cursor: null, receipt: { ...right, ...wrong } })]
  expect(await failureOf(client.syncHouseholds())).toMatchObject({ code: 'summary_mismatch' })
})

test('what a sync sends twice counts as the later page says', async () => {
  const receipt = { ...right, count: 2, removed: 2, sha256: digestOf(['h1', 'h2']) }
  answers = [
    json({
      data: [{ id: 'h1' }],
      removed: ['h2'],
      removed_reasons: { h2: 'access_ended' },
      next_cursor: 'c',
    }),
    json({
      data: [{ id: 'h2' }],
      removed: ['h1'],
      removed_reasons: { h1: 'household_deleted' },
      next_cursor: null,
      receipt,
    }),
  ]
  expect(await client.syncHouseholds({ since: 'x' })).toEqual({
    full: false,
    changed: [{ id: 'h2' }],
    removed: ['h1'],
    removedReasons: new Map([['h1', 'household_deleted']]),
    asOf: right.as_of,
  })
})

test.each([
  ['no JSON', (response: ServerResponse) => response.end('<html>')],
  ['entries without an id', json({ data: [{}], next_cursor: 'x' })],
  ['a removal whose reason is no text', json({ data: [], removed_reasons: { h1: 1 }, next_cursor: 'x' })],
  ['a last page without a summary', json({ data: [], next_cursor: null })],
] as [string, Answer][])('a response with %s is an invalid_response', async (_, answer) => {
  answers = [answer]
  expect(await failureOf(client.syncHouseholds())).toMatchObject({ code: 'invalid_response', status: 200 })
})
