import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { listGrants } from '../../src/grants/grants.sql.ts'
import { revokeGrant } from '../../src/grants/grants.ts'
import { FailureLimiter } from '../../src/limits/failures.ts'
import { rotatePartnerSecret, setPartnerStatus } from '../../src/partners/partners.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { issued, tokensFor } from '../support/connection.ts'
import { countingDatabase } from '../support/counting-database.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { addedTo, forged } from '../support/forged-token.ts'
import { api, refresh, token } from '../support/journey.ts'
import { inParallel, nextWindow, parseRateLimit, setLimits } from '../support/limits.ts'
import type { TestPartner, TestServer } from '../support/server.ts'
import { readsOf } from '../support/usage.ts'

const database = await databaseFixture(countingDatabase)
const clock = await movableClock(database)
const server = await serverFixture({ on: database, clock })
await seed(database.direct, { users: [{ id: 'ada' }, { id: 'bob' }], households: ['h1'] })

const readAs = (userId: string, { clientId }: TestPartner) =>
  accessTokenOf(database.direct, userId, { clientId })
const remaining = ({ headers }: { headers: Headers }) => parseRateLimit(headers.get('ratelimit'))[0]?.r
const statuses = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))]
const forgedFrom = (token: string) => forged(token, ({ mac }) => ({ mac: addedTo(mac, 0, 1) }))

/** The statements of the requests alone: writes the counts of reads before, which the servers would write at any time. */
async function statementsOf(servers: TestServer[], requests: () => Promise<unknown>): Promise<number> {
  for (const { context } of servers) await context.usage.write()
  return database.statementsDuring(requests)
}

/** Statements that wait for the lock that a test holds. */
async function waitingReads(): Promise<number> {
  const waiting = await query(
    database.direct,
    `SELECT FROM pg_locks WHERE NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  return waiting.length
}

async function endGrantOf(userId: string, { clientId }: TestPartner): Promise<void> {
  for (const { id } of await database.direct.run(listGrants, [userId, clientId, false]))
    await revokeGrant(database.direct, systemOrigin, { id })
}

describe('64: a stranger who knows the client_id', () => {
  test('cannot use up the token requests of the partner with a wrong secret', async () => {
    const partner = await server.partner()
    await setLimits([server], partner, { token_requests_per_minute: 5 })
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const stranger = { ...partner, clientSecret: (await server.partner()).clientSecret }
    await nextWindow(server)
    const answers = await inParallel(12, 6, () => refresh(server, stranger, refreshToken))
    expect(statuses(answers)).toEqual([401])
    expect(remaining(await refresh(server, partner, refreshToken))).toBe(4)
  })

  test('cannot use up the requests of the partner with forged or ended tokens', async () => {
    const partner = await server.partner()
    await setLimits([server], partner, { requests_per_minute: 5 })
    const [ada, bob] = [await readAs('ada', partner), await readAs('bob', partner)]
    await nextWindow(server)
    expect(remaining(await api(server, 'households', bob))).toBe(4)
    await endGrantOf('bob', partner)
    const tokens = [forgedFrom(ada), bob]
    const answers = await inParallel(10, 2, (n) => api(server, 'households', tokens[n % 2]))
    expect(statuses(answers)).toEqual([401])
    expect(remaining(await api(server, 'households', ada))).toBe(3)
  })

  test('cannot occupy the requests or searches of the partner with a revoked token of a connection in use', async () => {
    const partner = await server.partner()
    await setLimits([server], partner, { requests_per_minute: 5, expensive_reads: 2 })
    const { accessToken: leaked, refreshToken } = await tokensFor(server, partner, 'ada')
    await nextWindow(server)
    expect((await api(server, 'households', leaked)).status).toBe(200)
    await token(server, partner, { token: leaked }, 'revoke')
    const { accessToken } = issued(await refresh(server, partner, refreshToken))
    expect(remaining(await api(server, 'households', accessToken))).toBe(3)
    expect((await api(server, 'households', leaked)).status).toBe(401)
    await database.direct.withConnection(async (holder) => {
      await holder.query('BEGIN; LOCK TABLE households')
      const answers = inParallel(8, 8, () => api(server, 'households?name_pattern=x', leaked))
      await expect.poll(waitingReads).toBeGreaterThan(0)
      const authorization = `Bearer ${accessToken}`
      const inUse = await fetch(`${server.baseUrl}oauth2/userinfo`, { headers: { authorization } })
      await holder.query('ROLLBACK')
      expect(statuses(await answers)).toEqual([401])
      expect([inUse.status, remaining(inUse)]).toEqual([200, 2])
    })
  })

  test('is refused after too many failures, and the partner is not, even at the same address', async () => {
    const strict = await serverFixture({ on: database, clock, failuresPerMinute: 5 })
    const partner = await strict.partner()
    const { accessToken, refreshToken } = await tokensFor(strict, partner, 'ada')
    await setLimits([strict], partner, { token_requests_per_minute: 5 })
    const stranger = { ...partner, clientSecret: (await strict.partner()).clientSecret }
    await nextWindow(strict)
    for (let n = 0; n < 2; n++) {
      expect((await refresh(strict, stranger, refreshToken)).status).toBe(401)
      expect((await api(strict, 'households', forgedFrom(accessToken))).status).toBe(401)
    }
    // This fault is found before the client is authenticated, so it must not make the secret a known one.
    expect((await refresh(strict, stranger, refreshToken, { token_type: 'access' })).status).toBe(400)
    expect((await api(strict, 'households', forgedFrom(accessToken))).status).toBe(401)
    const statements = await statementsOf([server, strict], async () => {
      const refused = await refresh(strict, stranger, refreshToken)
      expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await api(strict, 'households', forgedFrom(accessToken))).status).toBe(429)
    })
    expect(statements).toBe(0)
    expect(remaining(await refresh(strict, partner, refreshToken))).toBe(4)
    expect((await api(strict, 'households', accessToken)).status).toBe(200)
    await strict.context.usage.write()
  })
})

test('65: a partner that has used up its quota costs no statements, reads nothing, and slows no other partner', async () => {
  const [flooding, other] = [await server.partner(), await server.partner()]
  await setLimits([server], flooding, { requests_per_minute: 5, requests_per_user_per_minute: 3 })
  await setLimits([server], other, { requests_per_minute: 3 })
  const ada = await readAs('ada', flooding)
  await nextWindow(server)
  await server.context.usage.write()
  const readBefore = await readsOf(database.direct, 'ada')
  await inParallel(3, 3, () => api(server, 'households', ada))
  await inParallel(3, 3, () => api(server, 'households', ada)) // the server learns that nothing is left
  const statements = await statementsOf([server], async () => {
    expect(statuses(await inParallel(30, 10, () => api(server, 'households', ada)))).toEqual([429])

    expect((await api(server, 'households?name_pattern=x', ada)).status).toBe(429)
  })
  expect(statements).toBe(0)
  await server.context.usage.write()
  const { requests } = await readsOf(database.direct, 'ada')
  expect(requests - readBefore.requests).toBe(3)
  expect(remaining(await api(server, 'households', await readAs('ada', other)))).toBe(2)
})

test('46: searches of one partner on two servers at once: only so many as its limit run or wait', async () => {
  const second = await serverFixture({ on: database, clock })
  const partner = await server.partner()
  await setLimits([server, second], partner, { expensive_reads: 3 })
  const tokens = [await readAs('ada', partner), await readAs('bob', partner)]
  const search = (n: number) =>
    api([server, second][n % 2] ?? server, 'households?name_pattern=h', tokens[n % 2])
  await database.direct.withConnection(async (holder) => {
    await holder.query('BEGIN; LOCK TABLE households')
    const answered: number[] = []
    const answers = Promise.all(
      [0, 1, 2, 3, 4].map(async (n) => {
        const { status, headers } = await search(n)
        answered.push(status)
        return [status, headers.get('retry-after')]
      }),
    )
    await expect.poll(() => answered).toEqual([429, 429])
    await holder.query('ROLLBACK')
    expect((await answers).sort()).toEqual([
      [200, null],
      [200, null],
      [200, null],
      [429, '1'],
      [429, '1'],
    ])
  })
  for (let n = 0; n < 4; n++) expect((await search(n)).status).toBe(200)
})

test('64: a stranger with many addresses fills only so much memory', async () => {
  const failures = new FailureLimiter(1, 2)
  const isRefused = async (address: string) => (await failures.refusedFor(address)) !== undefined
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3']) await failures.count(address)
  expect(await Promise.all(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(isRefused))).toEqual([
    false,
    true,
    true,
  ])
})

describe('66: a server that knows the caller from an earlier call', () => {
  test('still refuses the token after the grant has ended or the partner is suspended', async () => {
    const partner = await server.partner()
    await setLimits([server], partner, { requests_per_minute: 5 })
    const [ada, bob] = [await readAs('ada', partner), await readAs('bob', partner)]
    await nextWindow(server)
    for (const token of [ada, bob]) expect((await api(server, 'households', token)).status).toBe(200)
    await endGrantOf('ada', partner)
    expect((await api(server, 'households', ada)).status).toBe(401)
    expect(remaining(await api(server, 'households', bob))).toBe(2)
    await setPartnerStatus(database.direct, systemOrigin, partner.clientId, 'suspended')
    const suspended = await api(server, 'households', bob)
    expect([suspended.status, suspended.headers.get('ratelimit')]).toEqual([401, null])
  })

  test('still refuses a secret that has been replaced, and does not count it', async () => {
    const partner = await server.partner()
    await setLimits([server], partner, { token_requests_per_minute: 5 })
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    await nextWindow(server)
    expect(remaining(await refresh(server, partner, refreshToken))).toBe(4)
    const rotated = await rotatePartnerSecret(
      database.direct,
      systemOrigin,
      'sandbox',
      partner.clientId,
      true,
    )
    const answer = await refresh(server, partner, refreshToken)
    expect([answer.status, answer.headers.get('ratelimit')]).toEqual([401, null])
    const clientSecret = rotated.kind === 'rotated' ? rotated.clientSecret : ''
    expect(remaining(await refresh(server, { ...partner, clientSecret }, refreshToken))).toBe(3)
  })
})
