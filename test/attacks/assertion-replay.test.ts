import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { purgeExpired } from '../../src/maintenance/purge.sql.ts'
import { sha256 } from '../../src/secrets/token-format.ts'
import {
  assertionOf,
  assertionParameters,
  type Client,
  clientBy,
  newSigningPair,
} from '../support/client-assertion.ts'
import { codeFor, connectionOf, type Issued, issued } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, type Endpoint, type TokenAnswer } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { purge } from '../support/purge.ts'
import { credentials, expectError, expectInvalidGrant, postForm } from '../support/token-endpoint.ts'
import { Visitor } from '../support/visitor.ts'

const ada = new Visitor()

const database = await databaseFixture()
const server = await serverFixture({ on: database })
const elsewhere = await serverFixture({ on: database, authUrl: server.authUrl })
const pair = await newSigningPair()
const otherPair = await newSigningPair()
const client = await clientBy('private_key_jwt', server, pair)
const other = await clientBy('private_key_jwt', server, otherPair)
await seed(server.database, { users: ['ada'] })

const unknownToken = { grant_type: 'refresh_token', refresh_token: neverIssued('rt') }
const newCode = () => codeFor(server, client.partner, 'ada', { visitor: ada })
const redeem = async (code: string) => client.ask({ grant_type: 'authorization_code', code })
const newTokens = async (): Promise<Issued> => issued(await redeem(await newCode()))

/** One assertion, which the returned function can send many times. */
async function oneAssertion(claims: Record<string, unknown> = {}, by = pair, of = client) {
  const signed = assertionParameters(await assertionOf(server, of.partner.clientId, by, { claims }))
  return (parameters: Record<string, string>, endpoint: Endpoint = 'token', at = server) =>
    postForm(at, { ...parameters, ...signed }, {}, endpoint)
}

/** The number of stored rows for a client's jti. */
async function usesOf(jti: string, { partner }: Client = client): Promise<number> {
  const hash = sha256(`${partner.clientId} ${jti}`)
  return (await query(server.database, 'SELECT FROM client_assertions WHERE hash = $1', [hash])).length
}

function expectUsed(answer: TokenAnswer): void {
  expectError(answer, 401, 'invalid_client', /used before or has expired/)
}

describe('a replayed assertion', () => {
  test('is accepted once: at the same endpoint, at another, and on another server', async () => {
    const send = await oneAssertion()
    expectInvalidGrant(await send(unknownToken), /^Unknown or expired/)
    expectUsed(await send(unknownToken))
    expectUsed(await send(unknownToken, 'token', elsewhere))
    for (const endpoint of ['introspect', 'revoke'] as const) {
      expectUsed(await send({ token: 'unknown' }, endpoint))
    }
  })

  test('is recognized by its jti, even if the other claims are new', async () => {
    const jti = randomUUID()
    expectInvalidGrant(await (await oneAssertion({ jti }))(unknownToken), /^Unknown or expired/)
    expectUsed(await (await oneAssertion({ jti, aud: `${server.baseUrl}oauth2/token` }))(unknownToken))
    expect(await usesOf(jti)).toBe(1)
  })

  test('48 at once on two servers: one is accepted, in the responses and in the database', async () => {
    const jti = randomUUID()
    const [code, send] = [await newCode(), await oneAssertion({ jti })]
    const asks = Array.from({ length: 48 }, (_, n) =>
      send({ grant_type: 'authorization_code', code }, 'token', n % 2 ? elsewhere : server),
    )
    const answers = await Promise.all(asks)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    answers.filter(({ status }) => status !== 200).forEach(expectUsed)
    expect(await usesOf(jti)).toBe(1)
    expect(await connectionOf(server, code)).toMatchObject({
      redemptions: 1,
      revoked: false,
    })
  })

  test('changes nothing: code, tokens and connection stay as they were', async () => {
    const { accessToken, refreshToken } = await newTokens()
    const [code, send] = [await newCode(), await oneAssertion()]
    expect((await send({ token: 'unknown' }, 'revoke')).status).toBe(200)
    expectUsed(await send({ grant_type: 'authorization_code', code }))
    expectUsed(await send({ grant_type: 'refresh_token', refresh_token: refreshToken }))
    expectUsed(await send({ token: refreshToken }, 'revoke'))
    expect((await api(server, 'households', accessToken)).status).toBe(200)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, generation: 1 })
    issued(await redeem(code))
  })
})

describe('no client can use up the jti of another', () => {
  test('an attacker with another key, and another client with the same jti', async () => {
    const jti = randomUUID()
    const stranger = await newSigningPair(pair.alg, pair.kid)
    expectError(
      await (await oneAssertion({ jti }, stranger))(unknownToken),
      401,
      'invalid_client',
      /^Invalid client credentials\.$/,
    )
    expect(await usesOf(jti)).toBe(0)
    expectInvalidGrant(
      await (await oneAssertion({ jti }, otherPair, other))(unknownToken),
      /^Unknown or expired/,
    )
    expect(await usesOf(jti)).toBe(0)
    expectInvalidGrant(await (await oneAssertion({ jti }))(unknownToken), /^Unknown or expired/)
    expect([await usesOf(jti), await usesOf(jti, other)]).toEqual([1, 1])
  })

  test('a key that has just been replaced', async () => {
    const [old, jti] = [await newSigningPair(), randomUUID()]
    const replaced = await clientBy('private_key_jwt', server, old)
    expectInvalidGrant(await replaced.ask(unknownToken), /^Unknown or expired/) // and the server has cached the key
    await query(server.database, `UPDATE partners SET key_thumbprints = '{x}' WHERE client_id = $1`, [
      replaced.partner.clientId,
    ])
    const answer = await (await oneAssertion({ jti }, old, replaced))(unknownToken)
    expectError(answer, 401, 'invalid_client', /^Invalid client credentials\.$/)
    expect(await usesOf(jti, replaced)).toBe(0)
  })
})

test('an assertion that has expired by the database’s clock is refused, regardless of the server’s clock', async () => {
  const now = Math.floor(Date.now() / 1000)
  server.advanceClock(-1800)
  try {
    const [jti, iat] = [randomUUID(), now - 1800]
    expectUsed(await (await oneAssertion({ jti, iat, exp: now - 60 }))(unknownToken))
    expect(await usesOf(jti)).toBe(0)
    expectInvalidGrant(
      await (await oneAssertion({ iat, exp: now + 60 }))(unknownToken),
      /^Unknown or expired/,
    )
  } finally {
    server.advanceClock(1800)
  }
})

test('a second use that began before the assertion expired finds the first, even if the purge ran in between', async () => {
  const end = Math.floor(Date.now() / 1000) + 3
  const [jti, iat] = [randomUUID(), end - 90]
  const send = await oneAssertion({ jti, iat, exp: end - 30 }) // the permitted clock difference
  expectInvalidGrant(await send(unknownToken), /^Unknown or expired/)
  const second = await server.database.withConnection(async (locking) => {
    await locking.query('BEGIN')
    await locking.query('LOCK partners IN ACCESS EXCLUSIVE MODE')
    const pending = send(unknownToken)
    const waiting = `SELECT FROM pg_stat_activity
                      WHERE datname = current_database() AND wait_event_type = 'Lock' AND xact_start < to_timestamp($1)`
    await expect.poll(async () => (await query(server.database, waiting, [end])).length).toBe(1)
    const expired = 'SELECT WHERE now() > to_timestamp($1)'
    await expect
      .poll(async () => (await query(server.database, expired, [end])).length, { timeout: 5000 })
      .toBe(1)
    // Only this table: other parts of the purge may have to wait for a writer that reads the partners.
    await server.database.one(purgeExpired.client_assertions, [])
    await locking.query('ROLLBACK')
    return pending
  })
  expectUsed(second)
  await query(server.database, `UPDATE client_assertions SET expires_at = expires_at - interval '1 minute'`)
  await purge(server.database)
  expect(await usesOf(jti)).toBe(0)
})

test('25: a failed statement uses nothing up: the same request works afterwards', async () => {
  const jti = randomUUID()
  const [code, send] = [await newCode(), await oneAssertion({ jti })]
  const ask = () => send({ grant_type: 'authorization_code', code })
  const failed = await server.database.withConnection(async (locking) => {
    await locking.query('BEGIN')
    await locking.query('SELECT FROM connections FOR UPDATE')
    const pending = ask()
    const cancelled = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock'`
    const stopped = async () => (await query(server.database, cancelled)).length
    await expect.poll(stopped, { timeout: 8000 }).toBe(1)
    const answer = await pending
    await locking.query('ROLLBACK')
    return answer
  })
  expect(failed).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
  expect(await usesOf(jti)).toBe(0)
  issued(await ask())
  expect(await usesOf(jti)).toBe(1)
})

describe('20, 21, 24: a client that authenticates with assertions', () => {
  test("another client's code and refresh token: invalid_grant, and they still work for their owner", async () => {
    const code = await newCode()
    const { refreshToken } = await newTokens()
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken }
    expectInvalidGrant(await other.ask({ grant_type: 'authorization_code', code }), /another client/)
    expectInvalidGrant(await other.ask(refresh), /another client/)
    issued(await redeem(code))
    issued(await client.ask(refresh))
  })

  test('without an assertion, with only its client_id or with a secret: an error, and the connection stays intact', async () => {
    const { refreshToken } = await newTokens()
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken }
    const own = { ...refresh, client_id: client.partner.clientId }
    expectError(await postForm(server, own), 401, 'invalid_client', /client_secret is missing/)
    const secret = neverIssued('cs')
    const withSecret = await postForm(server, { ...own, client_secret: secret })
    expectError(withSecret, 401, 'invalid_client', /registered for private_key_jwt\. Send client_assertion/)
    issued(await client.ask(refresh))
  })

  test('with an unregistered method: an error, and code and refresh token still work', async () => {
    const basic = await clientBy('client_secret_basic', server)
    const inBody = (parameters: Record<string, string>) =>
      postForm(server, { ...parameters, ...credentials(basic.partner) })
    const exchange = {
      grant_type: 'authorization_code',
      code: await codeFor(server, basic.partner, 'ada', { visitor: ada }),
    }
    expectError(await inBody(exchange), 401, 'invalid_client', /not registered for client_secret_post/)
    expect(await connectionOf(server, exchange.code)).toMatchObject({ redemptions: 0, generation: null })
    const { refreshToken } = issued(await basic.ask(exchange))
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken }
    expectError(await inBody(refresh), 401, 'invalid_client', /not registered for client_secret_post/)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ generation: 1 })
  })

  test('a code used again with a new assertion: all tokens from it are revoked', async () => {
    const code = await newCode()
    const { accessToken } = issued(await redeem(code))
    expectInvalidGrant(await redeem(code), /^Authorization code reuse detected\./)
    expect((await api(server, 'households', accessToken)).status).toBe(401)
  })

  test('a suspended client gets a clear error, and may still revoke', async () => {
    const { refreshToken } = await newTokens()
    const setStatus = (status: string) =>
      query(server.database, 'UPDATE partners SET status = $1 WHERE client_id = $2', [
        status,
        client.partner.clientId,
      ])
    await setStatus('suspended')
    const refused = await client.ask(unknownToken)
    const revoked = await client.ask({ token: refreshToken }, 'revoke')
    await setStatus('active')
    expectError(refused, 400, 'unauthorized_client', /suspended/)
    expect(revoked.status).toBe(200)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked_for: 'partner' })
  })
})
