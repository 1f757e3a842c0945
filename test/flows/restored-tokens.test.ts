import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { backUp } from '../../src/backup/back-up.ts'
import { restore } from '../../src/backup/restore.ts'
import { openPool } from '../../src/database/database.ts'
import { parseRefreshToken, refreshTokenText } from '../../src/secrets/connection-token.ts'
import { connectionOf, type Issued, issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, refresh, type TokenAnswer, token } from '../support/journey.ts'
import { logLines } from '../support/logs.ts'
import { type TestServer, testKeys } from '../support/server.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'

const day = 24 * 3600
const windowDays = 7

/** One for each test: what happens to the connection of one test does not concern the others. */
const users = [
  'chain',
  'late',
  'race',
  'foreign',
  'far',
  'window',
  'no-window',
  'no-restore',
  'access',
] as const
type User = (typeof users)[number]

const source = await serverFixture({ users: [...users], households: ['h1'] })
const partner = await source.partner()
const other = await source.partner({ name: 'Other Partner' })
await query(source.database, `INSERT INTO deployment (environment) VALUES ('sandbox') ON CONFLICT DO NOTHING`)

const directory = mkdtempSync(join(tmpdir(), 'latchkey-restored-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const [file, noEndings] = [join(directory, 'backup'), join(directory, 'endings')]
writeFileSync(noEndings, '')

/** The tokens of all users but `late`, who connects after the backup. */
const atBackup = new Map<User, Issued>()
for (const user of users) if (user !== 'late') atBackup.set(user, await tokensFor(source, partner, user))
await backUp(source.database, 'sandbox', file, new Date())

const tokensAtBackup = (user: User) => atBackup.get(user) ?? expect.fail()

/** A server on a database that the backup was restored into. */
async function restoredServer(tokenWindowDays: number): Promise<TestServer> {
  const target = await databaseFixture()
  await query(target.database, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  await restore(target.database, systemOrigin, file, {
    environment: 'sandbox',
    keys: testKeys('sandbox'),
    endings: { kind: 'log', file: noEndings },
    tokenWindowDays,
  })
  const clock = await movableClock(target)
  const database = openPool(target.url, () => {}) // connections from before do not have the clock
  afterAll(() => database.close())
  return serverFixture({ on: { ...target, database }, clock })
}

const restored = await restoredServer(windowDays)
const withoutWindow = await restoredServer(0)

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
  test('of a connection that the backup does not have is unknown', async () => {
    const newest = await refreshTimes(2, await tokensFor(source, partner, 'late'))
    expectInvalidGrant(await refresh(restored, partner, newest.refreshToken), /^Unknown or expired/)
  })

  test('several times at once: all get the same successor', async () => {
    const newest = await refreshTimes(2, tokensAtBackup('race'))
    const answers = await atOnce(restored, () => refresh(restored, partner, newest.refreshToken))
    expect(new Set(answers.map((answer) => issued(answer).refreshToken)).size).toBe(1)
    expect(await connectionOf(restored, newest.refreshToken)).toMatchObject({ revoked: false, generation: 4 })
  })

  test('of another client, or at another endpoint, changes nothing', async () => {
    const { refreshToken } = await refreshTimes(2, tokensAtBackup('foreign'))
    expectInvalidGrant(await refresh(restored, other, refreshToken), /or it was issued to another client\.$/)
    const introspected = await token(restored, partner, { token: refreshToken }, 'introspect')
    expect(introspected.body).toEqual({ active: false })
    expect((await token(restored, other, { token: refreshToken }, 'revoke')).status).toBe(200)
    expect(await connectionOf(restored, refreshToken)).toMatchObject({ revoked: false, generation: 1 })
    expect((await token(restored, partner, { token: refreshToken }, 'revoke')).status).toBe(200)
    expect(await connectionOf(restored, refreshToken)).toMatchObject({ revoked_for: 'partner' })
  })

  test('by 1,000 generations is accepted, by more is refused', async () => {
    const { refreshToken } = tokensAtBackup('far')
    const later = (by: number) => ofGeneration(refreshToken, (generation) => generation + by)
    expectAhead(restored, await refresh(restored, partner, later(1001)))
    expect(await connectionOf(restored, refreshToken)).toMatchObject({ revoked: false, generation: 1 })
    issued(await refresh(restored, partner, later(1000)))
    expect(await connectionOf(restored, refreshToken)).toMatchObject({ revoked: false, generation: 1002 })
  })

  test('is accepted in the window, the log says so, and the chain goes on', async () => {
    const oldest = tokensAtBackup('chain')
    const newest = await refreshTimes(3, oldest)
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
      await refresh(restored, partner, oldest.refreshToken),
      /^Refresh token reuse detected\./,
    )
    expect(await connectionOf(restored, sixth.refreshToken)).toMatchObject({
      revoked_for: 'refresh_replayed',
    })
  })

  test('is refused as long as no backup was restored', async () => {
    const { refreshToken } = tokensAtBackup('no-restore')
    const ahead = ofGeneration(refreshToken, (generation) => generation + 1)
    expectAhead(source, await refresh(source, partner, ahead))
    expect(await connectionOf(source, refreshToken)).toMatchObject({ revoked: false, generation: 1 })
  })
})

test('61: access tokens from before a restore have ended, and a refresh gives new ones', async () => {
  const oldest = tokensAtBackup('access')
  expect(await statusOf(source, oldest)).toBe(200)
  expect(await api(restored, 'households', oldest.accessToken)).toMatchObject({
    status: 401,
    body: { detail: expect.stringContaining('Get a new one with the refresh token') },
  })
  const next = issued(await refresh(restored, partner, oldest.refreshToken))
  expect(await statusOf(restored, next)).toBe(200)
})

// Last, because the clock of the first server is then after the window.
describe('61: a refresh token that is newer than the restored backup, outside the window', () => {
  test.each<[string, User, TestServer, number]>([
    ['after the window', 'window', restored, windowDays * day + 60],
    ['if the operator opened no window', 'no-window', withoutWindow, 0],
  ])('%s is refused, and the token of the backup still works', async (_when, user, server, seconds) => {
    const oldest = tokensAtBackup(user)
    const newest = await refreshTimes(2, oldest)
    await server.passTime(seconds)
    expectAhead(server, await refresh(server, partner, newest.refreshToken))
    issued(await refresh(server, partner, oldest.refreshToken))
    expect(await connectionOf(server, oldest.refreshToken)).toMatchObject({
      revoked: false,
      generation: 2,
    })
  })
})
