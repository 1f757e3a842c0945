import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import { type Report, reportOf } from './report.ts'
import { readStatus } from './status.sql.ts'

/** Milliseconds for which an answer of the database is used, and for which a visitor waits for one. */
const validMs = 10_000
const patienceMs = 2000

export type Status = {
  /** `unavailable`: the database does not answer this server, or no server has written a heartbeat for too long. */
  status: 'available' | 'unavailable'
  /** As the database last reported it. Undefined: not since this server was started. */
  report: Report | undefined
}

/**
 * What the status page shows. All visitors share one statement in ten seconds, also while the database does not answer: the
 * page is public, and a flood of requests must not reach the database.
 */
export class CurrentStatus {
  readonly #context: Pick<Context, 'database' | 'now'>
  #last: Status = { status: 'unavailable', report: undefined }
  #reading: Promise<void> | undefined
  #validUntil = 0

  constructor(context: Pick<Context, 'database' | 'now'>) {
    this.#context = context
  }

  /** The status, at most ten seconds old. If the database is slow, it is `unavailable`, with the last report. */
  async read(): Promise<Status> {
    if (this.#context.now().getTime() < this.#validUntil) return this.#last
    this.#reading ??= this.#readDatabase().finally(() => {
      this.#reading = undefined
    })
    const isInTime = await Promise.race([
      this.#reading.then(() => true),
      sleep(patienceMs, false, { ref: false }),
    ])
    return isInTime ? this.#last : { ...this.#last, status: 'unavailable' }
  }

  async #readDatabase(): Promise<void> {
    const { database, now } = this.#context
    try {
      const row = await database.one(readStatus, [])
      this.#last = { status: row.is_silent ? 'unavailable' : 'available', report: reportOf(row) }
    } catch (error) {
      this.#last = { ...this.#last, status: 'unavailable' }
      if (!(error instanceof DatabaseUnavailable)) throw error
    } finally {
      this.#validUntil = now().getTime() + validMs
    }
  }
}
