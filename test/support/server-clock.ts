import type { MovableClock } from './database-clock.ts'

/** The clock of one test server: that of the machine, until a test moves or stops it. */
export class ServerClock {
  readonly #databaseClock: MovableClock | undefined
  #secondsAhead = 0
  #stoppedAt: number | undefined

  /** @param databaseClock moves this clock too */
  constructor(databaseClock: MovableClock | undefined) {
    this.#databaseClock = databaseClock
  }

  now(): Date {
    const secondsAhead = this.#secondsAhead + (this.#databaseClock?.ahead ?? 0)
    return new Date((this.#stoppedAt ?? Date.now()) + secondsAhead * 1000)
  }

  /** Moves this clock, and not that of the database. */
  advance(seconds: number): void {
    this.#secondsAhead += seconds
  }

  /** Moves this clock and that of the database. */
  async passTime(seconds: number): Promise<void> {
    if (!this.#databaseClock) throw new Error('the clock of this database cannot be moved')
    await this.#databaseClock.advance(seconds)
  }

  /** From now on only `advance` and `passTime` move it. */
  stop(): void {
    this.#stoppedAt = Date.now()
  }
}
