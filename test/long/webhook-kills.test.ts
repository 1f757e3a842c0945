import { expect, test } from 'vitest'
import { databaseFixture } from '../support/fixtures.ts'
import { testServer } from '../support/server.ts'
import { killsDuringChanges } from '../support/webhook-kills.ts'
import { receiverFixture } from '../support/webhooks.ts'

const kills = Number(process.env.LATCHKEY_TEST_KILLS ?? 1000)
const db = await databaseFixture()
const receiver = await receiverFixture()

test(`90: kill -9 ${kills} times while users connect and disconnect: every event arrives, in the order of its grant`, {
  timeout: 4 * 3600_000,
}, async () => {
  const server = await testServer({ on: db })
  const partner = await server.partner()
  await server.close()
  const outcome = await killsDuringChanges(db, receiver, partner, kills)
  console.log(JSON.stringify(outcome))
  expect(outcome.uninterrupted.count).toBeGreaterThan(0)
  expect(outcome.uninterrupted.p99).toBeLessThan(2000)
})
