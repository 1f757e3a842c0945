import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectEmbedded,
  createPartner,
  type Deployment,
  importUsers,
  newDeployment,
  runningPostgres,
} from '../support/deployment.ts'
import { api, refresh, token } from '../support/journey.ts'
import { killed, type RunningLatchkey } from '../support/latchkey.ts'
import type { TestPartner } from '../support/server.ts'
import { TokenTraffic } from '../support/token-traffic.ts'

const users = ['ann', 'bob', 'cho', 'dee']
let latchkey: Deployment
let partner: TestPartner
let server: RunningLatchkey
let traffic: TokenTraffic

beforeAll(async () => {
  latchkey = await newDeployment()
  await importUsers(latchkey, users)
  partner = await createPartner(latchkey)
  server = await latchkey.start()
  traffic = await TokenTraffic.of(latchkey, partner, users)
})
afterAll(async () => {
  await server?.stop()
  latchkey?.remove()
})

describe('41: kill -9 of the server during token traffic, twice', () => {
  test('no token that the server returned is lost, and the server restarts without help', {
    timeout: 90_000,
  }, async () => {
    const postgres = runningPostgres(latchkey.dataDir)
    for (let round = 0; round < 2; round++) {
      await traffic.during(() => killed(server.process))
      server = await latchkey.start()
      await traffic.expectRefreshTokensLive()
    }
    await traffic.expectLive(traffic.ledger)
    expect(traffic.cutOff).toBeGreaterThan(0) // otherwise no kill hit a request
    expect(runningPostgres(latchkey.dataDir)).toBe(postgres) // each start adopted the orphan
  })
})

describe('41: kill -9 of the server and its PostgreSQL at once', () => {
  beforeAll(async () => {
    const client = await connectEmbedded(latchkey.dataDir)
    const { rows } = await client.query(
      `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')`,
    )
    await client.end()
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
    })
  })

  test('the next start recovers all tokens that the server returned, and keeps a confirmed revocation', async () => {
    const revoked = traffic.chains.pop()
    if (!revoked) throw new Error('no chain')
    const before = traffic.ledger.length
    const postgres = runningPostgres(latchkey.dataDir)
    await traffic.during(async () => {
      const answer = await token(latchkey, partner, { token: revoked.refreshToken }, 'revoke')
      process.kill(postgres, 'SIGKILL')
      await killed(server.process)
      expect(answer.status).toBe(200)
    })
    expect(traffic.ledger.length).toBeGreaterThan(before + traffic.chains.length)
    server = await latchkey.start()
    expect(runningPostgres(latchkey.dataDir)).not.toBe(postgres)
    await traffic.expectLive(traffic.ledger)
    await traffic.expectRefreshTokensLive()
    expect((await refresh(latchkey, partner, revoked.refreshToken)).body.error).toBe('invalid_grant')
    expect((await api(latchkey, 'households', revoked.accessTokens.at(-1))).status).toBe(401)
  })
})
