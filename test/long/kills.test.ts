import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createPartner,
  type Deployment,
  importUsers,
  newDeployment,
  runningPostgres,
} from '../support/deployment.ts'
import { killed, type RunningLatchkey } from '../support/latchkey.ts'
import { TokenTraffic } from '../support/token-traffic.ts'

const users = ['ann', 'bob', 'cho', 'dee']
const kills = 90
let latchkey: Deployment
let server: RunningLatchkey
let traffic: TokenTraffic

beforeAll(async () => {
  latchkey = await newDeployment()
  await importUsers(latchkey, users)
  const partner = await createPartner(latchkey)
  server = await latchkey.start()
  traffic = await TokenTraffic.of(latchkey, partner, users)
})
afterAll(async () => {
  await server?.stop()
  latchkey?.remove()
})

test(`41: kill -9 ${kills} times, every third time of PostgreSQL too: every token that the server returned works`, {
  timeout: 30 * 60_000,
}, async () => {
  for (let round = 0; round < kills; round++) {
    const before = traffic.ledger.length
    const postgres = runningPostgres(latchkey.dataDir)
    await traffic.during(() => {
      if (round % 3 === 2) process.kill(postgres, 'SIGKILL')
      return killed(server.process)
    })
    server = await latchkey.start()
    await traffic.expectLive(traffic.ledger.slice(before))
    await traffic.expectRefreshTokensLive()
  }
  await traffic.expectLive(traffic.ledger)
  expect(traffic.cutOff).toBeGreaterThan(kills / 2)
})
