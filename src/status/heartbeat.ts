import type { BaseLogger } from 'pino'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { heartbeatSeconds, writeHeartbeat } from './heartbeat.sql.ts'

/**
 * Writes that this server runs and that the database accepts its writes, on the connections of token requests. A heartbeat that
 * fails is not repeated: what is missing is the record of the outage (docs/adr/0047).
 */
export class Heartbeat {
  readonly #onError: (error: unknown) => void
  readonly #job: BackgroundJob

  constructor(database: Pick<Database, 'run'>, logger: BaseLogger) {
    this.#onError = (error) => logger.error({ event: 'heartbeat', outcome: 'not_written', error })
    this.#job = new BackgroundJob({
      everyMs: heartbeatSeconds * 1000,
      run: async () => void (await database.run(writeHeartbeat, [])),
      onError: this.#onError,
    })
  }

  /** Call it when the server listens. */
  start(): void {
    this.beat().catch(this.#onError)
    this.#job.start()
  }

  /** Writes one heartbeat now. */
  beat(): Promise<void> {
    return this.#job.run()
  }

  /** Call it before the server refuses connections. Resolves when the database is no longer needed. */
  stop(): Promise<void> {
    return this.#job.stop()
  }
}
