import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { batchGrants, writeEndNotices } from './end-notices.sql.ts'

const intervalMs = 10 * 60_000

/**
 * Writes the mails and events about consents that end soon, every ten minutes. Any number of servers may do so.
 * @param sendsMails false: only the events
 */
export function endNotices(
  database: Database,
  logger: Pick<FastifyBaseLogger, 'error'>,
  sendsMails: boolean,
): BackgroundJob {
  return new BackgroundJob({
    everyMs: intervalMs,
    async run() {
      for (let more = true; more; ) {
        const { taken } = await database.one(writeEndNotices, [sendsMails])
        more = taken === batchGrants
      }
    },
    onError: (error) => logger.error({ event: 'end_notices', outcome: 'failed', error }),
  })
}
