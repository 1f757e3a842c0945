import { afterEach, describe, expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import { countingDatabase } from '../support/counting-database.ts'
import { movableClock } from '../support/database-clock.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'

const hour = 3600

const database = await databaseFixture(countingDatabase)
const clock = await movableClock(database)
const server = await serverFixture({ on: database, clock })
await seed(database.direct, { users: ['ada'], households: ['h1'] })
const partner = await server.partner()
afterEach(() => server.passTime(-clock.ahead))

const newTokens = () => tokensFor(server, partner, 'ada')
const statusOf = async (accessToken: string) => (await api(server, 'households', accessToken)).status

describe('61: an expired access token', () => {
  const expired = { status: 401, body: { detail: expect.stringMatching(/^Expired access token\./) } }

  test('over five minutes ago is refused without a statement', async () => {
    const { accessToken } = await newTokens()
    await server.passTime(hour + 302)
    const spent = await database.statementsDuring(async () => {
      expect(await api(server, 'households', accessToken)).toMatchObject(expired)
    })
    expect(spent).toBe(0)
  })

  test('less than five minutes ago is refused by the database', async () => {
    const { accessToken } = await newTokens()
    await server.passTime(hour + 200)
    const spent = await database.statementsDuring(async () => {
      expect(await api(server, 'households', accessToken)).toMatchObject(expired)
    })
    expect(spent).toBe(1)
  })

  test('by the database’s clock alone is refused', async () => {
    const { accessToken } = await newTokens()
    await server.passTime(hour + 200)
    server.advanceClock(-hour - 200)
    expect(await api(server, 'households', accessToken)).toMatchObject(expired)
    server.advanceClock(hour + 200)
  })

  test('by the server’s clock alone is accepted, up to five minutes', async () => {
    const { accessToken } = await newTokens()
    server.advanceClock(hour + 200)
    expect(await statusOf(accessToken)).toBe(200)
    server.advanceClock(-hour - 200)
  })
})
