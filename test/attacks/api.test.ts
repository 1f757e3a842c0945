import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { tokensFor } from '../support/connection.ts'
import { query, type TestDatabase, testDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, token } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { problemIn } from '../support/problem.ts'
import { getRaw, sendRaw } from '../support/raw-socket.ts'
import { type TestServer, testServer } from '../support/server.ts'

const households = '/service-open-api/api/v1/households'

const server = await serverFixture({
  households: [
    { id: 'ours', name: 'Ours' },
    { id: 'unshared', name: 'Of the same firm, but not granted' },
    { id: 'theirs', firm: 'firm-2', name: 'Theirs' },
  ],
  accounts: [
    { id: 'a1', household: 'ours' },
    { id: 'a2', household: 'unshared' },
    { id: 'a3', household: 'theirs' },
  ],
  users: [
    { id: 'ada', sees: 'granted', access: ['a1', 'a3'] },
    { id: 'disabled', status: 'disabled' },
  ],
})
const accessToken = await accessTokenOf(server.database, 'ada')

describe('26: an access token outside a single well-formed Authorization header', () => {
  test.each(['query', 'cookie', 'other header'])('in the %s: ignored', async (place) => {
    const path = place === 'query' ? `households?access_token=${accessToken}` : 'households'
    const headers: Record<string, string> =
      place === 'cookie' ? { cookie: `access_token=${accessToken}` } : { 'x-access-token': accessToken }
    const answer = await api(server, path, undefined, place === 'query' ? {} : headers)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).not.toContain('error')
  })

  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
    'the scheme is case-insensitive: %s',
    async (scheme) => {
      const answer = await getRaw(server.authUrl, households, [`authorization: ${scheme} ${accessToken}`])
      expect(answer?.status).toBe(200)
    },
  )

  test.each<[string, (token: string) => string]>([
    ['a tab instead of the space', (it) => `Bearer\t${it}`],
    ['two spaces', (it) => `Bearer  ${it}`],
    ['no scheme', (it) => it],
    ['no token', () => 'Bearer'],
    ['another scheme', (it) => `Token ${it}`],
    ['Basic', (it) => `Basic ${Buffer.from(`ada:${it}`).toString('base64')}`],
    ['one more character', (it) => `Bearer ${it}x`],
    ['padding', (it) => `Bearer ${it}=`],
    ['one character less', (it) => `Bearer ${it.slice(0, -1)}`],
    ['half of it', (it) => `Bearer ${it.slice(0, 30)}`],
    [
      'one character changed',
      (it) => `Bearer ${it.slice(0, 20)}${it[20] === 'A' ? 'B' : 'A'}${it.slice(21)}`,
    ],
    ['small letters', (it) => `Bearer ${it.toLowerCase()}`],
    ['a word after it', (it) => `Bearer ${it} x`],
    ['a tab and a word after it', (it) => `Bearer ${it}\tx`],
    ['a list', (it) => `Bearer ${it}, Bearer ${it}`],
    ['a comma', (it) => `Bearer ${it},`],
    ['quotes', (it) => `Bearer "${it}"`],
    ['a parameter', (it) => `Bearer token="${it}"`],
    ['a Latin-1 byte behind', (it) => `Bearer ${it}\xff`],
    ['a UTF-8 character behind', (it) => `Bearer ${it}\xc3\xa9`],
    ['10 kB', () => `Bearer ${'a'.repeat(10_000)}`],
    ['10 kB of spaces', () => `Bearer${' '.repeat(10_000)}x`],
  ])('%s: 401', async (_name, spoil) => {
    const answer = await getRaw(server.authUrl, households, [`authorization: ${spoil(accessToken)}`])
    expect(problemIn(answer)).toMatchObject({ status: 401, code: 'invalid_token' })
    expect(answer?.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test.each(['\x00', '\x01', '\x7f', '\r'])('the control character %j in it: 400', async (char) => {
    const answer = await getRaw(server.authUrl, households, [`authorization: Bearer ${accessToken}${char}`])
    expect(problemIn(answer)).toMatchObject({ status: 400, code: 'bad_request' })
  })

  test.each([
    ['a good and a bad one', (it: string) => [`Bearer ${it}`, 'Bearer other']],
    ['a bad and a good one', (it: string) => ['Bearer other', `Bearer ${it}`]],
    ['the same twice', (it: string) => [`Bearer ${it}`, `Bearer ${it}`]],
    ['a good and an empty one', (it: string) => [`Bearer ${it}`, '']],
  ])('two Authorization headers, %s: 400', async (_name, values) => {
    const headers = values(accessToken).map((value) => `authorization: ${value}`)
    expect(problemIn(await getRaw(server.authUrl, households, headers))).toMatchObject({
      status: 400,
      detail: 'The Authorization header was sent more than once.',
    })
  })
})

describe('29: a household that the user may not see looks like one that does not exist', () => {
  const accountsOf = (id: string, path = `${households}/${id}/accounts`) =>
    getRaw(server.authUrl, path, [`authorization: Bearer ${accessToken}`, 'x-api-request-id: the-same'])

  test.each([
    ['of the same firm', 'unshared'],
    ['of another firm, with an access row', 'theirs'],
    ['a path out of it', 'ours%2f..%2ftheirs'],
    ['a path to itself', 'theirs%2f..%2fours'],
    ['an encoded slash before', '%2fours'],
    ['a space after it', 'ours%20'],
    ['NUL behind', 'ours%00'],
    ['a quote', "ours'%20OR%20'1'='1"],
    ['a wildcard', '%25'],
    ['other case', 'OURS'],
    ['an emoji', '%F0%9F%98%80'],
    ['full width', '%EF%BD%8Furs'],
    ['65 characters', 'a'.repeat(65)],
    ['5,000 characters', 'a'.repeat(5000)],
    ['a name of the prototype', '__proto__'],
  ])('%s: the same 404, byte for byte', async (_name, id) => {
    const [unknown, found] = [await accountsOf('no-such-household'), await accountsOf(id)]
    if (!unknown || !found) throw new Error('no response')
    const { date, ...headers } = Object.fromEntries(found.headers)
    const { date: otherDate, ...expected } = Object.fromEntries(unknown.headers)
    expect({ ...found, headers }).toEqual({ ...unknown, headers: expected })
    expect([date, otherDate]).not.toContain(undefined)
    expect(problemIn(found)).toEqual({
      type: `${server.baseUrl}docs/errors/not_found`,
      title: 'Not found',
      status: 404,
      detail: 'there is no such household, or this user may not see it',
      code: 'not_found',
      request_id: 'the-same',
    })
  })

  test('the granted household is found', async () => {
    expect((await accountsOf('ours'))?.status).toBe(200)
  })

  test('without a token and with a dead one, both households give the same 401', async () => {
    for (const headers of [[], ['authorization: Bearer x']]) {
      const ask = (id: string) =>
        getRaw(server.authUrl, `${households}/${id}/accounts`, [...headers, 'x-api-request-id: the-same'])
      const [one, other] = [await ask('ours'), await ask('nowhere')]
      expect(one?.status).toBe(401)
      expect(one?.body).toBe(other?.body)
    }
  })
})

describe('401 explains itself (RFC 6750 section 3)', () => {
  const refusal = async (on: TestServer, bearer: string) => {
    const { status, headers, body } = await api(on, 'households', bearer)
    expect(status).toBe(401)
    expect(body).toMatchObject({
      code: 'invalid_token',
      type: `${on.baseUrl}docs/errors/invalid_token`,
      status: 401,
    })
    const challenge = headers.get('www-authenticate') ?? ''
    // The characters that section 3 allows in error_description.
    const shape =
      /^Bearer realm="latchkey", error="invalid_token", error_description="([\x20-\x21\x23-\x5b\x5d-\x7e]+)", error_uri="http[^"]+docs\/errors\/invalid_token#[a-z-]+", resource_metadata="[^"]+"$/
    return shape.exec(challenge)?.[1]
  }

  test('no credentials: a challenge without an error', async () => {
    const { status, headers, body } = await api(server, 'households')
    expect(status).toBe(401)
    // RFC 9728 section 5.1.
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="latchkey", resource_metadata="${server.authUrl}/.well-known/oauth-protected-resource/service-open-api/"`,
    )
    expect(body).toMatchObject({
      code: 'unauthorized',
      detail: expect.stringContaining('Authorization: Bearer'),
    })
    // The metadata does not describe an API at the root: RFC 9728 section 3.3 requires clients to compare the addresses.
    const atRoot = await fetch(`${server.authUrl}/api/v1/households`)
    expect(atRoot.headers.get('www-authenticate')).toBe('Bearer realm="latchkey"')
  })

  test('expired', async () => {
    const expired = await accessTokenOf(server.database, 'ada', { expiresIn: -1 })
    expect(await refusal(server, expired)).toContain(
      'Expired access token. Get a new one with the refresh token.',
    )
  })

  test.each(['connections', 'grants'])('revoked in %s', async (table) => {
    const clientId = `test_revoked_in_${table}`
    const revoked = await accessTokenOf(server.database, 'ada', { clientId })
    expect((await api(server, 'households', revoked)).status).toBe(200)
    await query(server.database, `UPDATE ${table} SET revoked_at = now() WHERE client_id = $1`, [clientId])
    expect(await refusal(server, revoked)).toContain('The connection has ended.')
  })

  test('suspended partner', async () => {
    const suspended = await accessTokenOf(server.database, 'ada', { clientId: 'test_suspended' })
    expect((await api(server, 'households', suspended)).status).toBe(200)
    await query(
      server.database,
      `UPDATE partners SET status = 'suspended' WHERE client_id = 'test_suspended'`,
    )
    expect(await refusal(server, suspended)).toContain('The application is suspended.')
  })

  test('disabled user', async () => {
    expect(await refusal(server, await accessTokenOf(server.database, 'disabled'))).toContain(
      'The user is disabled.',
    )
  })

  test('well-formed but never issued', async () => {
    expect(await refusal(server, neverIssued('at'))).toContain('Unknown or expired access token.')
  })

  test('malformed', async () => {
    expect(await refusal(server, 'hunter2')).toContain('Malformed access token.')
  })

  test.each([
    ['rt', 'A refresh token'],
    ['ac', 'An authorization code'],
    ['cs', 'A client secret'],
  ] as const)('a token of another kind: %s', async (kind, name) => {
    expect(await refusal(server, neverIssued(kind))).toContain(
      `${name} was sent where an access token is expected.`,
    )
    expect(server.logs()).toContain('"outcome":"wrong_kind"')
  })

  test('a production token at the sandbox, and the reverse', async () => {
    const production = await testServer({ environment: 'production' })
    try {
      expect(await refusal(production, accessToken)).toContain(
        'belongs to sandbox. This server is production.',
      )
    } finally {
      await production.close()
    }
    const live = neverIssued('at', 'production')
    expect(await refusal(server, live)).toContain('belongs to production. This server is sandbox.')
    expect(server.logs()).toContain('"outcome":"wrong_environment"')
  })
})

describe('19, 28: a revocation applies to the next request on every node', () => {
  let database: TestDatabase
  let nodes: [TestServer, TestServer]
  beforeAll(async () => {
    database = await testDatabase()
    nodes = [await testServer({ on: database }), await testServer({ on: database })]
    await seed(database.database, { users: [{ id: 'ada' }], households: [{ id: 'h' }] })
  })
  afterAll(async () => {
    for (const node of nodes) await node.close()
    await database.drop()
  })

  test.each(['accessToken', 'refreshToken'] as const)(
    '%s revoked at one is dead at the other',
    async (kind) => {
      const [one, other] = nodes
      const partner = await one.partner()
      const tokens = await tokensFor(one, partner, 'ada')
      for (const node of nodes) expect((await api(node, 'households', tokens.accessToken)).status).toBe(200)
      expect((await token(other, partner, { token: tokens[kind] }, 'revoke')).status).toBe(200)
      expect((await api(one, 'households', tokens.accessToken)).status).toBe(401)
      expect((await api(other, 'households', tokens.accessToken)).status).toBe(401)
    },
  )
})

test('a request over HTTP/1.0, and two on one connection, get normal responses', async () => {
  const old = await sendRaw(
    server.authUrl,
    `GET ${households} HTTP/1.0\r\nhost: x\r\nauthorization: Bearer ${accessToken}\r\n\r\n`,
  )
  expect(old?.status).toBe(200)
  const get = (end: string) => `GET ${households} HTTP/1.1\r\nhost: x\r\n${end}\r\n\r\n`
  const both = await sendRaw(
    server.authUrl,
    get(`authorization: Bearer ${accessToken}`) + get('connection: close'),
  )
  expect(both?.body.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401'])
})
