import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { batchRows, purgeConnections, purgeExpired } from './purge.sql.ts'

const interval = 60_000

/** Of one table in one round. What is left then waits for the next. */
const mostBatches = 100

/** The advisory lock of the server that is at it. */
const purging = 4_710_004

/** How many rows of each table were removed; a table without any is left out. */
export type Purged = Record<string, number>

/**
 * Deletes the rows that decide nothing any more (docs/adr/0011), in small batches and on one server at a time. A server
 * that finds another at it does nothing.
 */
export class Purge {
  readonly #database: Database
  readonly #logger: Pick<FastifyBaseLogger, 'info' | 'error'>
  /** Where the walk over the connections goes on. */
  #lastConnection = '0'
  #stopping = false
  readonly #job: BackgroundJob<Purged>

  constructor(database: Database, logger: Pick<FastifyBaseLogger, 'info' | 'error'>) {
    this.#database = database
    this.#logger = logger
    this.#job = new BackgroundJob({
      everyMs: interval,
      run: () => this.#alone(),
      onError: (error) => this.#logFailure(error),
    })
  }

  /** A round now and each minute, until `stop`. What fails is logged, and tried again a minute later. */
  start(): void {
    this.round().catch((error) => this.#logFailure(error))
    this.#job.start()
  }

  /** Ends a round after the batch it is at. Resolves when nothing of it needs the database any more. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#job.stop()
  }

  /** Purges all tables once. While a round is under way, every caller gets that round. */
  round(): Promise<Purged> {
    return this.#job.run()
  }

  #logFailure(error: unknown): void {
    this.#logger.error({ event: 'purge', outcome: 'failed', error })
  }

  /** The lock is a transaction's, which outlives its connection in no connection pooler. */
  #alone(): Promise<Purged> {
    return this.#database.withConnection(async (client) => {
      await client.query('BEGIN')
      const { rows } = await client.query('SELECT pg_try_advisory_xact_lock($1) AS won', [purging])
      return rows[0]?.won === true ? this.#allTables() : {}
    })
  }

  /** The connections come last: they go when their tokens are gone. */
  async #allTables(): Promise<Purged> {
    const purged: Purged = {}
    const count = (table: string, rows: number) => {
      if (rows > 0) purged[table] = (purged[table] ?? 0) + rows
    }
    try {
      for (const [table, expired] of Object.entries(purgeExpired)) {
        await this.#inBatches(async () => {
          const { removed } = await this.#database.one(expired, [])
          count(table, removed)
          return removed === batchRows
        })
      }
      await this.#inBatches(async () => {
        const { removed, last } = await this.#database.one(purgeConnections, [this.#lastConnection])
        count('connections', removed)
        this.#lastConnection = last ?? '0'
        return last !== null
      })
    } finally {
      if (Object.keys(purged).length > 0) this.#logger.info({ event: 'purge', outcome: 'removed', ...purged })
    }
    return purged
  }

  /** @param batch tells whether there may be more */
  async #inBatches(batch: () => Promise<boolean>): Promise<void> {
    for (let batches = 0; batches < mostBatches && !this.#stopping; batches++) {
      if (!(await batch())) return
    }
  }
}
