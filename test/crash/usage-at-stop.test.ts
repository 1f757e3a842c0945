import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type Deployment, newDeployment } from '../support/deployment.ts'
import { seed } from '../support/directory.ts'
import { api } from '../support/journey.ts'
import { readsOf } from '../support/usage.ts'

let db: TestDatabase
let latchkey: Deployment

beforeAll(async () => {
  db = await testDatabase()
  latchkey = await newDeployment({
    DATABASE_URL: db.url,
    LATCHKEY_SECRET: 'a secret for tests, of 32 bytes or more',
  })
  await seed(db.database, { users: [{ id: 'ada' }], households: [{ id: 'h' }] })
})
afterAll(async () => {
  latchkey.remove()
  await db.drop()
})

test('43: SIGTERM: what was counted is written before the database is let go', async () => {
  const accessToken = await accessTokenOf(db.database, 'ada')
  const server = await latchkey.start()
  for (let n = 0; n < 7; n++) expect((await api(latchkey, 'households', accessToken)).status).toBe(200)
  expect(await server.stop()).toBe(0)
  expect(await readsOf(db.database, 'ada')).toEqual({ requests: 7, households: 7, accounts: 0 })
})
