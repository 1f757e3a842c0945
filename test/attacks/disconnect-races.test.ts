import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { disconnectRaces, firstPressRaces } from '../support/disconnect-races.ts'
import { authorize } from '../support/journey.ts'
import { answerOf, loggedIn } from '../support/pages.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'

let server: TestServer
let partner: TestPartner

beforeAll(async () => {
  server = await testServer()
  partner = await server.partner()
  await seed(server.database, { users: ['ada', 'bob', 'cleo'].map((id) => ({ id })) })
})
afterAll(() => server.close())

describe('47: Disconnect races a second click on Connect', () => {
  // test/long/disconnect-races.test.ts has hundreds of rounds.
  test('12 rounds: no live grant remains after a confirmed disconnect', () =>
    disconnectRaces(server, partner, 'ada', 12))

  test('8 rounds with two first clicks: no grant remains without a connection', () =>
    firstPressRaces(server, partner, 'bob', 8))

  test('the disconnect commits while the second click is in progress: no grant, and prompt=none requires consent', async () => {
    const visitor = await loggedIn(server, 'cleo')
    const page = await authorize(visitor, server, partner)
    const press = () => visitor.submit(page, '/connect', { decision: 'connect' })
    expect((await press()).status).toBe(303)
    await server.database.withConnection(async (client) => {
      await client.query('BEGIN')
      await client.query(`UPDATE grants SET revoked_at = now() WHERE user_id = 'cleo'`)
      let answered = false
      const second = press().finally(() => {
        answered = true
      })
      // The second click either waits for the grant's row, or gets a response based on what was committed before.
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      const settled = async () => answered || (await query(server.database, waiting)).length > 0
      await expect.poll(settled, { timeout: 5000 }).toBe(true)
      await client.query('COMMIT')
      await second
    })
    const live = `SELECT id FROM grants WHERE user_id = 'cleo' AND revoked_at IS NULL`
    expect(await query(server.database, live)).toEqual([])
    const silent = await authorize(visitor, server, partner, { prompt: 'none' })
    expect(answerOf(partner, silent)).toMatchObject({ error: 'consent_required' })
  })
})
