import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listHouseholdsRead, listReads, type ReadFilter } from '../../src/read-log/reads.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { purge } from '../support/purge.ts'

const db = await databaseFixture()
const server = await serverFixture({
  on: db,
  users: ['ada', 'bob', 'cleo', 'dan', { id: 'eve', sees: 'granted', access: ['a1', 'a3'] }],
  households: ['h1', 'h2', 'h3', 'h4', 'h5', { id: 'other', firm: 'firm-2' }],
  accounts: [
    { id: 'a1', household: 'h1' },
    { id: 'a2', household: 'h1' },
    { id: 'a3', household: 'h3' },
  ],
})
const other = await serverFixture({ on: db })
const { readLog } = server.context
await readLog.stop() // from here on, reads are written only when a test calls write()

const today = new Date().toISOString().slice(0, 10)
const firstPage = { after: null, limit: 100 }

async function reads(filter: ReadFilter) {
  await readLog.write()
  const outcome = await listReads(db.database, filter, firstPage)
  if (outcome.kind === 'refused') throw new Error(outcome.reason)
  return outcome.reads
}

/** How often each household was read for a user. */
async function readsByHousehold(userId: string): Promise<Record<string, number>> {
  const [read] = await reads({ userId })
  if (!read) return {}
  const found = await listHouseholdsRead(db.database, { grantId: read.grant_id }, firstPage)
  return Object.fromEntries(found.map(({ household_id: id, reads }) => [id, reads]))
}

async function call(accessToken: string, ...paths: string[]): Promise<void> {
  for (const path of paths) expect((await api(server, path, accessToken)).status).toBe(200)
}

describe('an answer counts once for each household in it', () => {
  test('pages of households, of accounts, and one household, under v1 and v2', async () => {
    const accessToken = await accessTokenOf(db.database, 'ada')
    await call(accessToken, 'households?page_size=2', 'households/h1/accounts', 'households/h5/accounts')
    const v2 = (path: string) =>
      fetch(`${server.baseUrl}api/v2/${path}`, { headers: { authorization: `Bearer ${accessToken}` } })
    for (const path of ['households/h4', 'accounts', 'households?limit=1'])
      expect((await v2(path)).status).toBe(200)
    expect(await readsByHousehold('ada')).toEqual({ h1: 4, h2: 1, h3: 1, h4: 1, h5: 1 })
    const [row] = await reads({ userId: 'ada' })
    expect(row).toMatchObject({
      day: today,
      user_id: 'ada',
      client_id: 'test_of_access_tokens',
      partner_name: 'Partner',
      households: 5,
      reads: 8,
    })
  })

  test('only the households that the user sees', async () => {
    const accessToken = await accessTokenOf(db.database, 'eve')
    await call(accessToken, 'households', 'households')
    expect(await readsByHousehold('eve')).toEqual({ h1: 2, h3: 2 })
  })

  test('no other answer counts: 304, HEAD, errors', async () => {
    const accessToken = await accessTokenOf(db.database, 'bob')
    const get = (path: string, init: RequestInit = {}) =>
      fetch(`${server.baseUrl}api/v1/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${accessToken}`, ...init.headers },
      })
    const etag = (await get('households?page_size=1')).headers.get('etag') ?? ''
    expect((await get('households?page_size=1', { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await get('households?page_size=1', { headers: { 'if-none-match': '*' } })).status).toBe(304)
    expect((await get('households', { method: 'HEAD' })).status).toBe(200)
    expect((await get('households/other/accounts')).status).toBe(404)
    expect((await get('households?page=-1')).status).toBe(400)
    expect(await readsByHousehold('bob')).toEqual({ h1: 1 })
  })

  test('calls on several servers add up, also after they are merged', async () => {
    const accessToken = await accessTokenOf(db.database, 'cleo')
    await call(accessToken, 'households', 'households?page_size=3')
    expect((await api(other, 'households?page_size=1', accessToken)).status).toBe(200)
    await other.context.readLog.write()
    await call(accessToken, 'households?page_size=1')
    const expected = { h1: 4, h2: 2, h3: 2, h4: 1, h5: 1 }
    expect(await readsByHousehold('cleo')).toEqual(expected)
    await query(db.database, `UPDATE read_log SET day = day - 1`)
    await purge(db.database)
    expect(await query(db.database, 'SELECT FROM read_log WHERE NOT merged')).toEqual([])
    expect(await readsByHousehold('cleo')).toEqual(expected)
    await query(db.database, `UPDATE read_log SET day = day + 1`)
  })
})

test('a household shows who read it, and a partner what it read', async () => {
  const clientId = 'test_of_reads'
  await call(await accessTokenOf(db.database, 'dan', { clientId }), 'households/h2/accounts')
  const byHousehold = await reads({ householdId: 'h2', clientId })
  expect(byHousehold).toMatchObject([{ user_id: 'dan', households: 1, reads: 1 }])
  expect(await reads({ clientId })).toEqual(byHousehold)
  expect((await reads({ householdId: 'h2' })).map(({ user_id }) => user_id)).toContain('ada')
  expect(await reads({ householdId: 'h2', clientId, since: '2999-01-01' })).toEqual([])
  expect(await reads({ householdId: 'other' })).toEqual([])
  expect(await listReads(db.database, {}, firstPage)).toMatchObject({ kind: 'refused' })
})

test('the log outlives the partner', async () => {
  await query(db.database, `DELETE FROM partners WHERE client_id = 'test_of_reads'`)
  expect(await reads({ clientId: 'test_of_reads' })).toMatchObject([
    { partner_name: 'Partner', user_id: 'dan' },
  ])
})

test('reads that cannot be written are kept', async () => {
  const accessToken = await accessTokenOf(db.database, 'bob')
  await call(accessToken, 'households?page_size=2&page=1')
  await query(db.database, 'ALTER TABLE read_log RENAME TO read_log_gone')
  await readLog.write()
  await query(db.database, 'ALTER TABLE read_log_gone RENAME TO read_log')
  expect(await readsByHousehold('bob')).toEqual({ h1: 1, h3: 1, h4: 1 })
})

test('the log is kept for so many months', async () => {
  const old = (months: number) => `(now() AT TIME ZONE 'UTC' - interval '${months} months')::date`
  await query(
    db.database,
    `INSERT INTO read_log VALUES (900001, ${old(14)}, 1, '{[1,2)}', true), (900001, ${old(12)}, 1, '{[1,2)}', true),
                                 (900002, ${old(14)}, 1, '{[1,2)}', true)`,
  )
  await query(
    db.database,
    `INSERT INTO read_log_grants VALUES (900001, 'x', 'y', 'z'), (900002, 'x', 'y', 'z')`,
  )
  expect(await purge(db.database)).toMatchObject({ read_log: 2, read_log_grants: 1 })
  expect(await query(db.database, 'SELECT grant_id FROM read_log WHERE grant_id > 900000')).toHaveLength(1)
})

test('merged reads are the sum of the reads, for any reads', async () => {
  const household = fc.integer({ min: 1, max: 30 })
  const answers = fc.array(fc.uniqueArray(household, { minLength: 1, maxLength: 12 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(answers, async (pages) => {
      await query(db.database, 'DELETE FROM read_log WHERE grant_id = 900003')
      for (const page of pages) {
        const set = `{${page.map((number) => `[${number},${number + 1})`).join()}}`
        await query(
          db.database,
          `INSERT INTO read_log VALUES (900003, '2026-01-01', 1, $1::int4multirange, false)`,
          [set],
        )
      }
      const sums = () =>
        query(
          db.database,
          `SELECT n, sum(reads)::int AS reads FROM generate_series(1, 30) n
             JOIN read_log ON households @> n WHERE grant_id = 900003 GROUP BY n ORDER BY n`,
        )
      const before = await sums()
      await purge(db.database)
      expect(await sums()).toEqual(before)
      const rows = await query(db.database, 'SELECT reads FROM read_log WHERE grant_id = 900003')
      expect(new Set(rows.map(({ reads }) => reads)).size).toBe(rows.length)
    }),
    { numRuns: 15 },
  )
})
