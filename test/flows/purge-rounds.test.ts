import { pino } from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startServer } from '../../src/main.ts'
import { purgeConnections, purgeExpired } from '../../src/maintenance/purge.sql.ts'
import { Purge } from '../../src/maintenance/purge.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { codeFor, issued, tokensFor } from '../support/connection.ts'
import { query, testDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { interruptibleDatabase } from '../support/interruptible-database.ts'
import { api, refresh, token } from '../support/journey.ts'
import { freePort } from '../support/ports.ts'
import { heardDatabase, leaveExpired, purge, testRetention } from '../support/purge.ts'
import { Visitor } from '../support/visitor.ts'

let opened: ReturnType<typeof heardDatabase>[] = []

const db = await databaseFixture()
const server = await serverFixture({ on: db })
await seed(db.database, { users: ['ada', 'bob'], households: ['h1'] })
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(opened.map(({ database }) => database.close()))
  opened = []
  await purge(db.database)
})

/** The purge of another server, with its own database connections. */
function otherServer(url = db.url) {
  const own = heardDatabase(url)
  opened.push(own)
  const lines: Record<string, unknown>[] = []
  const logger = pino({}, { write: (line) => lines.push(JSON.parse(line)) })
  return { own, lines, purge: new Purge(own.database, logger, testRetention) }
}

/** Pauses a server after its next statement. @returns a function that lets it continue */
function hold({ own }: ReturnType<typeof otherServer>): () => void {
  let release = () => {}
  own.gate = new Promise((resolve) => {
    release = resolve
  })
  return release
}

describe('one round', () => {
  test('removes 2,000 expired rows of each table in batches of at most 1000, and logs it once', async () => {
    const left = await leaveExpired(db.database, 'ada', 2000)
    const { own, lines, purge: purging } = otherServer()
    expect(await purging.round()).toEqual(left)
    const removed = (table: string) =>
      own.heard.filter(({ statement }) => statement === `purge_${table}`).map(({ row }) => row)
    for (const table of Object.keys(purgeExpired)) {
      expect(removed(table)).toEqual([{ removed: 1000 }, { removed: 1000 }, { removed: 0 }])
    }
    expect(removed('connections')).toHaveLength(3)
    expect(lines).toMatchObject([{ event: 'purge', outcome: 'removed', ...left }])
    expect(await purging.round()).toEqual({})
    expect(lines).toHaveLength(1)
    const later = await leaveExpired(db.database, 'ada', 5)
    expect(await purging.round()).toEqual(later)
  })

  test('skips a row that another transaction has locked, and does not wait', async () => {
    await leaveExpired(db.database, 'ada', 3)
    await db.database.withConnection(async (holder) => {
      await holder.query('BEGIN')
      await holder.query(`SELECT FROM login_failures WHERE resets_at < now() LIMIT 1 FOR UPDATE`)
      expect(await purge(db.database)).toMatchObject({
        client_assertions: 3,
        login_failures: 2,
        connections: 3,
      })
    })
    expect(await purge(db.database)).toEqual({ login_failures: 1 })
  })

  test('does not block requests, even before it has committed', async () => {
    const partner = await server.partner()
    const tokens = await tokensFor(server, partner, 'bob')
    const ada = new Visitor()
    const code = await codeFor(server, partner, 'bob')
    await leaveExpired(db.database, 'ada', 100)
    await db.database.withConnection(async (purging) => {
      await purging.query('BEGIN')
      for (const { text } of Object.values(purgeExpired)) {
        expect((await purging.query(text)).rows).toEqual([{ removed: 100 }])
      }
      expect((await purging.query(purgeConnections.text, ['0'])).rows).toMatchObject([{ removed: 100 }])
      expect((await api(server, 'households', tokens.accessToken)).status).toBe(200)
      issued(await refresh(server, partner, tokens.refreshToken))
      issued(await token(server, partner, { grant_type: 'authorization_code', code }))
      await codeFor(server, partner, 'ada', { visitor: ada })
      expect((await token(server, partner, { grant_type: 'authorization_code', code })).status).toBe(400)
      expect((await token(server, partner, { token: tokens.refreshToken }, 'revoke')).status).toBe(200)
    })
  })
})

test('the purge finds its rows by index among 3,000 live rows', async () => {
  const own = await testDatabase()
  await seed(own.database, { users: [{ id: 'ada' }] })
  await leaveExpired(own.database, 'ada', 3000)
  const live = [
    `UPDATE client_assertions SET expires_at = now() + interval '1 hour'`,
    `UPDATE used_challenges SET expires_at = now() + interval '1 hour'`,
    `UPDATE outbox SET expires_at = now() + interval '1 hour'`,
    `UPDATE password_links SET expires_at = now() + interval '1 hour'`,
    `UPDATE logout_tokens SET expires_at = now() + interval '1 hour'`,
    `UPDATE login_failures SET resets_at = now() + interval '1 hour'`,
    'UPDATE grant_reads SET day = day + 100000',
    'UPDATE household_changes SET changed_at = now()',
    'UPDATE access_changes SET changed_at = now()',
    'UPDATE account_changes SET changed_at = now()',
    'UPDATE account_access_changes SET changed_at = now()',
    'UPDATE limit_windows SET window_at = now()',
    'UPDATE call_hours SET hour = now()',
    'UPDATE call_days SET day = day + 100000',
    `UPDATE uptimes SET up_from = up_from + interval '900 days', up_to = up_to + interval '900 days'`,
    `UPDATE lost_heartbeats SET lost_from = lost_from + interval '900 days', lost_to = lost_to + interval '900 days'`,
    'UPDATE idempotent_requests SET created_at = now()',
    'UPDATE webhook_messages SET finished_at = now()',
    'UPDATE webhook_secrets SET expires_at = NULL',
    'ANALYZE',
  ]
  for (const text of live) await query(own.database, text)
  const plan = async (text: string) => JSON.stringify(await query(own.database, `EXPLAIN ${text}`))
  // A full scan of sessions is acceptable: they are those of the last eight hours, and they end in two ways. Operators are few.
  const {
    sessions: _,
    operator_sessions: __,
    operator_links: ___,
    developer_sessions: ____,
    developer_links: _____,
    ...byExpiry
  } = purgeExpired
  const plans = await Promise.all(Object.values(byExpiry).map(({ text }) => plan(text)))
  for (const each of plans)
    expect(each).toMatch(/Index Scan using \w+_(by_(expiry|reset|day|age|end)|expire|pkey)/)
  for (const each of plans) expect(each).not.toContain('Seq Scan')
  expect(await plan(purgeConnections.text.replaceAll('$1', '0'))).not.toContain('Seq Scan on connections')
  await own.drop()
})

describe('several servers', () => {
  test('while one server purges, another does nothing', async () => {
    const left = await leaveExpired(db.database, 'ada', 100)
    const [one, other] = [otherServer(), otherServer()]
    const release = hold(one)
    const round = one.purge.round()
    await expect.poll(() => one.own.heard.length).toBe(1)
    expect(await other.purge.round()).toEqual({})
    expect(other.own.heard).toEqual([])
    release()
    expect(await round).toEqual(left)
  })

  test('of four concurrent rounds, one does all the work', async () => {
    const left = await leaveExpired(db.database, 'ada', 1500)
    const servers = Array.from({ length: 4 }, () => otherServer())
    const rounds = await Promise.all(servers.map((each) => each.purge.round()))
    expect(rounds.filter((purged) => Object.keys(purged).length > 0)).toEqual([left])
  })
})

describe('in the background', () => {
  test('a round runs every minute, failures are logged and retried, and stop ends the timer', async () => {
    const target = await interruptibleDatabase()
    await seed(target.direct, { users: [{ id: 'ada' }] })
    const lines: string[] = []
    const logger = pino({ serializers: { error: String } }, { write: (line) => lines.push(line) })
    const purging = new Purge(target.database, logger, testRetention)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await leaveExpired(target.direct, 'ada', 5)
    purging.start()
    await vi.waitFor(() => expect(lines.join()).toContain('"client_assertions":5'))
    await purging.round() // waits for the logged round to end; otherwise the next call would only join it
    await target.cut()
    vi.advanceTimersByTime(60_000)
    await vi.waitFor(() => expect(lines.join()).toMatch(/"outcome":"failed".*database is unavailable/))
    await target.heal()
    await leaveExpired(target.direct, 'ada', 7)
    vi.advanceTimersByTime(60_000)
    await vi.waitFor(() => expect(lines.join()).toContain('"client_assertions":7'), { timeout: 8000 })
    await purging.stop()
    expect(vi.getTimerCount()).toBe(0)
    await target.drop()
  })

  test('an interrupted round keeps its completed batches, and the next round removes the rest', async () => {
    const target = await interruptibleDatabase()
    await seed(target.direct, { users: [{ id: 'ada' }] })
    const left = await leaveExpired(target.direct, 'ada', 1100)
    const interrupted = otherServer(target.url)
    const release = hold(interrupted)
    const round = interrupted.purge.round().catch((error) => error.name)
    await expect
      .poll(() => interrupted.own.heard)
      .toEqual([{ statement: 'purge_sessions', row: { removed: 1000 } }])
    await target.cut()
    release()
    expect(await round).toBeTypeOf('string')
    const purged = await purge(target.direct)
    expect(purged).toEqual({ ...left, sessions: 100 })
    expect(await purge(target.direct)).toEqual({})
    expect(await query(target.direct, 'SELECT FROM client_assertions')).toEqual([])
    await target.heal()
    await target.drop()
  })

  test('stop ends a round after the current batch', async () => {
    await leaveExpired(db.database, 'ada', 1100)
    const stopping = otherServer()
    const release = hold(stopping)
    const round = stopping.purge.round()
    await expect.poll(() => stopping.own.heard.length).toBe(1)
    const stopped = stopping.purge.stop()
    release()
    await stopped
    expect(await round).toEqual({ sessions: 1000 })
    expect(stopping.own.heard).toHaveLength(1)
  })

  test('a running server purges in the background', async () => {
    await leaveExpired(db.database, 'ada', 20)
    const live = await accessTokenOf(db.database, 'ada')
    const [port, opsPort] = [await freePort(), await freePort()]
    const config = { ...server.context.config, databaseUrl: db.url, port, opsPort }
    const started = await startServer(config, { defaultLogLevel: 'warn' })
    await expect
      .poll(
        async () =>
          (
            await query(
              db.database,
              "SELECT FROM connections WHERE redemptions = 0 AND code_expires_at < now() - interval '1 day'",
            )
          ).length,
      )
      .toBe(0)
    await started.close()
    expect((await api(server, 'households', live)).status).toBe(200)
  })
})
