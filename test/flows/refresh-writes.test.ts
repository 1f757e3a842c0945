import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { openPool } from '../../src/database/database.ts'
import { openEmbedded } from '../../src/database/embedded/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import { nonceBytes, parseRefreshToken } from '../../src/secrets/connection-token.ts'
import { sha256 } from '../../src/secrets/token-format.ts'
import { rotateNewestToken, rotateRefreshToken } from '../../src/tokens/rotate.sql.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { testKeys } from '../support/server.ts'

const connections = 20
const refreshes = 1000

// A PostgreSQL of its own: transactions in other databases delay the removal of old versions of rows.
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }
const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-refresh-writes-'))
const postgres = await openEmbedded({ dataDir, as: 'server', settings })
const database = openPool(postgres.url, () => {})
afterAll(async () => {
  await database.close()
  await postgres.leave()
  rmSync(dataDir, { recursive: true })
})
await migrate(database)
const server = await serverFixture({
  on: { url: postgres.url, database, drop: async () => {} },
  users: ['ada'],
})
const partner = await server.partner()

/** A session reports its statistics when it ends. */
async function endOtherSessions(session: pg.Client): Promise<void> {
  const others = `FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
  await session.query(`SELECT pg_terminate_backend(pid) ${others}`)
  await expect
    .poll(async () => (await session.query(`SELECT ${others}`)).rowCount, { timeout: 20_000 })
    .toBe(0)
}

test('1,000 refreshes write 300 bytes of WAL each at most, and 99 % of them are HOT updates', async () => {
  const locators: Buffer[] = []
  for (let n = 0; n < connections; n++) {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const parsed = parseRefreshToken(refreshToken, 'sandbox', testKeys('sandbox'))
    if (parsed.kind === 'refused') throw new Error(parsed.reason)
    locators.push(sha256(parsed.token.locator))
  }
  const client = [partner.clientId, 'client_secret_post', sha256(partner.clientSecret)]
  const expiresAt = new Date(Date.now() + 3_600_000)
  await server.database.withConnection(async (session) => {
    await endOtherSessions(session)
    const totals = async () => {
      await session.query('SELECT pg_stat_force_next_flush()')
      const { rows } = await session.query<{ wal: number; images: number; updated: number; hot: number }>(
        `SELECT w.wal_bytes::float AS wal, w.wal_fpi::float AS images,
                t.n_tup_upd::float AS updated, t.n_tup_hot_upd::float AS hot
           FROM pg_stat_get_backend_wal(pg_backend_pid()) w, pg_stat_user_tables t WHERE relname = 'connections'`,
      )
      return rows[0] ?? expect.fail()
    }
    const rotate = async (n: number) => {
      const generation = 1 + Math.floor(n / connections)
      const values = [...client, locators[n % connections], generation, expiresAt, randomBytes(nonceBytes)]
      const { rows } = await session.query({ ...rotateNewestToken, values })
      expect(rows[0]).toMatchObject({ generation: generation + 1 })
    }
    // Rows that were inserted together fill their page. The first new versions move to pages with more space.
    for (let n = 0; n < connections; n++) await rotate(n)
    const before = await totals()
    for (let n = 0; n < refreshes; n++) await rotate(connections + n)
    const after = await totals()
    expect(after.images).toBe(before.images)
    expect((after.wal - before.wal) / refreshes).toBeLessThanOrEqual(300)
    expect(after.updated - before.updated).toBe(refreshes)
    expect((after.hot - before.hot) / refreshes).toBeGreaterThanOrEqual(0.99)
  })
})

test('no column that a refresh changes is in an index', async () => {
  const indexed = await query<{ name: string }>(
    server.database,
    `SELECT DISTINCT a.attname AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
      WHERE i.indrelid = 'connections'::regclass
        AND (a.attnum = ANY (i.indkey) OR pg_get_indexdef(i.indexrelid) ~ ('\\m' || a.attname || '\\M'))`,
  )
  const set = /SET([\s\S]*?)FROM client/.exec(rotateRefreshToken.text)?.[1] ?? ''
  const changed = [...set.matchAll(/^\s*(?:UPDATE connections c SET)?\s*(\w+) = CASE/gm)].map(
    ([, name]) => name,
  )
  expect(changed).toContain('generation')
  expect(changed).toContain('access_nonce')
  // They change once, when the connection ends: then it does not matter.
  const atTheEnd = ['revoked_at', 'revoked_for']
  const names = indexed.map(({ name }) => name)
  expect(changed.filter((name = '') => names.includes(name) && !atTheEnd.includes(name))).toEqual([])
})
