import type { Config } from '../config.ts'
import type { Queries } from '../database/database.ts'
import { beginOf, periodsOf, type RangeName, ranges } from '../panel/periods.ts'
import { deprecatedCalls, partnerCallsByPeriod } from '../request-log/call-hours.sql.ts'
import { successors } from '../request-log/successors.ts'

/** Days over which deprecated calls are counted. */
export const countedDays = 30

/** The calls of a partner, period by period until now: the numbers of the charts. */
export async function useOf(database: Queries, clientId: string, range: RangeName, now: Date) {
  const { period } = ranges[range]
  const rows = await database.run(partnerCallsByPeriod, [beginOf(range, now), period, clientId])
  const data = periodsOf(range, now, rows).map(({ refreshRefused, p99, ...counts }) => ({
    ...counts,
    refresh_refused: refreshRefused,
    p99_ms: p99,
  }))
  return { period_seconds: period, data }
}

/** Deprecated operations that a partner has called, with their dates and what to use instead. */
export async function deprecatedCallsOf(
  database: Queries,
  { v1, baseUrl }: Pick<Config, 'v1' | 'baseUrl'>,
  clientId: string,
  now: Date,
) {
  const since = new Date(now.getTime() - countedDays * 86_400_000)
  const rows = await database.run(deprecatedCalls, [clientId, since])
  return rows.map((row) => {
    const successor = successors[row.operation]?.successor
    return {
      ...row,
      deprecated_on: v1?.deprecatedOn ?? null,
      sunset_on: v1?.sunsetOn ?? null,
      successor: successor === undefined ? null : baseUrl + successor,
    }
  })
}
