import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { issued, tokensFor } from './connection.ts'
import type { Deployment } from './deployment.ts'
import { api, refresh } from './journey.ts'
import type { RunningLatchkey } from './latchkey.ts'
import type { TestPartner } from './server.ts'
import { Visitor } from './visitor.ts'

/** A connection as its partner knows it: only what the server has answered. */
type Chain = { refreshToken: string; accessTokens: string[] }

/** Partners that refresh and list without a pause, and a ledger of every token that was answered. */
export class TokenTraffic {
  readonly #deployment: Deployment
  readonly #partner: TestPartner
  readonly chains: Chain[]
  /** Requests that a fault cut off after they had been sent. */
  cutOff = 0
  /** Requests that were refused because the server could not serve them. */
  unavailable = 0

  private constructor(deployment: Deployment, partner: TestPartner, chains: Chain[]) {
    this.#deployment = deployment
    this.#partner = partner
    this.chains = chains
  }

  /** Two connections of each user to the partner, on a server that runs. */
  static async of(deployment: Deployment, partner: TestPartner, users: string[]): Promise<TokenTraffic> {
    const twoConnections = async (user: string): Promise<Chain[]> => {
      const visitor = new Visitor()
      const chains: Chain[] = []
      for (let turn = 0; turn < 2; turn++) {
        const { refreshToken, accessToken } = await tokensFor(deployment, partner, user, { visitor })
        chains.push({ refreshToken, accessTokens: [accessToken] })
      }
      return chains
    }
    return new TokenTraffic(deployment, partner, (await Promise.all(users.map(twoConnections))).flat())
  }

  /** All access tokens that were answered. */
  get ledger(): string[] {
    return this.chains.flatMap(({ accessTokens }) => accessTokens)
  }

  /** Traffic on every connection until `strike`, which begins at a random moment in the midst of it, has ended. */
  async during(strike: () => Promise<unknown>): Promise<void> {
    const end = new AbortController()
    const before = this.ledger.length
    const workers = Promise.all(this.chains.map((chain) => this.#work(chain, end.signal)))
    await expect
      .poll(() => this.ledger.length, { timeout: 20_000 })
      .toBeGreaterThan(before + this.chains.length)
    await sleep(Math.random() * 400)
    try {
      await strike()
    } finally {
      end.abort()
      await workers
    }
  }

  /** A fault may cut an answer off; it may never change what one says. */
  async #work(chain: Chain, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { status, body } = await refresh(this.#deployment, this.#partner, chain.refreshToken)
        if (status === 503) {
          this.unavailable++
          await sleep(20)
          continue
        }
        const tokens = issued({ status, body, headers: new Headers() })
        chain.refreshToken = tokens.refreshToken
        chain.accessTokens.push(tokens.accessToken)
        expect((await api(this.#deployment, 'households', tokens.accessToken)).status).toBeOneOf([200, 503])
      } catch (error) {
        if (!isNetworkFault(error)) throw error
        if (!isRefused(error)) this.cutOff++
        await sleep(20) // the answer is lost: ask again with the same refresh token
      }
    }
  }

  /** Every one of these access tokens is honoured. */
  async expectLive(accessTokens: string[]): Promise<void> {
    const dead: string[] = []
    const queue = [...accessTokens]
    const worker = async () => {
      for (let next = queue.pop(); next; next = queue.pop()) {
        const { status, text } = await api(this.#deployment, 'households', next)
        if (status !== 200) dead.push(`${status} ${text}`)
      }
    }
    await Promise.all(this.chains.map(worker))
    expect(dead).toEqual([])
  }

  /** Every connection goes on from the last refresh token that was answered. */
  async expectRefreshTokensLive(): Promise<void> {
    for (const chain of this.chains) {
      const tokens = issued(await refresh(this.#deployment, this.#partner, chain.refreshToken))
      chain.refreshToken = tokens.refreshToken
      chain.accessTokens.push(tokens.accessToken)
    }
  }
}

function isNetworkFault(error: unknown): boolean {
  return error instanceof TypeError && /fetch failed|terminated/.test(error.message)
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && String(error.cause).includes('ECONNREFUSED')
}

export function killed(running: RunningLatchkey): Promise<unknown> {
  const exited = once(running.process, 'exit')
  running.process.kill('SIGKILL')
  return exited
}
