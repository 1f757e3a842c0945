import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { issued, tokensFor } from './connection.ts'
import type { Deployment } from './deployment.ts'
import { api, refresh } from './journey.ts'
import type { TestPartner } from './server.ts'
import { Visitor } from './visitor.ts'

/** A connection as its partner knows it: only what the server has returned. */
type Chain = { refreshToken: string; accessTokens: string[] }

/** Partners that refresh and list without a pause, and a record of every token that the server returned. */
export class TokenTraffic {
  readonly #deployment: Deployment
  readonly #partner: TestPartner
  readonly chains: Chain[]
  /** Requests that a fault interrupted after they had been sent. */
  cutOff = 0
  /** Requests that the server refused with 503. */
  unavailable = 0

  private constructor(deployment: Deployment, partner: TestPartner, chains: Chain[]) {
    this.#deployment = deployment
    this.#partner = partner
    this.chains = chains
  }

  /** Creates two connections to the partner for each user, on a running server. */
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

  /** All access tokens that the server returned. */
  get ledger(): string[] {
    return this.chains.flatMap(({ accessTokens }) => accessTokens)
  }

  /** Keeps traffic running on every connection until `strike` has finished. It starts at a random moment during the traffic. */
  async during(strike: () => Promise<unknown>): Promise<void> {
    const end = new AbortController()
    const before = this.ledger.length
    const workers = Promise.all(this.chains.map((chain) => this.#work(chain, end.signal)))
    await expect
      .poll(() => this.ledger.length, { timeout: 20_000 })
      .toBeGreaterThan(before + this.chains.length)
    await sleep(Math.random() * 100)
    try {
      await strike()
    } finally {
      end.abort()
      await workers
    }
  }

  /** A fault may interrupt a response. It must never make a response wrong. */
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
        await sleep(20) // the response is lost: retry with the same refresh token
      }
    }
  }

  /** The server accepts every one of these access tokens. */
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

  /** The latest refresh token of every connection still works. */
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
