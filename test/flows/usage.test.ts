import { describe, expect, test } from 'vitest'
import type { Database, Queries } from '../../src/database/database.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { codeFor, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, refresh, token } from '../support/journey.ts'
import { lastUse, readsOf } from '../support/usage.ts'

const statements: string[] = []

const users = Array.from({ length: 20 }, (_, n) => `many-${n}`)

const db = await databaseFixture()
const server = await serverFixture({ on: { ...db, database: recordingDatabase(db.database) } })
const other = await serverFixture({ on: db })
await server.context.usage.stop() // from here on, usage is written only when a test calls write()
const partner = await server.partner()
await seed(db.database, {
  users: ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gus', ...users],
  households: ['h1', 'h2', 'h3', 'h4', 'h5'],
  accounts: ['a1', 'a2', 'a3'].map((id) => ({ id, household: 'h1' })),
})

/** Wraps the database and records the names of the statements that it runs. */
function recordingDatabase(database: Database): Database {
  const record = <Given extends { name: string }>(statement: Given) => {
    statements.push(statement.name)
    return statement
  }
  const recording = (to: Queries): Queries => ({
    run: (statement, values) => to.run(record(statement), values),
    one: (statement, values) => to.one(record(statement), values),
    maybe: (statement, values) => to.maybe(record(statement), values),
  })
  const { listing, expensive } = database
  return { ...database, ...recording(database), listing: recording(listing), expensive: recording(expensive) }
}

async function statuses(accessToken: string, paths: string[]): Promise<number[]> {
  const answers = []
  for (const path of paths) answers.push((await api(server, path, accessToken)).status)
  return answers
}

describe('what a grant has read', () => {
  test('is the number of answered calls and of the households and accounts in the answers', async () => {
    const accessToken = await accessTokenOf(db.database, 'ada')
    const read = [
      'households',
      'households?page_size=2',
      'households?page_size=2&page=2',
      'households?name_pattern=h3',
      'households?name_pattern=nothing',
      'households/h1/accounts',
      'households/h1/accounts?page_size=2',
      'households/h2/accounts',
    ]
    expect(await statuses(accessToken, read)).toEqual(read.map(() => 200))
    await server.context.usage.write()
    expect(await readsOf(db.database, 'ada')).toEqual({
      requests: 8,
      households: 5 + 2 + 1 + 1,
      accounts: 3 + 2,
    })
  })

  test('is nothing if the answer was 400, 401 or 404; of these, only 404 counts as a use', async () => {
    const accessToken = await accessTokenOf(db.database, 'bob')
    expect(await statuses(accessToken, ['households?page=-1'])).toEqual([400])
    const expired = await accessTokenOf(db.database, 'bob', { expiresIn: -1 })
    expect(await statuses(expired, ['households', 'households/h1/accounts'])).toEqual([401, 401])
    await server.context.usage.write()
    expect(await lastUse(db.database, 'bob')).toBeNull()
    expect(await statuses(accessToken, ['households/no-such/accounts'])).toEqual([404])
    await server.context.usage.write()
    expect(await lastUse(db.database, 'bob')).toBeInstanceOf(Date)
    expect(await readsOf(db.database, 'bob')).toEqual({ requests: 0, households: 0, accounts: 0 })
  })

  test('is counted by day in UTC, and a refresh is a use but not a read', async () => {
    const { refreshToken, accessToken } = await tokensFor(server, partner, 'cleo')
    await server.context.usage.write()
    expect(await lastUse(db.database, 'cleo')).toBeNull()
    expect((await refresh(server, partner, refreshToken)).status).toBe(200)
    expect((await refresh(server, partner, 'lk_test_rt_unknown')).status).toBe(400)
    await server.context.usage.write()
    const used = await lastUse(db.database, 'cleo')
    expect(used).toBeInstanceOf(Date)
    expect(await readsOf(db.database, 'cleo')).toEqual({ requests: 0, households: 0, accounts: 0 })

    const [grant] = await query<{ id: string }>(db.database, `SELECT id FROM grants WHERE user_id = 'cleo'`)
    const { usage } = server.context
    usage.read(grant?.id ?? '', new Date('2026-03-01T00:30:00+01:00'), { households: 7, accounts: 0 })
    usage.read(grant?.id ?? '', new Date('2026-03-01T00:30:00Z'), { households: 1, accounts: 2 })
    await usage.write()
    const days = `SELECT day::text, households::int FROM grant_reads WHERE grant_id = $1 ORDER BY day`
    expect(await query(db.database, days, [grant?.id])).toEqual([
      { day: '2026-02-28', households: 7 },
      { day: '2026-03-01', households: 1 },
    ])
    expect(await lastUse(db.database, 'cleo')).toEqual(used) // the time of the last use never goes back
    expect((await api(server, 'households', accessToken)).status).toBe(200)
  })

  test('adds up over two servers that write the same grants at the same time', async () => {
    const tokens = await Promise.all(users.map((id) => accessTokenOf(db.database, id)))
    const rounds = 5
    for (let round = 0; round < rounds; round++) {
      await Promise.all([
        ...tokens.map((accessToken) => api(server, 'households', accessToken)),
        ...tokens.toReversed().map((accessToken) => api(other, 'households', accessToken)),
      ])
      await Promise.all([server.context.usage.write(), other.context.usage.write()])
    }
    expect(server.logs() + other.logs()).not.toContain('not_written')
    for (const id of users) {
      const requests = 2 * rounds
      expect(await readsOf(db.database, id)).toEqual({ requests, households: 5 * requests, accounts: 0 })
    }
  })
})

test('a code exchange, a refresh and an API call run one statement each, and counting adds none', async () => {
  const code = await codeFor(server, partner, 'dan')
  const during = async <Answer>(act: () => Promise<Answer>): Promise<[string[], Answer]> => {
    await server.context.usage.write()
    statements.length = 0
    const answer = await act()
    return [[...statements], answer]
  }
  const [redeeming, redeemed] = await during(() =>
    token(server, partner, { grant_type: 'authorization_code', code }),
  )
  expect([redeemed.status, redeeming]).toEqual([200, ['redeem_code']])
  const [rotating, rotated] = await during(() =>
    refresh(server, partner, String(redeemed.body.refresh_token)),
  )
  expect([rotated.status, rotating]).toEqual([200, ['rotate_newest_token']])
  const accessToken = String(redeemed.body.access_token)
  const [listing] = await during(() => api(server, 'households', accessToken))
  expect(listing).toEqual(['list_households'])
  const [accounts] = await during(() => api(server, 'households/h1/accounts', accessToken))
  expect(accounts).toEqual(['list_accounts'])
})
