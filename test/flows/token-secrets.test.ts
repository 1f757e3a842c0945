import { describe, expect, test } from 'vitest'
import {
  accessTokenText,
  parseAccessToken,
  parseRefreshToken,
  refreshTokenText,
} from '../../src/secrets/connection-token.ts'
import { deriveKeys } from '../../src/secrets/derived-keys.ts'
import { type Issued, issued, tokensFor } from '../support/connection.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, refresh, token } from '../support/journey.ts'
import { logLines } from '../support/logs.ts'
import { type TestServer, testKeys, testSecret } from '../support/server.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'

const day = 24 * 3600
const fresh = 'the secret after the one for tests, of 32 bytes or more'

// The servers during a replacement of the secret, in the order in which the guide restarts them.
const database = await databaseFixture()
const before = await serverFixture({ on: database })
await seed(before.database, { users: ['ada'], households: ['h1'] })
const announced = await serverFixture({ on: database, nextSecret: fresh })
const switched = await serverFixture({ on: database, secret: fresh, previousSecret: testSecret })
const finished = await serverFixture({ on: database, secret: fresh })
const partner = await before.partner()

const [oldId, freshId] = [testSecret, fresh].map((secret) => deriveKeys(secret, 'sandbox').id)
const keyIdOf = (text: string) => text.slice('lk_test_at_1'.length, 'lk_test_at_1'.length + 3)
const statusOf = async (server: TestServer, accessToken: string) =>
  (await api(server, 'households', accessToken)).status
const loggedReason = (server: TestServer, { headers }: { headers: Headers }) =>
  logLines(server, headers.get('x-api-request-id') ?? '').find(({ outcome }) => outcome)?.outcome

async function expectAccepted(server: TestServer, { accessToken, refreshToken }: Issued): Promise<Issued> {
  expect(await statusOf(server, accessToken)).toBe(200)
  for (const text of [accessToken, refreshToken]) {
    expect((await token(server, partner, { token: text }, 'introspect')).body.active).toBe(true)
  }
  return issued(await refresh(server, partner, refreshToken))
}

async function expectRefused(
  server: TestServer,
  { accessToken, refreshToken }: Issued,
  reason: 'unknown_key' | 'forged',
): Promise<void> {
  const called = await api(server, 'households', accessToken)
  expect(called).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect(loggedReason(server, called)).toBe(reason)
  const answer = await refresh(server, partner, refreshToken)
  expectInvalidGrant(answer, /^Invalid refresh token\./)
  expect(loggedReason(server, answer)).toBe(`refresh_token_${reason}`)
}

describe('tokens while the secret is replaced', () => {
  test('of the previous secret are accepted, and their successors are made with the current one', async () => {
    const first = await tokensFor(before, partner, 'ada')
    const second = await expectAccepted(switched, first)
    for (const [tokens, id] of [
      [first, oldId],
      [second, freshId],
    ] as const) {
      expect([tokens.accessToken, tokens.refreshToken].map(keyIdOf)).toEqual([id, id])
    }
    await expectAccepted(finished, second)
  })

  test('of the next secret are accepted, and their successors are made with the current one', async () => {
    const first = await tokensFor(switched, partner, 'ada')
    expect(keyIdOf(first.refreshToken)).toBe(freshId)
    const second = await expectAccepted(announced, first)
    expect([second.accessToken, second.refreshToken].map(keyIdOf)).toEqual([oldId, oldId])
    await expectAccepted(switched, second)
  })

  test('one chain goes on, whichever server refreshes it: the successor is the same unused one', async () => {
    const first = await tokensFor(before, partner, 'ada')
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        refresh(n % 2 ? announced : switched, partner, first.refreshToken),
      ),
    )
    const texts = new Set(answers.map((answer) => issued(answer).refreshToken))
    expect([...texts].map(keyIdOf).sort()).toEqual([oldId, freshId].sort())
    for (const refreshToken of texts) issued(await refresh(switched, partner, refreshToken))
  })

  test('of a secret that only other servers have: 503 for a refresh, so that the partner keeps the connection', async () => {
    for (const [at, tokens] of [
      [before, await tokensFor(switched, partner, 'ada')],
      [finished, await tokensFor(before, partner, 'ada')],
    ] as const) {
      expect(await statusOf(at, tokens.accessToken)).toBe(401)
      const answer = await refresh(at, partner, tokens.refreshToken)
      expect(answer).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
      expect(at.logs()).toContain('which other servers use and this one does not have')
    }
  })

  test('of a secret that no server of this database has used: refused', async () => {
    const foreign = await serverFixture({ secret: 'the secret of another deployment, 32 bytes' })
    const elsewhere = await foreign.partner()
    await seed(foreign.database, { users: ['ada'] })
    await expectRefused(before, await tokensFor(foreign, elsewhere, 'ada'), 'unknown_key')
  })
})

test('62: a token of the previous secret that no server can have made, by its expiry, is refused', async () => {
  const tokens = await tokensFor(before, partner, 'ada')
  const accepted = testKeys('sandbox')
  const [access, refreshing] = [
    parseAccessToken(tokens.accessToken, 'sandbox', accepted),
    parseRefreshToken(tokens.refreshToken, 'sandbox', accepted),
  ]
  if (access.kind === 'refused' || refreshing.kind === 'refused') throw new Error('not a token')
  const end = switched.context.keys.previous?.tokensExpireBefore ?? expect.fail('the overlap has no end')
  const seconds = Math.floor(end.getTime() / 1000)
  expect(seconds - Date.now() / 1000).toBeGreaterThan(30 * day)
  const expiring = (expiresAt: number): Issued => ({
    accessToken: accessTokenText('sandbox', accepted.current, { ...access.token, expiresAt }),
    refreshToken: refreshTokenText('sandbox', accepted.current, { ...refreshing.token, expiresAt }),
    idToken: '',
  })
  await expectRefused(switched, expiring(seconds + 1), 'forged')
  await expectRefused(switched, expiring(seconds + 365 * day), 'forged')
  await expectAccepted(switched, { ...expiring(seconds - 60), accessToken: tokens.accessToken })
})
