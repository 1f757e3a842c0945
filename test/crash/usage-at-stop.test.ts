import { afterAll, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { newDeployment } from '../support/deployment.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { testSecret } from '../support/server.ts'
import { readsOf } from '../support/usage.ts'

const db = await databaseFixture()
const latchkey = await newDeployment({
  DATABASE_URL: db.url,
  LATCHKEY_SECRET: testSecret,
})
await seed(db.database, { users: ['ada'], households: ['h'] })
afterAll(() => latchkey.remove())

test('43: SIGTERM: counted reads are written before the database connection closes', async () => {
  const accessToken = await accessTokenOf(db.database, 'ada')
  const server = await latchkey.start()
  for (let n = 0; n < 7; n++) expect((await api(latchkey, 'households', accessToken)).status).toBe(200)
  expect(await server.stop()).toBe(0)
  expect(await readsOf(db.database, 'ada')).toEqual({ requests: 7, households: 7, accounts: 0 })
})
