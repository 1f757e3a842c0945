import { BackgroundJob } from './background-job.ts'

/** Milliseconds that `stop` waits for attempts in progress before it aborts them. */
const stopMs = 5000

type PollingSettings = {
  /** Milliseconds between two polls for items that are due. */
  pollMs: number
  /** Attempts of one server at a time. */
  maxConcurrent: number
}

/**
 * Polls a queue in the database and makes attempts, several at a time. A lease keeps the other servers away from an item while
 * its attempt is in progress.
 */
export abstract class PollingWorker<Item> {
  readonly #maxConcurrent: number
  readonly #job: BackgroundJob
  readonly #attempts = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #stopping = false
  /** Whether there may be items that the poll in progress does not see. */
  #pollAgain = false
  /** Whether the last poll failed. A database that is away is reported once, not with each poll. */
  #pollFailed = false

  constructor({ pollMs, maxConcurrent }: PollingSettings) {
    this.#maxConcurrent = maxConcurrent
    this.#job = new BackgroundJob({
      everyMs: pollMs,
      run: () => this.#poll(),
      onError: (error) => {
        if (!this.#pollFailed) this.logError(error)
        this.#pollFailed = true
      },
    })
  }

  /** Takes items that are due, at most `free`, each with a lease. */
  protected abstract take(free: number): Promise<Item[]>

  /**
   * Makes one attempt and records how it ended. If `stop` is aborted, it ends soon, and may reject with the reason of `stop`.
   */
  protected abstract attempt(item: Item, stop: AbortSignal): Promise<void>

  /** Gets what `take` or `attempt` rejects with. */
  protected abstract logError(error: unknown): void

  /** Polls until `stop`. */
  start(): void {
    this.#job.start()
  }

  /** Begins the attempts that are due. Resolves when they have begun. */
  wake(): Promise<void> {
    this.#pollAgain = true
    return this.#job.run()
  }

  /** Begins no more attempts, and gives those in progress a few seconds. Resolves when the database is no longer needed. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#job.stop()
    const timer = setTimeout(() => this.#stop.abort(), stopMs)
    await Promise.all(this.#attempts)
    clearTimeout(timer)
  }

  async #poll(): Promise<void> {
    do {
      this.#pollAgain = false
      const free = this.#maxConcurrent - this.#attempts.size
      if (this.#stopping || free <= 0) return
      const taken = await this.take(free)
      this.#pollFailed = false
      for (const item of taken) this.#begin(item)
    } while (this.#pollAgain)
  }

  #begin(item: Item): void {
    const { signal } = this.#stop
    const attempt = this.attempt(item, signal)
      .catch((error) => {
        if (!signal.aborted || error !== signal.reason) this.logError(error)
      })
      .finally(() => {
        this.#attempts.delete(attempt)
        if (!this.#stopping) this.wake().catch(() => {}) // the next poll reports it
      })
    this.#attempts.add(attempt)
  }
}
