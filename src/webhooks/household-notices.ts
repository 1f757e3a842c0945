import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { beginNotices, tellFirm } from './household-notices.sql.ts'

const intervalMs = 10_000

/**
 * Writes the events about households that changed (docs/adr/0044), every ten seconds. They are written after the change, and
 * not in its statement, because an import may change hundreds of thousands of households for hundreds of grants: each grant
 * then gets one event. The logs of changes keep what is not told yet. Any number of servers may run it.
 */
export class HouseholdNotices {
  readonly #job: BackgroundJob
  #stopping = false

  constructor(database: Database, logger: Pick<FastifyBaseLogger, 'error'>, baseUrl: string) {
    this.#job = new BackgroundJob({
      everyMs: intervalMs,
      run: async () => {
        await database.run(beginNotices, [])
        for (let more = true; more && !this.#stopping; ) {
          const { firms } = await database.expensive.one(tellFirm, [baseUrl])
          more = firms > 0
        }
      },
      onError: (error) => logger.error({ event: 'household_notices', outcome: 'failed', error }),
    })
  }

  /** Runs every ten seconds, until `stop`. */
  start(): void {
    this.#job.start()
  }

  /** Tells the partners what has changed until now. */
  run(): Promise<void> {
    return this.#job.run()
  }

  /** Ends the current run after its current batch. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#job.stop()
  }
}
