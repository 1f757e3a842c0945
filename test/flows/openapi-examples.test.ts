import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { writeDemoData } from '../../src/demo/data/write-demo-data.ts'
import { exampleClient, exampleTokens } from '../../src/http/openapi/examples.ts'
import { importDirectory } from '../../src/import/import-directory.ts'
import { bearerOf } from '../support/bearer.ts'
import { codeFor, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { taken } from '../support/import.ts'
import { getRaw } from '../support/raw-socket.ts'

// Sends every example request of openapi.json to a server with the demo data, and provokes every example response.

const database = await databaseFixture()
const directory = mkdtempSync(join(tmpdir(), 'latchkey-examples-'))
afterAll(() => rmSync(directory, { recursive: true }))
await writeDemoData(directory)
expect(await importDirectory(database.database, systemOrigin, directory)).toMatchObject({ kind: 'imported' })
const server = await serverFixture({ on: database })
const partner = await server.partner()
const { accessToken } = await tokensFor(server, partner, 'ada')
/** Of another connection, which the examples revoke. */
const other = await tokensFor(server, partner, 'ada')

type Examples = Record<string, { value: unknown }>
type Content = Record<string, { examples?: Examples }>
type Parameter = { $ref?: string; name: string; in: string; example?: unknown }
type Operation = {
  operationId: string
  parameters: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { $ref?: string; content?: Content }>
}
type Description = {
  paths: Record<string, Record<string, Operation>>
  components: {
    responses: Record<string, { content?: Content }>
    parameters: Record<string, Parameter>
  }
}

const base = server.baseUrl.slice(0, -1)
const description: Description = await (await fetch(`${base}/openapi.json`)).json()
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
)
const examplesIn = (of: string, content: Content = {}): [string, unknown][] =>
  Object.values(content).flatMap(({ examples = {} }) =>
    Object.entries(examples).map(([name, { value }]): [string, unknown] => [`${of} ${name}`, value]),
  )
/** The example responses that no test has received yet. */
const pending = new Map([
  ...operations.flatMap(({ operation: { operationId, responses } }) =>
    Object.entries(responses).flatMap(([status, { content }]) =>
      examplesIn(`${operationId} ${status}`, content),
    ),
  ),
  ...Object.entries(description.components.responses).flatMap(([name, { content }]) =>
    examplesIn(name, content),
  ),
])

/** The example must be the response, except for values that a server generates. */
function expectExample(name: string, response: unknown): void {
  if (!pending.has(name)) throw new Error(`there is no example ${name}`)
  expect([name, masked(response)]).toEqual([name, masked(pending.get(name))])
  pending.delete(name)
}

const generated = /^(next_cursor|as_of|access_token|refresh_token|client_id|sub|exp|iat|auth_time)$/

function masked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner) =>
    generated.test(key) && inner !== null ? typeof inner : inner,
  )
}

const requestId = String(description.components.parameters['X-API-Request-ID']?.example)
const user = { authorization: `Bearer ${accessToken}` }

async function send(path: string, init: RequestInit = {}) {
  const headers = { 'x-api-request-id': requestId, ...init.headers }
  const response = await fetch(base + path, { ...init, headers })
  return { status: response.status, body: await response.json() }
}

/** The address of an operation with all its example parameters. */
function addressOf(path: string, { parameters }: Operation): string {
  const of = (place: string) =>
    parameters.flatMap(({ in: where, name, example }): [string, string][] =>
      where === place && example !== undefined ? [[name, String(example)]] : [],
    )
  const filled = of('path').reduce((text, [name, value]) => text.replace(`{${name}}`, value), path)
  return `${filled}?${new URLSearchParams(of('query'))}`
}

test.each(
  operations.filter(({ method, operation }) => method === 'get' || operation.operationId === 'postUserInfo'),
)('$operation.operationId with its example parameters', async ({ method, path, operation }) => {
  const { status, body } = await send(addressOf(path, operation), {
    method: method.toUpperCase(),
    headers: user,
  })
  const { operationId, responses } = operation
  const [first] = examplesIn(`${operationId} 200`, responses['200']?.content)
  expect(status).toBe(200)
  expectExample(first?.[0] ?? '', body)
})

test('the end of a sync, and what has changed since', async () => {
  const last = await send('/api/v2/households?name_contains=calloway family trust', { headers: user })
  expectExample('syncHouseholds 200 last_page', last.body)
  const { receipt } = (await send('/api/v2/households?limit=1000', { headers: user })).body
  await taken(database.database, {
    'households.csv':
      'id,firm_id,name\nhh-0003,northbridge,Long Meadow Estate\nhh-0005,kessler,Moved to another firm\n',
  })
  const changes = await send(`/api/v2/households?updated_since=${receipt.as_of}`, { headers: user })
  expectExample('syncHouseholds 200 changes', changes.body)
})

/** The example body with values that are valid on this server, as a form and as JSON. */
async function exampleBodies(operation: Operation, name: string): Promise<RequestInit[]> {
  const code = JSON.stringify(operation.requestBody).includes(exampleTokens.code)
    ? await codeFor(server, partner, 'ada')
    : ''
  const live: Record<string, string> = {
    [exampleClient.client_id]: partner.clientId,
    [exampleClient.client_secret]: partner.clientSecret,
    [exampleTokens.access]: other.accessToken,
    [exampleTokens.refresh]: other.refreshToken,
    [exampleTokens.code]: code,
  }
  return Object.entries(operation.requestBody?.content ?? {}).map(([mediaType, { examples }]) => {
    const example: Record<string, string> = JSON.parse(JSON.stringify(examples?.[name]?.value))
    const fields = Object.fromEntries(
      Object.entries(example).map(([field, value]) => [field, live[value] ?? value]),
    )
    const body = mediaType.endsWith('json') ? JSON.stringify(fields) : `${new URLSearchParams(fields)}`
    return { method: 'POST', headers: { 'content-type': mediaType }, body }
  })
}

function operationOf(id: string): { path: string; operation: Operation } {
  const found = operations.find(({ operation }) => operation.operationId === id)
  if (!found) throw new Error(`there is no operation ${id}`)
  return found
}

test.each([
  ['requestToken', 'refresh_token', 'requestToken 200 tokens'],
  ['requestToken', 'authorization_code', undefined],
  ['introspectToken', 'access_token', 'introspectToken 200 active'],
  ['revokeToken', 'refresh_token', 'revokeToken 200 revoked'],
  ['introspectToken', 'access_token', 'introspectToken 200 inactive'],
])('%s with the example body %s', async (id, name, response) => {
  const { path, operation } = operationOf(id)
  const [form, json] = await exampleBodies(operation, name)
  const answer = await send(path, form)
  expect(answer.status).toBe(200)
  if (response) expectExample(response, answer.body)
  if (name !== 'authorization_code') expect((await send(path, json)).status).toBe(200)
})

const post = (path: string, init: RequestInit) => send(path, { method: 'POST', ...init })
const form = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields) })
const credentials = { client_id: partner.clientId, client_secret: partner.clientSecret }
const failing = (scenario: string) => ({ headers: { ...user, 'latchkey-sandbox': scenario } })
const text = { headers: { 'content-type': 'text/plain' }, body: 'text' }
const tooLarge = { headers: { 'content-type': 'application/json' }, body: 'x'.repeat(65 * 1024) }
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

test.each([
  ['BadRequest invalid_parameter', () => send('/api/v1/households?page_size=5000', { headers: user })],
  ['BadRequest bad_request', () => send('/api/v1/households?name_pattern=%ff', { headers: user })],
  ['Unauthorized unauthorized', () => send('/api/v2/households')],
  ['HouseholdNotFound not_found', () => send('/api/v2/households/hh-0002', { headers: user })],
  [
    'HouseholdsSyncExpired sync_expired',
    () => send(`/api/v2/households?updated_since=${daysAgo(91)}`, { headers: user }),
  ],
  [
    'AccountsSyncExpired sync_expired',
    () => send(`/api/v2/accounts?updated_since=${daysAgo(91)}`, { headers: user }),
  ],
  ['InternalError internal_error', () => send('/api/v2/households', failing('internal_error'))],
  ['Unavailable unavailable', () => send('/api/v2/households', failing('unavailable'))],
  ['UnsupportedMediaType bad_request', () => post('/oauth2/userinfo', text)],
  ['ContentTooLarge bad_request', () => post('/oauth2/userinfo', tooLarge)],
  ['TokenUnsupportedMediaType invalid_request', () => post('/oauth2/token', text)],
  ['TokenContentTooLarge invalid_request', () => post('/oauth2/token', tooLarge)],
  ['TokenBadRequest invalid_request', () => post('/oauth2/token', form(credentials))],
  [
    'TokenBadRequest invalid_grant',
    () =>
      post(
        '/oauth2/token',
        form({ ...credentials, grant_type: 'authorization_code', code: exampleTokens.code }),
      ),
  ],
  ['TokenUnauthorized invalid_client', () => post('/oauth2/revoke', form({ ...exampleClient, token: 'x' }))],
  [
    'TokenInternalError server_error',
    () => post('/oauth2/token', { ...form(credentials), ...failingToken('internal_error') }),
  ],
  [
    'TokenUnavailable temporarily_unavailable',
    () => post('/oauth2/token', { ...form(credentials), ...failingToken('unavailable') }),
  ],
])('the error %s', async (name, provoke) => {
  expectExample(name, (await provoke()).body)
})

function failingToken(scenario: string) {
  return { headers: { 'latchkey-sandbox': scenario } }
}

test('the error TooManyRequests', async () => {
  const { connectionKey } = bearerOf(accessToken)
  const ends: (() => void)[] = []
  const running = Array.from({ length: 10 }, () =>
    server.context.expensiveReadLimiter.admit(
      connectionKey,
      () => new Promise<void>((resolve) => ends.push(resolve)),
    ),
  )
  const { body } = await send('/api/v2/households?name_contains=a', { headers: user })
  expectExample('TooManyRequests too_many_requests', body)
  while (ends.length > 0) {
    for (const end of ends.splice(0)) end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(running)
})

test('the error HeadersTooLarge', async () => {
  const answer = await getRaw(base, '/service-open-api/api/v2/households', [`x: ${'a'.repeat(17_000)}`])
  expectExample('HeadersTooLarge bad_request', { ...JSON.parse(answer?.body ?? ''), request_id: requestId })
})

test('the error of a login that is too weak for the partner', async () => {
  const requireAcr = (acr: string | null) =>
    query(server.database, 'UPDATE partners SET require_acr = $1 WHERE client_id = $2', [
      acr,
      partner.clientId,
    ])
  await requireAcr('urn:latchkey:acr:two-factor')
  const { body } = await send('/api/v2/households', { headers: user })
  expectExample('Unauthorized insufficient_user_authentication', body)
  await requireAcr(null)
})

test('the error of an expired token', async () => {
  server.advanceClock(2 * 3600)
  expectExample('Unauthorized invalid_token', (await send('/api/v2/households', { headers: user })).body)
})

test('the error of an operation that has ended', async () => {
  const sunsetOn = new Date('2026-11-01')
  const v1 = { deprecatedOn: sunsetOn, sunsetOn }
  const later = await serverFixture({ on: database, v1 })
  const headers = { ...user, 'x-api-request-id': requestId }
  const answer = await (await fetch(`${later.baseUrl}api/v1/households`, { headers })).text()
  expectExample('Gone gone', JSON.parse(answer.replaceAll(later.baseUrl, server.baseUrl)))
})

test('there is no other example: a timeout takes 10 seconds (test/attacks/http.test.ts)', () => {
  expect([...pending.keys()]).toEqual(['RequestTimeout bad_request'])
})
