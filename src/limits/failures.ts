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

  /** Undefined: no limit. */
  constructor(mostPerMinute: number | undefined) {
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
    await this.#limiter?.penalty(sourceOf(address))
  }
}
