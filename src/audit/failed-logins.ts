import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { insertFailedLogins } from './failed-logins.sql.ts'

/** Milliseconds between two writes. A crash loses the failures since the last write. */
const intervalMs = 60_000

/** Records that may wait for the database. An attacker who uses many addresses must not fill the memory or the log. */
const maxEntries = 10_000

export type FailedLogin = {
  method: 'password' | 'passkey' | 'totp' | 'recovery_code'
  reason: 'refused' | 'throttled'
  /** The IP address of the client. */
  address: string
  /** Undefined: the typed address belongs to no user who can log in with a password. */
  userId?: string | undefined
  /** A keyed digest of the typed address, in hexadecimal. What was typed may be a password, so it is not kept. */
  accountDigest?: string | undefined
}

type Entry = FailedLogin & { count: number; first: Date; last: Date }

/**
 * Records failed logins in the audit log, off the request path: one record for each account, source, method and reason in a
 * minute, with how many there were.
 */
export class FailedLogins {
  readonly #database: Database
  readonly #logger: Pick<FastifyBaseLogger, 'warn' | 'error'>
  readonly #now: () => Date
  #entries = new Map<string, Entry>()
  #uncounted = 0
  readonly #job: BackgroundJob

  constructor(database: Database, logger: Pick<FastifyBaseLogger, 'warn' | 'error'>, now: () => Date) {
    this.#database = database
    this.#logger = logger
    this.#now = now
    // A write never rejects, so there is no error to handle.
    this.#job = new BackgroundJob({ everyMs: intervalMs, run: () => this.#writeBatch(), onError: () => {} })
  }

  start(): void {
    this.#job.start()
  }

  count(failure: FailedLogin): void {
    const { method, reason, address, userId, accountDigest } = failure
    const key = [method, reason, address, userId, accountDigest].join(' ')
    const known = this.#entries.get(key)
    const last = this.#now()
    if (known) {
      known.count += 1
      known.last = last
    } else {
      this.#add(key, { ...failure, count: 1, first: last, last })
    }
  }

  #add(key: string, entry: Entry): void {
    if (this.#entries.size < maxEntries) this.#entries.set(key, entry)
    else this.#uncounted += entry.count
  }

  /** Counts a batch that was not written together with what has come since. */
  #putBack(batch: Map<string, Entry>): void {
    for (const [key, entry] of batch) {
      const since = this.#entries.get(key)
      if (since) Object.assign(since, { count: since.count + entry.count, first: entry.first })
      else this.#add(key, entry)
    }
  }

  /** Writes what was counted so far. Runs twice, because the current run may lack the latest. Never rejects. */
  async write(): Promise<void> {
    await this.#job.run()
    await this.#job.run()
  }

  /** Writes the rest. Resolves when the database is no longer needed. */
  async stop(): Promise<void> {
    await this.#job.stop()
    await this.write()
  }

  async #writeBatch(): Promise<void> {
    if (this.#uncounted > 0) {
      this.#logger.warn({ event: 'failed_logins', outcome: 'uncounted', failures: this.#uncounted })
    }
    this.#uncounted = 0
    if (this.#entries.size === 0) return
    const batch = this.#entries
    this.#entries = new Map()
    try {
      await this.#database.run(insertFailedLogins, [
        JSON.stringify(
          [...batch.values()].map(({ userId, accountDigest, ...entry }) => ({
            ...entry,
            user_id: userId,
            account_digest: accountDigest,
          })),
        ),
      ])
    } catch (error) {
      this.#logger.error({ event: 'failed_logins', outcome: 'not_written', entries: batch.size, error })
      this.#putBack(batch)
    }
  }
}
