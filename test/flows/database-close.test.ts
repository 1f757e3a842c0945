import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openPool, statement } from '../../src/database/database.ts'
import Type from '../../src/typebox.ts'
import { databaseProxy } from '../support/database-proxy.ts'
import { databaseFixture } from '../support/fixtures.ts'

const { url } = await databaseFixture()
const one = statement('test_close', Type.Object({ one: Type.Integer() }), 'SELECT 1 AS one')

/** Turns of the event loop after which a promise that waits for nothing has long resolved. */
async function turns(): Promise<void> {
  for (let n = 0; n < 100; n++) await turn()
}

test('a database is closed when PostgreSQL has closed every connection, so that it can be stopped', async () => {
  const proxy = await databaseProxy(url)
  const errors: Error[] = []
  const database = openPool(proxy.url, (error) => errors.push(error))
  await Promise.all([database.one(one, []), database.one(one, []), database.expensive.one(one, [])])
  proxy.silence()
  let closed = false
  const closing = database.close().then(() => {
    closed = true
  })
  await turns()
  expect(closed).toBe(false)
  await proxy.cut()
  await closing
  expect(errors).toEqual([])
})
