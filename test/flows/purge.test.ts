import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { codeFor, connectionOf, type Issued, issued } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, authorize, logIn, refresh, token } from '../support/journey.ts'
import { attempt, right, wrong } from '../support/login.ts'
import { purge } from '../support/purge.ts'
import { isLoggedIn, leaveIdle } from '../support/sessions.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'
import { readsOf } from '../support/usage.ts'
import { Visitor } from '../support/visitor.ts'

const hour = 3600
const day = 24 * hour

const db = await databaseFixture()
const clock = await movableClock(db)
const server = await serverFixture({ on: db, clock })
const partner = await server.partner()
const users = ['ada', 'bob', 'cleo', 'dan', 'eve'].map((id) => ({ id }))
await seed(db.database, { users, households: ['h1'] })

const newCode = () => codeFor(server, partner, 'ada')
const redeem = (code: string) => token(server, partner, { grant_type: 'authorization_code', code })
const rotate = async (refreshToken: string): Promise<Issued> =>
  issued(await refresh(server, partner, refreshToken))
const rows = async (table: string) => (await query(db.database, `SELECT FROM ${table}`)).length

/** What the API answers to this access token: the households, or the detail of the error. */
async function apiAnswer(accessToken: string): Promise<unknown> {
  const { body } = await api(server, 'households', accessToken)
  return typeof body === 'object' && body !== null && 'detail' in body ? body.detail : body
}

describe('tokens', () => {
  test('that are live work as before', async () => {
    const { accessToken, refreshToken } = issued(await redeem(await newCode()))
    const next = await rotate(refreshToken)
    await purge(db.database)
    expect(await apiAnswer(accessToken)).toEqual([{ id: 'h1', name: 'h1' }])
    expect((await rotate(refreshToken)).refreshToken).toBe(next.refreshToken)
    await rotate(next.refreshToken)
  })

  test('that expired are reported as expired, even after their connection was removed', async () => {
    const { accessToken, refreshToken } = issued(await redeem(await newCode()))
    await server.passTime(34 * day - 60)
    await purge(db.database)
    expect(await apiAnswer(accessToken)).toMatch(/^Expired access token/)
    expectInvalidGrant(await refresh(server, partner, refreshToken), /^Expired refresh token/)
    await server.passTime(120)
    await purge(db.database)
    await expect(connectionOf(server, refreshToken)).rejects.toThrow('no connection')
    expect(await apiAnswer(accessToken)).toMatch(/^Expired access token/)
    expectInvalidGrant(await refresh(server, partner, refreshToken), /^Unknown or expired/)
  })

  test('that were rotated count as a replay as long as the connection lives, even when they have expired', async () => {
    for (const days of [20, 40]) {
      const first = issued(await redeem(await newCode())).refreshToken
      let newest = (await rotate(first)).refreshToken
      for (let passed = 0; passed < days; passed += 20) {
        await server.passTime(20 * day)
        newest = (await rotate(newest)).refreshToken
      }
      await server.passTime(20 * day)
      await purge(db.database)
      expectInvalidGrant(await refresh(server, partner, first), /^Refresh token reuse detected\./)
      expectInvalidGrant(await refresh(server, partner, newest), /The connection has been revoked/)
    }
  })

  test('each refresh postpones the removal of the connection by 34 days', async () => {
    let { refreshToken } = issued(await redeem(await newCode()))
    for (let month = 0; month < 3; month++) {
      await server.passTime(30 * day)
      refreshToken = (await rotate(refreshToken)).refreshToken
      await purge(db.database)
    }
    await server.passTime(30 * day)
    await purge(db.database)
    await rotate(refreshToken)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, generation: 5 })
  })

  test('no connection is removed while tokens may be ahead of their rows after a restore', async () => {
    const { refreshToken } = issued(await redeem(await newCode()))
    const unredeemed = await newCode()
    await query(
      db.database,
      `INSERT INTO deployment (environment, accepts_tokens_ahead_until) VALUES ('sandbox', now() + interval '35 days')`,
    )
    await server.passTime(35 * day - 60)
    expect(await purge(db.database)).not.toHaveProperty('connections')
    for (const kept of [refreshToken, unredeemed]) expect(await connectionOf(server, kept)).toBeDefined()
    await server.passTime(120)
    await purge(db.database)
    for (const gone of [refreshToken, unredeemed]) {
      await expect(connectionOf(server, gone)).rejects.toThrow('no connection')
    }
  })
})

describe('codes', () => {
  test('presented twice count as a replay while one of their tokens is live, regardless of their age', async () => {
    const code = await newCode()
    let { refreshToken } = issued(await redeem(code))
    for (const days of [20, 20, 20]) {
      await server.passTime(days * day)
      await purge(db.database)
      refreshToken = (await rotate(refreshToken)).refreshToken
    }
    await server.passTime(29 * day)
    await purge(db.database)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ generation: 4 })
    expectInvalidGrant(await redeem(code), /^Authorization code reuse detected\./)
    expectInvalidGrant(await refresh(server, partner, refreshToken), /The connection has been revoked/)
  })

  test('that were never redeemed or were used up by a faulty request are removed after a day', async () => {
    const [unredeemed, misused] = [await newCode(), await newCode()]
    const misuse = { grant_type: 'authorization_code', code: misused, redirect_uri: 'https://other.example/' }
    expectInvalidGrant(await token(server, partner, misuse), /^redirect_uri differs/)
    const pass = async (seconds: number) => {
      await server.passTime(seconds)
      await purge(db.database)
    }
    await pass(day)
    for (const code of [unredeemed, misused]) expect(await connectionOf(server, code)).toBeDefined()
    await pass(120)
    for (const code of [unredeemed, misused]) expectInvalidGrant(await redeem(code), /^Unknown or expired/)
  })
})

describe('data of users', () => {
  test('a live session stays; an idle one and an expired one are removed', async () => {
    const [bob, cleo, dan] = [new Visitor(), new Visitor(), new Visitor()]
    for (const [visitor, userId] of [
      [bob, 'bob'],
      [cleo, 'cleo'],
      [dan, 'dan'],
    ] as const) {
      await logIn(visitor, await authorize(visitor, server, partner), userId)
    }
    await leaveIdle(server, 'bob', 29)
    await leaveIdle(server, 'cleo', 31)
    await query(db.database, `UPDATE sessions SET expires_at = now() WHERE user_id = 'dan'`)
    expect(await purge(db.database)).toMatchObject({ sessions: 2 })
    expect(await isLoggedIn(bob, server)).toBe(true)
    expect(await isLoggedIn(cleo, server)).toBe(false)
    expect(await isLoggedIn(dan, server)).toBe(false)
  })

  test('failed logins count until their fifteen minutes are over', async () => {
    for (let n = 0; n < 10; n++) await attempt(server, wrong('eve'))
    await purge(db.database)
    expect((await attempt(server, right('eve'))).status).toBe(429)
    await query(db.database, 'UPDATE login_failures SET resets_at = now()')
    const counted = await rows('login_failures')
    expect(await purge(db.database)).toMatchObject({ login_failures: counted })
    expect((await attempt(server, right('eve'))).status).toBe(303)
  })

  test('read counts stay for the 30 days that the page shows and a few more; grants, partners and users stay', async () => {
    await accessTokenOf(db.database, 'dan')
    const kept = [await rows('grants'), await rows('partners'), await rows('users')]
    await query(
      db.database,
      `INSERT INTO grant_reads SELECT g.id, (now() AT TIME ZONE 'UTC')::date - n, 1, 1, 1
         FROM grants g, generate_series(0, 99) n WHERE user_id = 'dan'`,
    )
    const listed = async () => (await dansPage.get(`${server.authUrl}/connections`)).text
    const dansPage = new Visitor()
    await logIn(dansPage, await authorize(dansPage, server, partner), 'dan')
    const before = await listed()
    await purge(db.database)
    const withoutForms = (page: string) => page.replaceAll(/value="[^"]*"/g, '')
    expect(withoutForms(await listed())).toBe(withoutForms(before))
    expect(before).toMatch(/\b30\b/)
    expect(await readsOf(db.database, 'dan')).toMatchObject({ requests: 35 })
    expect([await rows('grants'), await rows('partners'), await rows('users')]).toEqual(kept)
  })
})
