import { test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { refreshRace } from '../support/refresh-race.ts'
import { testServer } from '../support/server.ts'

const races = 500

test(`23: 64 refreshes of one token at once over two servers, ${races} times`, {
  timeout: 30 * 60_000,
}, async () => {
  const database = await testDatabase()
  const servers = [await testServer({ on: database }), await testServer({ on: database })] as const
  try {
    const partner = await servers[0].partner()
    await seed(database.database, { users: ['ada'] })
    for (let race = 0; race < races; race++) await refreshRace(servers, partner, 'ada', 64)
  } finally {
    for (const server of servers) await server.close()
    await database.drop()
  }
})
