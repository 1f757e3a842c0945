import { RateLimiterMemory } from 'rate-limiter-flexible'
import { sourceOf } from '../process/source.ts'
import { windowSeconds } from './quotas.ts'

/**
 * Counts the failed client authentications and forged tokens of each source. Each process counts for itself: a source that
 * reaches several servers has the limit on each. It keeps strangers from making the database check credentials all the
 * time, and need not be exact.
 */
export class FailureLimiter {
  readonly #limiter: RateLimiterMemory | undefined
  /** Sources that are counted, the one whose first failure is the oldest first. */
  readonly #sources = new Set<string>()
  readonly #mostSources: number

  /**
   * @param mostPerMinute undefined: no limit
   * @param mostSources bounds the memory: an attacker may have the addresses of many networks. The source that was counted
   *   first is forgotten.
   */
  constructor(mostPerMinute: number | undefined, mostSources = 50_000) {
    this.#mostSources = mostSources
    this.#limiter = mostPerMinute
      ? new RateLimiterMemory({ points: mostPerMinute, duration: windowSeconds })
      : undefined
  }

  get isOn(): boolean {
    return this.#limiter !== undefined
  }

  /** Seconds for which the source of this address is refused. Undefined: it is not refused. */
  async refusedFor(address: string): Promise<number | undefined> {
    const found = await this.#limiter?.get(sourceOf(address))
    return found && found.remainingPoints <= 0 ? Math.ceil(found.msBeforeNext / 1000) : undefined
  }

  /** Counts a failure of the source of this address. */
  async count(address: string): Promise<void> {
    if (!this.#limiter) return
    const source = sourceOf(address)
    await this.#limiter.penalty(source)
    this.#sources.add(source)
    const [oldest] = this.#sources
    if (this.#sources.size <= this.#mostSources || oldest === undefined) return
    this.#sources.delete(oldest)
    await this.#limiter.delete(oldest)
  }
}
