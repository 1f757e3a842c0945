import { expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import { countingDatabase } from '../support/counting-database.ts'
import { seed } from '../support/directory.ts'
import { addedTo, forged } from '../support/forged-token.ts'
import { api } from '../support/journey.ts'
import { testServer } from '../support/server.ts'

const tokens = 100_000
const atOnce = 50

test(`61: ${tokens} forged tokens with a right checksum cause no statement`, {
  timeout: 30 * 60_000,
}, async () => {
  const database = await countingDatabase()
  const server = await testServer({ on: database })
  try {
    await seed(database.direct, { users: ['ada'] })
    const { accessToken } = await tokensFor(server, await server.partner(), 'ada')
    await server.context.usage.write() // counts of before would be written during the test
    const refused = async (n: number) => {
      const text = forged(accessToken, ({ mac }) => ({ mac: addedTo(mac, n % 4, n) }))
      return (await api(server, 'households', text)).status === 401
    }
    const spent = await database.statementsDuring(async () => {
      for (let from = 1; from <= tokens; from += atOnce) {
        const answers = await Promise.all(Array.from({ length: atOnce }, (_, index) => refused(from + index)))
        expect(answers).toEqual(Array(atOnce).fill(true))
      }
    })
    expect(spent).toBe(0)
    expect((await api(server, 'households', accessToken)).status).toBe(200)
  } finally {
    await server.close()
    await database.drop()
  }
})
