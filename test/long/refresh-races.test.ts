import { test } from 'vitest'
import { seed } from '../support/directory.ts'
import { refreshRace } from '../support/refresh-race.ts'
import { testServer } from '../support/server.ts'

const races = 500

test(`23: 64 refreshes of one token at once, ${races} times`, { timeout: 30 * 60_000 }, async () => {
  const server = await testServer()
  try {
    const partner = await server.partner()
    await seed(server.database, { users: ['ada'] })
    for (let race = 0; race < races; race++) await refreshRace(server, partner, 'ada', 64)
  } finally {
    await server.close()
  }
})
