import { setInterval } from 'node:timers/promises'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { signingAlgorithms } from '../../src/keys/signing-keys.ts'
import { tokensFor } from '../support/connection.ts'
import { movableClock } from '../support/database-clock.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { refresh } from '../support/journey.ts'
import { jwksUrl, keysOf, rotateKey } from '../support/keys.ts'
import type { TestPartner, TestServer } from '../support/server.ts'

/** Milliseconds between two requests, and the simulated seconds that pass with each. */
const pace = 20
const step = 30
/** Simulated seconds at which keys are rotated. The second rotation comes before the key of the first one signs. */
const rotations = [300, 1500, 6000].map((at) => at - (at % step))
const end = 11_000
/** Simulated seconds between two refreshes of a server, as in src/keys/lifetimes.ts. */
const refreshEvery = 60
/** Maximum number of concurrent requests. Simulated time continues while they are in progress. */
const maxConcurrent = 6
/** Simulated seconds after which an id_token is verified again, shortly before it expires. */
const lastUse = 3600 - 2 * maxConcurrent * step

const db = await databaseFixture()
const clock = await movableClock(db)
const one = await serverFixture({ on: db })
const two = await serverFixture({ on: db, authUrl: one.authUrl })
two.advanceClock(7) // the servers' clocks differ
const servers = [one, two] as const
await seed(db.database, { users: ['ada'], households: ['h1'] })
const connected: { partner: TestPartner; refreshToken: string }[] = []
for (const algorithm of signingAlgorithms) {
  const partner = await one.partner({ idTokenAlg: algorithm })
  connected.push({ partner, refreshToken: (await tokensFor(one, partner, 'ada')).refreshToken })
}

/** The strictest partner library: it caches the JWKS for exactly max-age and does not fetch it again for an unknown kid. */
class StrictVerifier {
  #keys: ReturnType<typeof createLocalJWKSet> | undefined
  #keptUntil = Number.NEGATIVE_INFINITY

  async verify(idToken: string, now: Date, server: TestServer): Promise<void> {
    if (!this.#keys || now.getTime() >= this.#keptUntil) {
      const response = await fetch(jwksUrl(server))
      const maxAge = Number(/max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1])
      this.#keys = createLocalJWKSet(JSON.parse(await response.text()))
      this.#keptUntil = now.getTime() + maxAge * 1000
    }
    await jwtVerify(idToken, this.#keys, { issuer: servers[0].authUrl, currentDate: now })
  }
}

/** Each verifier fetches the JWKS at a different time: one at each step of the five minutes for which they cache it. */
const verifiers = Array.from({ length: 300 / step }, () => new StrictVerifier())
const verifications = { done: 0, failed: [] as string[] }

async function verify(verifier: StrictVerifier | undefined, idToken: string, time: number): Promise<void> {
  const server = servers[verifications.done++ % 2] ?? servers[0]
  try {
    await verifier?.verify(idToken, server.context.now(), server)
  } catch (error) {
    verifications.failed.push(`at ${time}: ${error}`)
  }
}

async function pass(): Promise<void> {
  for (const server of servers) server.advanceClock(step)
  await clock.advance(step)
}

test('key rotation under traffic: no verification fails', async () => {
  const issuedTokens: { idToken: string; issuedAt: number }[] = []
  const pending: Promise<void>[] = []
  let time = 0
  let requests = 0

  const request = async () => {
    const server = servers[requests % 2] ?? servers[0]
    const { partner, refreshToken } = connected[(requests >> 1) % 2] ?? { partner: undefined }
    requests++
    if (!partner) throw new Error('no partner is connected')
    const { status, body } = await refresh(server, partner, refreshToken, { token_type: 'id' })
    expect(status).toBe(200)
    const idToken = String(body.id_token)
    issuedTokens.push({ idToken, issuedAt: time })
    // Verifiers that join later fetch later. Therefore some cache expires at every step.
    const joined = verifiers.slice(0, 1 + time / step)
    await Promise.all(joined.map((verifier) => verify(verifier, idToken, time)))
    const old = issuedTokens.filter(
      ({ issuedAt }) => time - issuedAt >= lastUse && time - issuedAt < lastUse + step,
    )
    await Promise.all(old.map((one, index) => verify(verifiers[index % verifiers.length], one.idToken, time)))
  }

  for await (const _ of setInterval(pace)) {
    if (pending.length >= maxConcurrent) await pending.shift()
    pending.push(request())
    await pass()
    time += step
    // The servers refresh at different times, one step apart.
    if (time % refreshEvery === 0) await servers[0].context.keyring.refresh()
    if (time % refreshEvery === step) await servers[1].context.keyring.refresh()
    if (rotations.includes(time)) {
      for (const algorithm of signingAlgorithms) await rotateKey(servers[0], algorithm)
    }
    if (time >= end) break
  }
  await Promise.all(pending)

  expect(verifications.failed).toEqual([])
  expect(verifications.done).toBeGreaterThan(requests * (verifiers.length - 1))
  // Every key has signed an id_token that was verified.
  const signingKids = new Set(issuedTokens.map(({ idToken }) => decodeProtectedHeader(idToken).kid))
  expect(signingKids).toEqual(new Set((await keysOf(servers[0])).map(({ kid }) => kid)))
  expect(signingKids.size).toBe(signingAlgorithms.length * (1 + rotations.length))
}, 120_000)
