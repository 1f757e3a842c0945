import { type CallHours, durationBounds } from '../request-log/call-hours.sql.ts'
import { quantile } from '../request-log/quantile.ts'
import Type from '../typebox.ts'

/** The time ranges of the overview, and how long a bar of a chart is. */
export const ranges = {
  '24h': { label: '24 hours', seconds: 86_400, period: 3600 },
  '7d': { label: '7 days', seconds: 7 * 86_400, period: 6 * 3600 },
  '30d': { label: '30 days', seconds: 30 * 86_400, period: 86_400 },
} as const
export type RangeName = keyof typeof ranges

/** The query of a page with charts. */
export const RangeQuery = Type.Object({
  range: Type.Optional(Type.Union([Type.Literal('24h'), Type.Literal('7d'), Type.Literal('30d')])),
})

/** A bar of each chart. */
export type Period = {
  /** Start. */
  at: Date
  calls: number
  refused: number
  failed: number
  refreshRefused: number
  /** The duration that 99 of 100 calls do not exceed, in milliseconds. Null: there were no calls. */
  p99: number | null
}

/** One period after the other until now, also those in which nothing happened. */
export function periodsOf(range: RangeName, now: Date, calls: CallHours[]): Period[] {
  const { seconds, period } = ranges[range]
  const last = Math.floor(now.getTime() / 1000 / period) * period
  const byTime = new Map(calls.map((row) => [row.at.getTime(), row]))
  return Array.from({ length: seconds / period }, (_, n) => {
    const at = new Date((last - (seconds / period - 1 - n) * period) * 1000)
    const row = byTime.get(at.getTime())
    return {
      at,
      calls: row?.calls ?? 0,
      refused: row?.refused ?? 0,
      failed: row?.failed ?? 0,
      refreshRefused: row?.refresh_refused ?? 0,
      p99: row ? quantile(row.slower, 0.99) : null,
    }
  })
}

/** Start of the first period. */
export function beginOf(range: RangeName, now: Date): Date {
  const { seconds, period } = ranges[range]
  return new Date((Math.floor(now.getTime() / 1000 / period) * period - seconds + period) * 1000)
}

/** All durations of the range together. */
export function totalP99(rows: CallHours[]): number | null {
  const sums = durationBounds.map((_, n) => rows.reduce((sum, { slower }) => sum + (slower[n] ?? 0), 0))
  const slowest = rows.reduce((sum, { slower }) => sum + (slower[durationBounds.length] ?? 0), 0)
  return quantile([...sums, slowest], 0.99)
}
