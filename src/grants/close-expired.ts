import type { FastifyBaseLogger } from 'fastify'
import { originValue, systemOrigin } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { batchGrants, closeExpiredGrants } from './close-expired.sql.ts'

const intervalMs = 30_000

/**
 * Closes expired grants every 30 seconds, so that partners and the audit log learn of the end. The tokens are refused from the
 * first second, without this job (docs/adr/0035). Any number of servers may run it.
 */
export function closingOfGrants(database: Database, logger: Pick<FastifyBaseLogger, 'error'>): BackgroundJob {
  return new BackgroundJob({
    everyMs: intervalMs,
    async run() {
      for (let more = true; more; ) {
        const { closed } = await database.one(closeExpiredGrants, [originValue(systemOrigin)])
        more = closed === batchGrants
      }
    },
    onError: (error) => logger.error({ event: 'closing_of_grants', outcome: 'failed', error }),
  })
}
