import { expect, test } from 'vitest'
import { databaseFixture } from '../support/fixtures.ts'
import { testServer } from '../support/server.ts'
import { killsDuringChanges } from '../support/webhook-kills.ts'
import { receiverFixture } from '../support/webhooks.ts'

const db = await databaseFixture()
const receiver = await receiverFixture()

test('90: servers are killed while users connect and disconnect: every event arrives, in the order of its grant', async () => {
  const server = await testServer({ on: db })
  const partner = await server.partner()
  await server.close()
  const { events, uninterrupted } = await killsDuringChanges(db, receiver, partner, 2, 150)
  expect(events).toBeGreaterThan(10)
  expect(uninterrupted.count).toBeGreaterThan(5)
})
