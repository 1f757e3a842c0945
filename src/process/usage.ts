import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from './background-job.ts'
import { addUsage } from './usage.sql.ts'

/** Milliseconds between two writes; what a crash may lose. */
const interval = 5000

/** Entries that wait for the database, one for each grant and day. */
const mostEntries = 10_000

type Rows = { households: number; accounts: number }
type Entry = Rows & { grantId: string; day: string; requests: number; usedAt: Date }

/**
 * Counts what is read by each grant, off the path of the requests: in memory, and written every few seconds in one
 * statement. What cannot be written is kept for the next time. Should the database lose only its answer, that batch
 * is counted twice: the price of not keeping a record of batches.
 */
export class Usage {
  readonly #database: Database
  readonly #logger: FastifyBaseLogger
  #entries = new Map<string, Entry>()
  #uncounted = 0
  readonly #job: BackgroundJob

  constructor(database: Database, logger: FastifyBaseLogger) {
    this.#database = database
    this.#logger = logger
    // A write never rejects, so there is no error to handle.
    this.#job = new BackgroundJob({ everyMs: interval, run: () => this.#writeBatch(), onError: () => {} })
  }

  /** From now on writes every few seconds, until `close`. */
  start(): void {
    this.#job.start()
  }

  /** A call that was answered with data. */
  read(grantId: string, at: Date, rows: Rows): void {
    this.#add({ grantId, day: utcDay(at), requests: 1, usedAt: at, ...rows })
  }

  /** The grant was used, but nothing was read. */
  used(grantId: string, at: Date): void {
    this.#add({ grantId, day: utcDay(at), requests: 0, usedAt: at, households: 0, accounts: 0 })
  }

  /** Writes everything counted so far: the write under way may have begun before the latest counts. Never rejects. */
  async write(): Promise<void> {
    await this.#job.run()
    await this.#job.run()
  }

  /** Writes the rest. Resolves when nothing of it needs the database any more. */
  async close(): Promise<void> {
    await this.#job.stop()
    await this.write()
  }

  #add(entry: Entry): void {
    const key = `${entry.grantId} ${entry.day}`
    const known = this.#entries.get(key)
    if (known) {
      known.requests += entry.requests
      known.households += entry.households
      known.accounts += entry.accounts
      if (entry.usedAt > known.usedAt) known.usedAt = entry.usedAt
    } else if (this.#entries.size < mostEntries) {
      this.#entries.set(key, entry)
    } else {
      this.#uncounted += 1
    }
  }

  async #writeBatch(): Promise<void> {
    if (this.#uncounted > 0)
      this.#logger.warn({ event: 'usage', outcome: 'uncounted', uses: this.#uncounted })
    this.#uncounted = 0
    if (this.#entries.size === 0) return
    const batch = [...this.#entries.values()]
    this.#entries = new Map()
    const column = (value: (entry: Entry) => string | number) => batch.map((entry) => String(value(entry)))
    try {
      await this.#database.run(addUsage, [
        column(({ grantId }) => grantId),
        column(({ day }) => day),
        column(({ requests }) => requests),
        column(({ households }) => households),
        column(({ accounts }) => accounts),
        column(({ usedAt }) => usedAt.toISOString()),
      ])
    } catch (error) {
      for (const entry of batch) this.#add(entry)
      this.#logger.error({ event: 'usage', outcome: 'not_written', entries: batch.length, error })
    }
  }
}

function utcDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}
