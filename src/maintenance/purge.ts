import type { FastifyBaseLogger } from 'fastify'
import { applyRetention } from '../audit/retention.ts'
import type { Config } from '../config.ts'
import { type Database, type Queries, queriesOn } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { findUnmerged, mergedAtOnce, mergeReads } from '../read-log/write-reads.sql.ts'
import { keepPartitions } from '../request-log/write-requests.sql.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import {
  batchRows,
  expireConnections,
  purgeConnections,
  purgeExpired,
  purgeReaders,
  purgeReads,
} from './purge.sql.ts'

const intervalMs = 60_000

/** Batches of one table in one round. The next round deletes the rest. */
const maxBatches = 100

/** The advisory lock of the server that purges. */
const purgeLock = 4_710_004

/** How long logs are kept, and the keys that sign what is removed from the audit log. */
type Retention = Pick<Config, 'readLogMonths' | 'requestLogDays' | 'auditMonths'> & { keys: SecretKeys }

/** The number of deleted rows for each table. A table without deleted rows is left out. */
export type Purged = Record<string, number>

/**
 * Deletes rows that no decision depends on (docs/adr/0011), in small batches. One server purges at a time: a server that
 * does not get the lock skips the round.
 */
export class Purge {
  readonly #database: Database
  readonly #logger: Pick<FastifyBaseLogger, 'info' | 'error'>
  readonly #retention: Retention
  /** The id of the last connection that was read. The next batch continues after it. */
  #lastConnection = '0'
  #stopping = false
  readonly #job: BackgroundJob<Purged>

  constructor(database: Database, logger: Pick<FastifyBaseLogger, 'info' | 'error'>, retention: Retention) {
    this.#database = database
    this.#retention = retention
    this.#logger = logger
    this.#job = new BackgroundJob({
      everyMs: intervalMs,
      run: () => this.#purgeUnderLock(),
      onError: (error) => this.#logFailure(error),
    })
  }

  /** Runs a round now and every minute until `stop`. Logs a failure and tries again a minute later. */
  start(): void {
    this.round().catch((error) => this.#logFailure(error))
    this.#job.start()
  }

  /** Ends the current round after its current batch. Resolves when the purge no longer uses the database. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#job.stop()
  }

  /** Purges all tables once. Concurrent calls share one round. */
  round(): Promise<Purged> {
    return this.#job.run()
  }

  #logFailure(error: unknown): void {
    this.#logger.error({ event: 'purge', outcome: 'failed', error })
  }

  /** Locks for a transaction: behind a connection pooler, a session's lock could outlive this connection. */
  #purgeUnderLock(): Promise<Purged> {
    return this.#database.withConnection(async (client) => {
      await client.query('BEGIN')
      const { rows } = await client.query('SELECT pg_try_advisory_xact_lock($1) AS won', [purgeLock])
      return rows[0]?.won === true ? this.#purgeTables() : {}
    })
  }

  async #purgeTables(): Promise<Purged> {
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
        await this.#database.one(expireConnections, [this.#lastConnection])
        const { removed, last } = await this.#database.one(purgeConnections, [this.#lastConnection])
        count('connections', removed)
        this.#lastConnection = last ?? '0'
        return last !== null
      })
      await this.#purgeLogs(count)
    } finally {
      if (Object.keys(purged).length > 0) this.#logger.info({ event: 'purge', outcome: 'removed', ...purged })
    }
    return purged
  }

  async #purgeLogs(count: (table: string, rows: number) => void): Promise<void> {
    if (this.#stopping) return
    const { readLogMonths, requestLogDays, auditMonths, keys } = this.#retention
    count('audit_log', await applyRetention(this.#database, keys, auditMonths))
    const { removed: partitions } = await this.#database.one(keepPartitions, [requestLogDays])
    count('request_log_partitions', partitions)
    let expired = 0
    await this.#inBatches(async () => {
      const { removed } = await this.#database.one(purgeReads, [readLogMonths])
      expired += removed
      return removed === batchRows
    })
    count('read_log', expired)
    if (expired > 0) count('read_log_grants', (await this.#database.one(purgeReaders, [])).removed)
    const { found } = await this.#database.one(findUnmerged, [])
    if (found) await this.#database.withConnection((client) => this.#mergeReads(queriesOn(client)))
  }

  /** On a connection without a time limit: a partner may have read very many households in its own order. */
  #mergeReads(queries: Queries): Promise<void> {
    return this.#inBatches(async () => {
      const { merged } = await queries.one(mergeReads, [])
      return merged === mergedAtOnce
    })
  }

  /** @param batch deletes one batch and returns whether there may be more rows */
  async #inBatches(batch: () => Promise<boolean>): Promise<void> {
    for (let batches = 0; batches < maxBatches && !this.#stopping; batches++) {
      if (!(await batch())) return
    }
  }
}
