import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { backUp } from '../../src/backup/back-up.ts'
import { restore } from '../../src/backup/restore.ts'
import { openPool } from '../../src/database/database.ts'
import { parseRefreshToken, refreshTokenText } from '../../src/secrets/connection-token.ts'
import { connectionOf, type Issued, issued, tokensFor } from '../support/connection.ts'
import { query, testDatabase } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh, type TokenAnswer, token } from '../support/journey.ts'
import { logLines } from '../support/logs.ts'
import { type TestServer, testKeys, testServer } from '../support/server.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'

const day = 24 * 3600
const windowDays = 7

const source = await serverFixture({ users: ['ada'], households: ['h1'] })
const partner = await source.partner()
const other = await source.partner({ name: 'Other Partner' })
await query(source.database, `INSERT INTO deployment (environment) VALUES ('sandbox') ON CONFLICT DO NOTHING`)

const files: string[] = []
afterAll(() => {
  for (const file of files) rmSync(file, { force: true })
})
const newFile = () => {
  const file = join(tmpdir(), `latchkey-restored-${randomBytes(6).toString('hex')}`)
  files.push(file)
  return file
}

/** A backup of the source as it is now, and a server on the database that it is restored into. */
async function backedUp(tokenWindowDays = windowDays): Promise<() => Promise<TestServer>> {
  const [file, noEndings] = [newFile(), newFile()]
  await backUp(source.database, 'sandbox', file, new Date())
  writeFileSync(noEndings, '')
  return async () => {
    const target = await testDatabase()
    onTestFinished(() => target.drop())
    await query(target.database, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    await restore(target.database, systemOrigin, file, {
      environment: 'sandbox',
      keys: testKeys('sandbox'),
      endings: { kind: 'log', file: noEndings },
      tokenWindowDays,
    })
    const clock = await movableClock(target)
    const database = openPool(target.url, () => {}) // connections from before do not have the clock
    const server = await testServer({ on: { ...target, database }, clock })
    onTestFinished(async () => {
      await server.close()
      await database.close()
    })
    return server
  }
}

async function refreshTimes(times: number, { refreshToken }: Issued): Promise<Issued> {
  let tokens: Issued = { accessToken: '', refreshToken, idToken: '' }
  for (let n = 0; n < times; n++) tokens = issued(await refresh(source, partner, tokens.refreshToken))
  return tokens
}

const logged = (server: TestServer, { headers }: TokenAnswer) =>
  logLines(server, headers.get('x-api-request-id') ?? '').find(({ event }) => event === 'token')
const statusOf = async (server: TestServer, { accessToken }: Issued) =>
  (await api(server, 'households', accessToken)).status

/** Six requests that all wait for the row of the connection before the first of them changes it. */
async function atOnce(server: TestServer, ask: () => Promise<TokenAnswer>): Promise<TokenAnswer[]> {
  return server.database.withConnection(async (holder) => {
    await holder.query('BEGIN; SELECT FROM connections FOR UPDATE')
    const pending = Array.from({ length: 6 }, ask)
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    try {
      await expect
        .poll(async () => (await query(server.database, waiting)).length, { timeout: 20_000 })
        .toBe(6)
    } finally {
      await holder.query('ROLLBACK')
    }
    return Promise.all(pending)
  })
}

/** The token with another generation, as only the server's secret can make it. */
function ofGeneration(refreshToken: string, change: (generation: number) => number): string {
  const parsed = parseRefreshToken(refreshToken, 'sandbox', testKeys('sandbox'))
  if (parsed.kind === 'refused') throw new Error(parsed.reason)
  const generation = change(parsed.token.generation)
  return refreshTokenText('sandbox', testKeys('sandbox').current, { ...parsed.token, generation })
}

function expectAhead(server: TestServer, answer: TokenAnswer): void {
  expectInvalidGrant(answer, /./)
  expect(logged(server, answer)).toMatchObject({ outcome: 'refresh_token_ahead' })
}

describe('61: a refresh token that is newer than the restored backup', () => {
  test('is accepted in the window, the log says so, and the chain goes on', async () => {
    const atBackup = await tokensFor(source, partner, 'ada')
    const restoring = await backedUp()
    const newest = await refreshTimes(3, atBackup)
    const restored = await restoring()
    const answer = await refresh(restored, partner, newest.refreshToken)
    const fifth = issued(answer)
    expect(logged(restored, answer)).toMatchObject({ outcome: 'issued', ahead_of_row: 'accepted' })
    expect(await connectionOf(restored, newest.refreshToken)).toMatchObject({ revoked: false, generation: 5 })
    expect(await statusOf(restored, fifth)).toBe(200)

    const again = await refresh(restored, partner, newest.refreshToken)
    expect(issued(again).refreshToken).toBe(fifth.refreshToken)
    expect(logged(restored, again)).not.toHaveProperty('ahead_of_row')
    const sixth = issued(await refresh(restored, partner, fifth.refreshToken))
    expect(await statusOf(restored, sixth)).toBe(200)
    await restored.passTime(121)
    expectInvalidGrant(
      await refresh(restored, partner, atBackup.refreshToken),
      /^Refresh token reuse detected\./,
    )
    expect(await connectionOf(restored, sixth.refreshToken)).toMatchObject({
      revoked_for: 'refresh_replayed',
    })
  })

  test('of a connection that the backup does not have is unknown', async () => {
    const restoring = await backedUp()
    const newest = await refreshTimes(2, await tokensFor(source, partner, 'ada'))
    const restored = await restoring()
    expectInvalidGrant(await refresh(restored, partner, newest.refreshToken), /^Unknown or expired/)
  })

  test('several times at once: all get the same successor', async () => {
    const atBackup = await tokensFor(source, partner, 'ada')
    const restoring = await backedUp()
    const newest = await refreshTimes(2, atBackup)
    const restored = await restoring()
    const answers = await atOnce(restored, () => refresh(restored, partner, newest.refreshToken))
    expect(new Set(answers.map((answer) => issued(answer).refreshToken)).size).toBe(1)
    expect(await connectionOf(restored, newest.refreshToken)).toMatchObject({ revoked: false, generation: 4 })
  })

  test('of another client, or at another endpoint, changes nothing', async () => {
    const atBackup = await tokensFor(source, partner, 'ada')
    const restoring = await backedUp()
    const { refreshToken } = await refreshTimes(2, atBackup)
    const restored = await restoring()
    expectInvalidGrant(await refresh(restored, other, refreshToken), /or it was issued to another client\.$/)
    const introspected = await token(restored, partner, { token: refreshToken }, 'introspect')
    expect(introspected.body).toEqual({ active: false })
    expect((await token(restored, other, { token: refreshToken }, 'revoke')).status).toBe(200)
    expect(await connectionOf(restored, refreshToken)).toMatchObject({ revoked: false, generation: 1 })
    expect((await token(restored, partner, { token: refreshToken }, 'revoke')).status).toBe(200)
    expect(await connectionOf(restored, refreshToken)).toMatchObject({ revoked_for: 'partner' })
  })

  test('by 1,000 generations is accepted, by more is refused', async () => {
    const { refreshToken } = await tokensFor(source, partner, 'ada')
    const restored = await (await backedUp())()
    const later = (by: number) => ofGeneration(refreshToken, (generation) => generation + by)
    expectAhead(restored, await refresh(restored, partner, later(1001)))
    expect(await connectionOf(restored, refreshToken)).toMatchObject({ revoked: false, generation: 1 })
    issued(await refresh(restored, partner, later(1000)))
    expect(await connectionOf(restored, refreshToken)).toMatchObject({ revoked: false, generation: 1002 })
  })

  test.each([
    ['after the window', windowDays, windowDays * day + 60],
    ['if the operator opened no window', 0, 0],
  ])('%s is refused, and the token of the backup still works', async (_when, days, seconds) => {
    const atBackup = await tokensFor(source, partner, 'ada')
    const restoring = await backedUp(days)
    const newest = await refreshTimes(2, atBackup)
    const restored = await restoring()
    await restored.passTime(seconds)
    expectAhead(restored, await refresh(restored, partner, newest.refreshToken))
    issued(await refresh(restored, partner, atBackup.refreshToken))
    expect(await connectionOf(restored, atBackup.refreshToken)).toMatchObject({
      revoked: false,
      generation: 2,
    })
  })

  test('is refused as long as no backup was restored', async () => {
    const { refreshToken } = await tokensFor(source, partner, 'ada')
    const ahead = ofGeneration(refreshToken, (generation) => generation + 1)
    expectAhead(source, await refresh(source, partner, ahead))
    expect(await connectionOf(source, refreshToken)).toMatchObject({ revoked: false, generation: 1 })
  })
})

test('61: access tokens from before a restore have ended, and a refresh gives new ones', async () => {
  const atBackup = await tokensFor(source, partner, 'ada')
  const restored = await (await backedUp())()
  expect(await statusOf(source, atBackup)).toBe(200)
  expect(await api(restored, 'households', atBackup.accessToken)).toMatchObject({
    status: 401,
    body: { detail: expect.stringContaining('Get a new one with the refresh token') },
  })
  const next = issued(await refresh(restored, partner, atBackup.refreshToken))
  expect(await statusOf(restored, next)).toBe(200)
})
