import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../src/database/database.ts'
import { Keyring } from '../../src/keys/keyring.ts'
import { readIdTokenHint } from '../../src/tokens/id-token.ts'
import { codeFor, type Issued, issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { interruptibleDatabase } from '../support/interruptible-database.ts'
import { refresh, send, token } from '../support/journey.ts'
import { jwksUrl, keysOf, passKeyTime, publishedKids, rotateKey } from '../support/keys.ts'

const hour = 3600
const day = 24 * hour

const db = await databaseFixture(interruptibleDatabase)
const server = await serverFixture({ on: db, users: ['ada'], households: ['h1'] })
const servers = [server, await serverFixture({ on: db }), await serverFixture({ on: db })]
const partner = await server.partner()
await query(db.database, 'CREATE TABLE first_keys AS SELECT * FROM signing_keys')

let ahead = 0
let first: Issued

/** Moves the clock of the server forward, until the end of the test. */
function advanceClock(seconds: number): void {
  server.advanceClock(seconds)
  ahead += seconds
}

beforeEach(async () => {
  first = await tokensFor(server, partner, 'ada')
})
/** Each test begins with the first keys, new. */
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  advanceClock(-ahead)
  await query(
    db.database,
    `DELETE FROM signing_keys; INSERT INTO signing_keys SELECT * FROM first_keys;
     UPDATE signing_keys SET created_at = now(), signs_from = now()`,
  )
  await Promise.all(servers.map(({ context }) => context.keyring.refresh()))
})

/** The kid of a fresh id_token. */
async function signer(): Promise<string | undefined> {
  const answer = await refresh(server, partner, first.refreshToken, { token_type: 'id' })
  return decodeProtectedHeader(issued(answer).idToken).kid
}

/** Moves the keys' time forward and refreshes the server's keyring. */
async function pass(seconds: number): Promise<void> {
  await passKeyTime(server, seconds)
  await server.context.keyring.refresh()
}

const generations = async (algorithm = 'RS256') =>
  (await keysOf(server)).filter((key) => key.algorithm === algorithm).map(({ generation }) => generation)

test('a new key is published immediately, signs after an hour, and its predecessor is retired a day later', async () => {
  const old = await signer()
  const next = await rotateKey(server)
  expect(next.signs_from.getTime() - next.created_at.getTime()).toBe(hour * 1000)
  for (const [seconds, kid] of [
    [0, old],
    [hour - 30, old],
    [60, next.kid],
    [day - 90, next.kid],
  ] as const) {
    await pass(seconds)
    expect(await signer()).toBe(kid)
    expect(await publishedKids(server)).toEqual(expect.arrayContaining([old, next.kid]))
  }
  await pass(120)
  expect(await signer()).toBe(next.kid)
  expect(await publishedKids(server)).not.toContain(old)
  expect((await keysOf(server)).filter(({ opens }) => !opens)).toMatchObject([{ kid: old, generation: 1 }])
})

test('a server switches keys by its own clock, without a refresh', async () => {
  const next = await rotateKey(server)
  await server.context.keyring.refresh()
  advanceClock(hour)
  expect(await signer()).toBe(next.kid)
})

test('an id_token signed by a retired key is still accepted as id_token_hint', async () => {
  const { idToken } = first
  await rotateKey(server)
  await pass(hour + day)
  advanceClock(hour + day)
  expect(await publishedKids(server)).not.toContain(decodeProtectedHeader(idToken).kid)
  expect(await readIdTokenHint(server.context, idToken)).toMatchObject({
    kind: 'valid',
    clientId: partner.clientId,
  })
})

describe('by schedule', () => {
  test('a key that was the newest for 90 days gets exactly one successor, regardless of the number of servers', async () => {
    await pass(90 * day - 60)
    expect(await generations()).toEqual([1])
    await passKeyTime(server, 60)
    await Promise.all(servers.map(({ context }) => context.keyring.refresh()))
    expect([await generations('RS256'), await generations('ES256')]).toEqual([
      [1, 2],
      [1, 2],
    ])
    const published = await Promise.all(servers.map(publishedKids))
    expect(published[0]).toHaveLength(4)
    for (const kids of published) expect(kids).toEqual(published[0])
  })

  test('the 90 days count from the newest key, even if the command created it', async () => {
    await pass(89 * day)
    await rotateKey(server)
    await pass(2 * day)
    expect([await generations('RS256'), await generations('ES256')]).toEqual([
      [1, 2],
      [1, 2],
    ])
  })
})

test('concurrent rotate commands create one key, and each returns it', async () => {
  const made = await Promise.all(servers.map((one) => rotateKey(one)))
  expect(new Set(made.map(({ kid }) => kid)).size).toBe(1)
  expect(await generations()).toEqual([1, 2])
})

describe('in the background', () => {
  test('keys are read every minute, failures are logged and retried, and stop ends the timer', async () => {
    const faults: unknown[] = []
    const { keys, now } = server.context
    const ring = new Keyring({
      database: db.database,
      keys,
      now,
      logger: { error: (fault: unknown) => faults.push(fault) },
    })
    await ring.refresh()
    const kids = async () => (await ring.published()).map(({ kid }) => kid)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    ring.start()
    const { kid } = await rotateKey(server)
    await db.cut()
    vi.advanceTimersByTime(60_000)
    await vi.waitFor(() => expect(faults).toHaveLength(1))
    expect(String(faults[0])).toMatch(/database is unavailable/)
    await db.heal()
    expect(await kids()).not.toContain(kid)
    vi.advanceTimersByTime(60_000)
    await vi.waitFor(async () => expect(await kids()).toContain(kid))
    await ring.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a server that could not refresh for ten minutes', () => {
  test('reads the keys before it signs or publishes', async () => {
    const next = await rotateKey(server)
    expect(await publishedKids(server)).not.toContain(next.kid)
    advanceClock(540)
    expect(await publishedKids(server)).not.toContain(next.kid)
    advanceClock(61)
    expect(await publishedKids(server)).toContain(next.kid)

    // The process was paused for two days. The keys in its memory are retired.
    await passKeyTime(server, 2 * day)
    advanceClock(2 * day)
    expect(await signer()).toBe(next.kid)
  })

  test('answers 503 while the database is unavailable instead of publishing keys that may be retired', async () => {
    await db.cut()
    advanceClock(540)
    expect((await send(jwksUrl(server), {})).status).toBe(200)
    advanceClock(61)
    expect(await send(jwksUrl(server), {})).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    await db.heal()
    expect((await send(jwksUrl(server), {})).status).toBe(200)
  })

  test('does not consume a code if it cannot sign the answer', async () => {
    const code = await codeFor(server, partner, 'ada')
    const exchange = () => token(server, partner, { grant_type: 'authorization_code', code })
    advanceClock(601)
    const refreshing = vi.spyOn(server.context.keyring, 'refresh')
    refreshing.mockRejectedValueOnce(new DatabaseUnavailable('the keys cannot be read'))
    expect((await exchange()).status).toBe(503)
    expect((await exchange()).status).toBe(200)
  })
})

test('a server whose clock is behind the database signs with the oldest key', async () => {
  await query(db.database, `UPDATE signing_keys SET signs_from = signs_from + interval '5 minutes'`)
  await server.context.keyring.refresh()
  expect(await publishedKids(server)).toContain(await signer())
})
