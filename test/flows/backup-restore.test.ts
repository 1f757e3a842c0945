import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { writeHeartbeat } from '../../src/status/heartbeat.sql.ts'
import { backupFixture } from '../support/backup.ts'
import { tokensFor } from '../support/connection.ts'
import { query, type TestDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { api, refresh } from '../support/journey.ts'
import { disconnect, loggedIn } from '../support/pages.ts'
import type { TestPartner } from '../support/server.ts'

const backups = await backupFixture({
  users: ['ada', 'bob', 'cho', 'dee', 'eve', 'fay'],
  households: [
    { id: 'h1', name: 'Tab\there, "quotes", back\\slash and\nline' },
    { id: 'h2', name: null },
  ],
  accounts: [{ id: 'a1', household: 'h1' }],
})
const { source, server, directory, cliFor, backup, withRestored } = backups
const partner = await server.partner()

const tablesOf = async (database: TestDatabase) =>
  (
    await query<{ name: string }>(
      database.database,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
  )
    .map(({ name }) => name)
    .sort()

/** All rows of a table as text, sorted by that text, without what a restore ends. */
async function rowsOf(database: TestDatabase, table: string): Promise<string[]> {
  const rows = await query<{ row: string }>(
    database.database,
    `SELECT (to_jsonb(t) - '{access_nonce,previous_access_nonce}'::text[])::text AS row FROM ${table} t ORDER BY 1`,
  )
  return rows.map(({ row }) => row)
}

describe('a backup', () => {
  test('restores every row except short-lived ones, and new ids continue after the restored ids', async () => {
    await tokensFor(server, partner, 'ada')
    await source.database.run(writeHeartbeat, [])
    const file = await backup()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const restored = await cliFor(backups.target).json('restore', file, '--replaces', source.url)
    expect(restored).toMatchObject({ ended: { grants: 0, connections: 0, users: 0, partners: 0 } })
    expect(await tablesOf(backups.target)).toEqual(await tablesOf(source))
    for (const table of ['sessions', 'client_assertions', 'login_failures']) {
      expect(await rowsOf(backups.target, table)).toEqual([])
    }
    for (const table of [
      'firms',
      'users',
      'households',
      'accounts',
      'partners',
      'grants',
      'connections',
      'signing_keys',
      'uptimes',
    ]) {
      expect([table, await rowsOf(backups.target, table)]).toEqual([table, await rowsOf(source, table)])
    }
    // The status page says nothing about the time between: its heartbeats are lost.
    const lost = await query(
      backups.target.database,
      'SELECT FROM lost_heartbeats JOIN uptimes ON up_to = lost_from AND lost_to > lost_from',
    )
    expect(lost).toHaveLength(1)
    await withRestored(async (moved) => {
      const { accessToken } = await tokensFor(moved, partner, 'fay')
      expect((await api(moved, 'households', accessToken)).body).toHaveLength(2)
    })
  })

  test('is a consistent snapshot while related rows are written', async () => {
    await seed(source.database, { households: [{ id: 'pairs' }] })
    let writing = true
    let written = 0
    const writer = source.database.withConnection(async (client) => {
      for (let n = 0; writing; n++) {
        await client.query(
          `WITH household AS (INSERT INTO households (id, firm_id, name) VALUES ($1, 'firm-1', 'pair') RETURNING id)
           INSERT INTO accounts (id, household_id, status) SELECT 'account-' || id, 'pairs', 'active' FROM household`,
          [`pair-${n}`],
        )
        written = n + 1
      }
    })
    await vi.waitUntil(() => written > 20)
    const file = await backup()
    writing = false
    await writer
    await cliFor(backups.target).json('restore', file, '--end-all-grants')
    const [counts] = await query<{ households: number; accounts: number }>(
      backups.target.database,
      `SELECT (SELECT count(*)::int FROM households WHERE name = 'pair') AS households,
              (SELECT count(*)::int FROM accounts WHERE household_id = 'pairs') AS accounts`,
    )
    expect(counts?.households).toBe(counts?.accounts)
    expect(counts?.households).toBeGreaterThan(0)
  })

  test('never overwrites a file', async () => {
    const file = await backup()
    const before = readFileSync(file)
    const { code, stderr } = await cliFor(source).run('backup', file)
    expect([code, stderr]).toEqual([1, expect.stringContaining('already exists')])
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})

describe('51: grants, connections, users and secrets that ended after the backup stay ended', () => {
  test('with --replaces, the restore reads the endings from the replaced database', async () => {
    const other = await server.partner({ name: 'Other' })
    const rotated = await server.partner({ name: 'Rotated' })
    const kept = await tokensFor(server, partner, 'bob')
    const disconnected = await tokensFor(server, partner, 'cho')
    const revoked = await tokensFor(server, partner, 'dee')
    const disabled = await tokensFor(server, partner, 'eve')
    const expired = await tokensFor(server, partner, 'fay')
    const ofSuspended = await tokensFor(server, other, 'bob')
    const ofRotated = await tokensFor(server, rotated, 'bob')
    const file = await backup()
    const cli = cliFor(source)
    const [grant] = await cli.json('grant', 'list', '--user', 'cho')
    await cli.json('grant', 'revoke', grant.id)
    await fetch(`${server.baseUrl}oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: partner.clientId,
        client_secret: partner.clientSecret,
        token: revoked.refreshToken,
      }),
    })
    await query(source.database, `UPDATE grants SET expires_at = now() WHERE user_id = 'fay'`)
    await cli.json('user', 'disable', 'eve')
    await cli.json('partner', 'suspend', other.clientId)
    const { client_secret } = await cli.json('partner', 'rotate-secret', rotated.clientId, '--end-others')
    const { ended } = await cliFor(backups.target).json('restore', file, '--replaces', source.url)
    expect(ended).toEqual({ grants: 2, connections: 1, users: 1, partners: 2 })
    await withRestored(async (restored) => {
      const statusOf = async (by: TestPartner, token: string) => (await refresh(restored, by, token)).status
      expect(await statusOf(partner, kept.refreshToken)).toBe(200)
      for (const { refreshToken } of [disconnected, revoked, expired, disabled]) {
        expect(await statusOf(partner, refreshToken)).toBe(400)
      }
      expect(await statusOf(other, ofSuspended.refreshToken)).toBe(400)
      expect(await statusOf(rotated, ofRotated.refreshToken)).toBe(401)
      expect(await cliFor(backups.target).json('user', 'show', 'eve')).toMatchObject({
        status: 'disabled',
        disabled_by_operator_at: expect.any(String),
      })
      const renewed = { ...rotated, clientSecret: client_secret }
      expect(await statusOf(renewed, ofRotated.refreshToken)).toBe(200)
    })
    await cli.json('user', 'enable', 'eve').catch(() => {})
  })

  test('with --endings, the restore reads the endings from the server log', async () => {
    const own = await server.partner({ name: 'Logged' })
    const disconnected = await tokensFor(server, own, 'fay')
    const revoked = await tokensFor(server, own, 'bob')
    const kept = await tokensFor(server, own, 'dee')
    const file = await backup()
    await disconnect(await loggedIn(server, 'fay'), server, 'Logged')
    await fetch(`${server.baseUrl}oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: own.clientId,
        client_secret: own.clientSecret,
        token: revoked.refreshToken,
      }),
    })
    const log = join(directory, 'server.log')
    writeFileSync(log, `not JSON\n${server.logs()}`)
    const { ended } = await cliFor(backups.target).json('restore', file, '--endings', log)
    expect(ended).toMatchObject({ grants: 1, connections: 1 })
    await withRestored(async (restored) => {
      expect((await refresh(restored, own, disconnected.refreshToken)).status).toBe(400)
      expect((await refresh(restored, own, revoked.refreshToken)).status).toBe(400)
      expect((await refresh(restored, own, kept.refreshToken)).status).toBe(200)
    })
  })

  test('without either option, the restore is refused; --end-all-grants ends all grants', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const file = await backup()
    const { code, stderr } = await cliFor(backups.target).run('restore', file)
    expect([code, stderr]).toEqual([1, expect.stringContaining('--end-all-grants')])
    expect(await tablesOf(backups.target)).toEqual([])
    await cliFor(backups.target).json('restore', file, '--end-all-grants')
    await withRestored(async (restored) => {
      expect((await refresh(restored, partner, refreshToken)).status).toBe(400)
    })
  })
})
