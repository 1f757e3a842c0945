import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issued, tokensFor } from '../support/connection.ts'
import {
  connectEmbedded,
  createPartner,
  type Deployment,
  importUsers,
  newDeployment,
  runningPostgres,
} from '../support/deployment.ts'
import { api, refresh, token } from '../support/journey.ts'
import type { RunningLatchkey } from '../support/latchkey.ts'
import type { TestPartner } from '../support/server.ts'
import { Visitor } from '../support/visitor.ts'

/** A connection as its partner knows it: only what the server has answered. */
type Chain = { refreshToken: string; accessTokens: string[] }

const users = ['ann', 'bob', 'cho', 'dee']
let latchkey: Deployment
let partner: TestPartner
let server: RunningLatchkey
let chains: Chain[]
/** Requests that a kill cut off after they had been sent. */
let cutOff = 0

beforeAll(async () => {
  latchkey = await newDeployment()
  await importUsers(latchkey, users)
  partner = await createPartner(latchkey)
  server = await latchkey.start()
  chains = (await Promise.all(users.map(twoConnections))).flat()
})
afterAll(async () => {
  await server?.stop()
  latchkey?.remove()
})

async function twoConnections(user: string): Promise<Chain[]> {
  const visitor = new Visitor()
  const found: Chain[] = []
  for (let turn = 0; turn < 2; turn++) {
    const tokens = await tokensFor(latchkey, partner, user, { visitor })
    found.push({ refreshToken: tokens.refreshToken, accessTokens: [tokens.accessToken] })
  }
  return found
}

/** Refreshes and lists until told to stop. A kill may cut an answer off; it may never change what one says. */
async function work(chain: Chain, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { status, body } = await refresh(latchkey, partner, chain.refreshToken)
      if (status === 503) {
        await sleep(20)
        continue
      }
      const tokens = issued({ status, body, headers: new Headers() })
      chain.refreshToken = tokens.refreshToken
      chain.accessTokens.push(tokens.accessToken)
      expect((await api(latchkey, 'households', tokens.accessToken)).status).toBeOneOf([200, 503])
    } catch (error) {
      if (!isNetworkFault(error)) throw error
      if (!isRefused(error)) cutOff++
      await sleep(20) // the answer is lost: ask again with the same refresh token
    }
  }
}

function isNetworkFault(error: unknown): boolean {
  return error instanceof TypeError && /fetch failed|terminated/.test(error.message)
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && String(error.cause).includes('ECONNREFUSED')
}

/** Traffic on every connection; in the midst of it, at a random moment, `strike`; when that has ended so does the traffic. */
async function strikeDuringTraffic(strike: () => Promise<unknown>): Promise<void> {
  const end = new AbortController()
  const before = issuedSoFar().length
  const workers = Promise.all(chains.map((chain) => work(chain, end.signal)))
  await expect.poll(() => issuedSoFar().length, { timeout: 20_000 }).toBeGreaterThan(before + chains.length)
  await sleep(Math.random() * 400)
  await strike()
  end.abort()
  await workers
}

function killed(running: RunningLatchkey): Promise<unknown> {
  const exited = once(running.process, 'exit')
  running.process.kill('SIGKILL')
  return exited
}

/** Of these access tokens, the ones that the server does not honour. */
async function deadOf(accessTokens: string[]): Promise<string[]> {
  const dead: string[] = []
  const queue = [...accessTokens]
  const worker = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const { status, text } = await api(latchkey, 'households', next)
      if (status !== 200) dead.push(`${status} ${text}`)
    }
  }
  await Promise.all(chains.map(worker))
  return dead
}

async function expectRefreshTokensLive(): Promise<void> {
  for (const chain of chains) {
    const tokens = issued(await refresh(latchkey, partner, chain.refreshToken))
    chain.refreshToken = tokens.refreshToken
    chain.accessTokens.push(tokens.accessToken)
  }
}

const issuedSoFar = () => chains.flatMap(({ accessTokens }) => accessTokens)

describe('kill -9 of the server during token traffic, ten times', () => {
  test('no token that was answered is lost, and the server comes up by itself', {
    timeout: 90_000,
  }, async () => {
    const postgres = runningPostgres(latchkey.dataDir)
    for (let round = 0; round < 10; round++) {
      const before = issuedSoFar().length
      await strikeDuringTraffic(() => killed(server))
      const fresh = issuedSoFar().slice(before)
      server = await latchkey.start()
      expect(await deadOf(fresh)).toEqual([])
      await expectRefreshTokensLive()
    }
    expect(await deadOf(issuedSoFar())).toEqual([])
    expect(cutOff).toBeGreaterThan(0) // otherwise every kill missed
    expect(runningPostgres(latchkey.dataDir)).toBe(postgres) // the orphan was adopted each time
  })
})

describe('kill -9 of the server and its PostgreSQL at once', () => {
  beforeAll(async () => {
    const client = await connectEmbedded(latchkey.dataDir)
    const { rows } = await client.query(
      `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')`,
    )
    await client.end()
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
    })
  })

  test.each([1, 2, 3])('the next start recovers all that was answered (%i)', async () => {
    const before = issuedSoFar().length
    const postgres = runningPostgres(latchkey.dataDir)
    await strikeDuringTraffic(() => {
      process.kill(postgres, 'SIGKILL')
      return killed(server)
    })
    expect(issuedSoFar().length).toBeGreaterThan(before + chains.length)
    server = await latchkey.start()
    expect(runningPostgres(latchkey.dataDir)).not.toBe(postgres)
    expect(await deadOf(issuedSoFar().slice(before))).toEqual([])
    await expectRefreshTokensLive()
  })

  test('a revocation that was answered stays one', async () => {
    const revoked = chains.pop()
    if (!revoked) throw new Error('no chain')
    const answer = await token(latchkey, partner, { token: revoked.refreshToken }, 'revoke')
    expect(answer.status).toBe(200)
    process.kill(runningPostgres(latchkey.dataDir), 'SIGKILL')
    await killed(server)
    server = await latchkey.start()
    expect((await refresh(latchkey, partner, revoked.refreshToken)).body.error).toBe('invalid_grant')
    expect((await api(latchkey, 'households', revoked.accessTokens.at(-1))).status).toBe(401)
    await expectRefreshTokensLive()
  })
})
