import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from './background-job.ts'
import { addUsage } from './usage.sql.ts'

/** Milliseconds between two writes. A crash loses the counts since the last write. */
const intervalMs = 5000

/** Entries that may wait for the database. There is one for each grant and day. */
const maxEntries = 10_000

type Rows = { households: number; accounts: number }
type Entry = Rows & { grantId: string; day: string; requests: number; usedAt: Date }

/**
 * Counts what each grant reads. Requests do not wait for it: the counts are kept in memory and written every few seconds
 * in one statement. Counts that cannot be written are kept for the next write. If the database commits a batch but its
 * answer is lost, the batch is counted twice. Only a record of all batches could prevent that.
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
    this.#job = new BackgroundJob({ everyMs: intervalMs, run: () => this.#writeBatch(), onError: () => {} })
  }

  /** Writes every few seconds until `stop`. */
  start(): void {
    this.#job.start()
  }

  /** Counts a call that was answered with data. */
  read(grantId: string, at: Date, rows: Rows): void {
    this.#add({ grantId, day: utcDay(at), requests: 1, usedAt: at, ...rows })
  }

  /** Counts a use of the grant that read no data. */
  used(grantId: string, at: Date): void {
    this.#add({ grantId, day: utcDay(at), requests: 0, usedAt: at, households: 0, accounts: 0 })
  }

  /** Writes all counts so far. Runs twice, because the current run may lack the latest counts. Never rejects. */
  async write(): Promise<void> {
    await this.#job.run()
    await this.#job.run()
  }

  /** Writes the remaining counts. Resolves when the database is no longer needed. */
  async stop(): Promise<void> {
    await this.#job.stop()
    await this.write()
  }

  #add(entry: Entry): void {
    const key = `${entry.grantId} ${entry.day}`
    const existing = this.#entries.get(key)
    if (existing) {
      existing.requests += entry.requests
      existing.households += entry.households
      existing.accounts += entry.accounts
      if (entry.usedAt > existing.usedAt) existing.usedAt = entry.usedAt
    } else if (this.#entries.size < maxEntries) {
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
