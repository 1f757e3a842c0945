import { afterAll, expect, test } from 'vitest'
import { type Database, openPool } from '../../src/database/database.ts'
import { codeFor, connectionOf, issued } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, refresh, type TokenAnswer, token } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { freePort } from '../support/ports.ts'
import { Visitor } from '../support/visitor.ts'

let current: Database
const visitor = new Visitor()

const database = await databaseFixture()
const nowhere = openPool(`postgres://nobody@127.0.0.1:${await freePort()}/nothing`, () => {})
current = database.database
const changing: Database = {
  run: (statement, values) => current.run(statement, values),
  one: (statement, values) => current.one(statement, values),
  maybe: (statement, values) => current.maybe(statement, values),
  get shortReads() {
    return current.shortReads
  },
  get listing() {
    return current.listing
  },
  get expensive() {
    return current.expensive
  },
  withChangeConnection: (work) => current.withChangeConnection(work),
  observe: (observer) => current.observe(observer),
  poolStates: () => current.poolStates(),
  withConnection: (work) => current.withConnection(work),
  close: async () => {},
}
const server = await serverFixture({ on: { ...database, database: changing } })
const partner = await server.partner()
await seed(server.database, { users: ['ada'] })
afterAll(() => nowhere.close())

const code = () => codeFor(server, partner, 'ada', { visitor })
const redeem = (text: string) => token(server, partner, { grant_type: 'authorization_code', code: text })

function expectUnavailable({ status, headers, body }: TokenAnswer): void {
  expect({ status, error: body.error }).toEqual({ status: 503, error: 'temporarily_unavailable' })
  expect(headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/)
  expect(headers.get('cache-control')).toBe('no-store')
  const { error_uri: page, ...rest } = body
  expect(page).toBe(`${server.baseUrl}docs/errors/temporarily_unavailable`)
  expect(JSON.stringify(rest)).not.toMatch(/invalid|postgres|ECONN|127\.0\.0\.1/)
}

test('39: no database listens: 503 with Retry-After for valid and invalid requests, and no token or code is lost', async () => {
  const [fresh, redeemed] = [await code(), await code()]
  const { accessToken, refreshToken } = issued(await redeem(redeemed))
  current = nowhere
  const wrongClient = { ...partner, clientSecret: neverIssued('cs') }
  const answers = [
    await redeem(fresh),
    await redeem(redeemed),
    await refresh(server, partner, refreshToken),
    await refresh(server, wrongClient, refreshToken),
    await refresh(server, partner, neverIssued('rt')),
    await refresh(server, partner, `${refreshToken}x`), // malformed, but the client is authenticated first
    await token(server, partner, { token: refreshToken }, 'revoke'),
    await token(server, partner, { token: 'unknown' }, 'revoke'),
  ]
  const called = await api(server, 'households', accessToken)
  const malformed = await api(server, 'households', `${accessToken}x`)
  current = database.database
  answers.forEach(expectUnavailable)
  expect(called).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(called.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/)
  // A malformed access token is refused without a database query.
  expect(malformed).toMatchObject({ status: 401, body: { code: 'invalid_token' } })

  expect((await api(server, 'households', accessToken)).status).toBe(200)
  expect((await refresh(server, partner, refreshToken)).status).toBe(200)
  expect((await redeem(fresh)).status).toBe(200)
})

test.each([
  ['cut', 'pg_terminate_backend'],
  ['cancelled, as by a timeout,', 'pg_cancel_backend'],
])(
  '39: the connection is %s during a statement: 503, and the same request works afterwards',
  async (_case, stop) => {
    const fresh = await code()
    const { refreshToken } = issued(await redeem(await code()))
    for (const sendRequest of [() => redeem(fresh), () => refresh(server, partner, refreshToken)]) {
      expectUnavailable(await stopDuringStatement(sendRequest, stop))
      expect((await sendRequest()).status).toBe(200)
    }
    expect(await connectionOf(server, fresh)).toMatchObject({ redemptions: 1, generation: 1 })
    expect(await connectionOf(server, refreshToken)).toMatchObject({ generation: 2 })
  },
)

/** Locks the rows that the request needs, waits until the request waits for them, and stops its backend. */
function stopDuringStatement(sendRequest: () => Promise<TokenAnswer>, stop: string): Promise<TokenAnswer> {
  return server.database.withConnection(async (client) => {
    await client.query('BEGIN')
    await client.query('SELECT FROM connections FOR UPDATE')
    const pending = sendRequest()
    try {
      await expect
        .poll(
          async () => {
            // Not with `client`: within a transaction, pg_stat_activity does not change.
            const stopped = await query(
              server.database,
              `SELECT ${stop}(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            )
            return stopped.length
          },
          { timeout: 8000 },
        )
        .toBe(1)
      return await pending
    } finally {
      await client.query('ROLLBACK')
    }
  })
}

test('39: every idle connection is cut: all answers are 200 or 503, and the server recovers without a restart', async () => {
  const tokens = await Promise.all([1, 2, 3].map(async () => issued(await redeem(await code()))))
  await server.database.withConnection((client) =>
    client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    ),
  )
  const answers = await Promise.all(tokens.map(({ refreshToken }) => refresh(server, partner, refreshToken)))
  for (const { status } of answers) expect([200, 503]).toContain(status)
  for (const { refreshToken } of tokens) {
    await expect
      .poll(async () => (await refresh(server, partner, refreshToken)).status, { timeout: 8000 })
      .toBe(200)
  }
})
