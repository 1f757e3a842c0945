import { describe, expect, test } from 'vitest'
import { accessTokenText, parseAccessToken, parseRefreshToken } from '../../src/secrets/connection-token.ts'
import { connectionOf, type Issued, issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh, token } from '../support/journey.ts'
import { testKeys } from '../support/server.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'

const hour = 3600

const server = await serverFixture({ clock: true, users: ['ada'], households: ['h1'] })
const partner = await server.partner()

const rotate = async ({ refreshToken }: Issued) => issued(await refresh(server, partner, refreshToken))
const revoke = (text: string) => token(server, partner, { token: text }, 'revoke')
const statusOf = async (accessToken: string) => (await api(server, 'households', accessToken)).status

function contentOf(accessToken: string) {
  const parsed = parseAccessToken(accessToken, 'sandbox', testKeys('sandbox'))
  if (parsed.kind === 'refused') throw new Error(parsed.reason)
  return parsed.token
}

/** The token with an expiry in a month, as an attacker with the stolen secret can make it. */
function prolonged(accessToken: string): string {
  const content = contentOf(accessToken)
  return accessTokenText('sandbox', testKeys('sandbox').current, {
    ...content,
    expiresAt: content.expiresAt + 30 * 24 * hour,
  })
}

type Row = {
  access_nonce: Buffer | null
  previous_access_nonce: Buffer | null
  access_nonce_at: Date
  generation: number
  refreshed_at: Date
  marked_at: Date
  earlier_at: Date
}

async function rowOf({ refreshToken }: Issued): Promise<Row> {
  const parsed = parseRefreshToken(refreshToken, 'sandbox', testKeys('sandbox'))
  if (parsed.kind === 'refused') throw new Error(parsed.reason)
  const [row] = await query<Row>(
    server.database,
    'SELECT * FROM connections WHERE refresh_locator_hash = sha256($1)',
    [parsed.token.locator],
  )
  return row ?? expect.fail('no connection')
}

describe('63: the nonce of access tokens', () => {
  test('a token that was issued just before its nonce is replaced works for its whole hour', async () => {
    const first = await tokensFor(server, partner, 'ada')
    await server.passTime(hour + 50)
    const last = await rotate(first)
    expect(contentOf(last.accessToken).nonce).toEqual(contentOf(first.accessToken).nonce)
    await server.passTime(10)
    const next = await rotate(last)
    expect(contentOf(next.accessToken).nonce).not.toEqual(contentOf(last.accessToken).nonce)
    await server.passTime(hour - 60)
    const later = await rotate(next)
    for (const { accessToken } of [last, next, later]) expect(await statusOf(accessToken)).toBe(200)
    await server.passTime(60)
    expect(await api(server, 'households', last.accessToken)).toMatchObject({
      status: 401,
      body: { detail: expect.stringMatching(/^Expired access token\./) },
    })
  })

  test('with a stolen secret, an old token lives until its nonce was replaced twice', async () => {
    const first = await tokensFor(server, partner, 'ada')
    await server.passTime(2 * hour)
    expect(await statusOf(first.accessToken)).toBe(401)
    const second = await rotate(first)
    expect(await statusOf(prolonged(first.accessToken))).toBe(200)
    await server.passTime(2 * hour)
    const third = await rotate(second)
    expect(await api(server, 'households', prolonged(first.accessToken))).toMatchObject({
      status: 401,
      body: { detail: expect.stringMatching(/^The access token has been revoked\./) },
    })
    expect(await statusOf(third.accessToken)).toBe(200)
  })

  test('a revoked token is dead at once, whatever its expiry', async () => {
    const first = await tokensFor(server, partner, 'ada')
    await revoke(first.accessToken)
    await rotate(first)
    expect(await statusOf(prolonged(first.accessToken))).toBe(401)
    const answer = await token(server, partner, { token: prolonged(first.accessToken) }, 'introspect')
    expect(answer.body).toEqual({ active: false })
  })
})

describe('63: revocations of an access token and refreshes, 64 at once', () => {
  test('leave one consistent row: the revoked token is dead, and the chain goes on', async () => {
    for (let round = 0; round < 5; round++) {
      const first = await tokensFor(server, partner, 'ada')
      const answers = await Promise.all(
        Array.from({ length: 64 }, async (_, index) =>
          index % 2 ? rotate(first) : revoke(first.accessToken).then(({ status }) => status),
        ),
      )
      const refreshed = answers.filter((answer) => typeof answer !== 'number')
      expect(answers.filter((answer) => typeof answer === 'number')).toEqual(Array(32).fill(200))
      expect(new Set(refreshed.map(({ refreshToken }) => refreshToken)).size).toBe(1)
      expect(await connectionOf(server, first.refreshToken)).toMatchObject({ revoked: false, generation: 2 })
      expect(await statusOf(first.accessToken)).toBe(401)
      const { access_nonce: nonce, previous_access_nonce: previous } = await rowOf(first)
      expect(previous).toBeNull() // a nonce that was revoked never comes back
      for (const { accessToken } of refreshed) {
        const live = nonce?.equals(contentOf(accessToken).nonce) === true
        expect(await statusOf(accessToken)).toBe(live ? 200 : 401)
      }
      const next = await rotate(refreshed[0] ?? expect.fail())
      expect(await statusOf(next.accessToken)).toBe(200)
      expect(await statusOf(first.accessToken)).toBe(401)
    }
  })
})

describe('63: the database’s clock steps back', () => {
  test('no stored moment becomes earlier, and tokens keep working', async () => {
    const first = await tokensFor(server, partner, 'ada')
    await server.passTime(2 * hour)
    let tokens = await rotate(first)
    for (const step of [-hour, -20 * hour, 25 * hour]) {
      const before = await rowOf(first)
      await server.passTime(step)
      for (let times = 0; times < 2; times++) {
        tokens = await rotate(tokens)
        expect(await statusOf(tokens.accessToken)).toBe(200)
      }
      const after = await rowOf(first)
      for (const moment of ['refreshed_at', 'access_nonce_at', 'marked_at', 'earlier_at'] as const) {
        expect(after[moment].getTime(), moment).toBeGreaterThanOrEqual(before[moment].getTime())
      }
      expect(after.generation).toBe(before.generation + 2)
    }
  })

  test('it does not extend the grace of an older token: a replay is detected', async () => {
    const first = await tokensFor(server, partner, 'ada')
    const second = await rotate(first)
    await server.passTime(600)
    await rotate(await rotate(second))
    await server.passTime(-590)
    expectInvalidGrant(await refresh(server, partner, first.refreshToken), /^Refresh token reuse detected\./)
    await server.passTime(590)
  })
})
