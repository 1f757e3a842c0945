import { afterAll, beforeAll, test } from 'vitest'
import { seed } from '../support/directory.ts'
import { disconnectRaces, firstPressRaces } from '../support/disconnect-races.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'

let server: TestServer
let partner: TestPartner

beforeAll(async () => {
  server = await testServer()
  partner = await server.partner()
  await seed(server.database, { users: [{ id: 'ada' }, { id: 'bob' }] })
})
afterAll(() => server.close())

test('47: Disconnect races a second click on Connect, 600 rounds', { timeout: 300_000 }, () =>
  disconnectRaces(server, partner, 'ada', 600),
)

test('47: Disconnect races two first clicks on Connect, 300 rounds', { timeout: 300_000 }, () =>
  firstPressRaces(server, partner, 'bob', 300),
)
