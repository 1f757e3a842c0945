import { durationBounds } from '../request-log/call-hours.sql.ts'
import { quantile } from '../request-log/quantile.ts'
import { type StatusRow, shownMonths } from './status.sql.ts'

/** Of the calls of partners in a period: reads of the API, or requests to the token endpoints. */
export type Calls = {
  /** Milliseconds that 50, 95 and 99 of 100 calls did not exceed. Null: no caller was authenticated. */
  p50_ms: number | null
  p95_ms: number | null
  p99_ms: number | null
  /** Share of the calls that were answered with 5xx, from 0 to 1. */
  failed_share: number
}

type Figures = {
  /** Share of the observed time without an outage, from 0 to 1, rounded down. Null: nothing was observed. */
  availability: number | null
  outage_seconds: number
  /** Null: there were no calls. */
  read: Calls | null
  token: Calls | null
}

/** `to` is null while it goes on. */
type Outage = { from: string; to: string | null; seconds: number }

export type Report = {
  /** The time of the figures, by the clock of the database. */
  as_of: string
  /** The first heartbeat. Null: there is none. */
  measured_since: string | null
  last_30_days: Figures
  /** The oldest first. */
  months: ({ month: string } & Figures)[]
  days: ({ day: string } & Figures)[]
  /** Of the shown months, the newest first, and not more than 500. */
  outages: Outage[]
}

const mostOutages = 500
const dayMs = 86_400_000

/** What happened on one day, so that days can be added. */
type Day = {
  day: string
  observedMs: number
  outageMs: number
  calls: StatusRow['days']
}

type Milliseconds = { from: number; to: number }

/** The report of the status page and of its JSON document. */
export function reportOf(row: StatusRow): Report {
  const now = row.now.getTime()
  const days = daysOf(row, now)
  const months = grouped(days, ({ day }) => day.slice(0, 7))
  const begin = Date.parse(days[0]?.day ?? '')
  const outages = row.outages.map(parsed).filter(({ to }) => to > begin)
  return {
    as_of: row.now.toISOString(),
    measured_since: row.first_heartbeat?.toISOString() ?? null,
    last_30_days: figuresOf(days.slice(-30)),
    months: [...months].map(([month, some]) => ({ month, ...figuresOf(some) })),
    days: days.map((each) => ({ day: each.day, ...figuresOf([each]) })),
    outages: outages
      .toReversed()
      .slice(0, mostOutages)
      .map(({ from, to }, n) => ({
        from: new Date(from).toISOString(),
        to: row.is_silent && n === 0 ? null : new Date(to).toISOString(),
        seconds: secondsOf(to - from),
      })),
  }
}

/** Each day (UTC) of the shown months until today. */
function daysOf(row: StatusRow, now: number): Day[] {
  const first = Date.UTC(row.now.getUTCFullYear(), row.now.getUTCMonth() - shownMonths + 1)
  const observed = row.first_heartbeat ? [{ from: row.first_heartbeat.getTime(), to: now }] : []
  const observedMs = byDay(observed)
  const unknownMs = byDay(row.unknown.map(parsed))
  const outageMs = byDay(row.outages.map(parsed))
  const calls = grouped(row.days, ({ day }) => day)
  return Array.from({ length: Math.floor((now - first) / dayMs) + 1 }, (_, n) => {
    const day = dayOf(first + n * dayMs)
    return {
      day,
      observedMs: (observedMs.get(day) ?? 0) - (unknownMs.get(day) ?? 0),
      outageMs: outageMs.get(day) ?? 0,
      calls: calls.get(day) ?? [],
    }
  })
}

/** How many milliseconds of each day the spans cover. They must not overlap. */
function byDay(spans: Milliseconds[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { from, to } of spans) {
    for (let start = from; start < to; ) {
      const end = Math.min(to, (Math.floor(start / dayMs) + 1) * dayMs)
      const day = dayOf(start)
      sums.set(day, (sums.get(day) ?? 0) + end - start)
      start = end
    }
  }
  return sums
}

function figuresOf(days: Day[]): Figures {
  const observed = days.reduce((sum, { observedMs }) => sum + observedMs, 0)
  const outage = days.reduce((sum, { outageMs }) => sum + outageMs, 0)
  const calls = days.flatMap((day) => day.calls)
  return {
    availability: observed > 0 ? Math.floor((1 - outage / observed) * 1e6) / 1e6 : null,
    outage_seconds: secondsOf(outage),
    read: callsOf(calls.filter(({ kind }) => kind === 'read')),
    token: callsOf(calls.filter(({ kind }) => kind === 'token')),
  }
}

function callsOf(rows: StatusRow['days']): Calls | null {
  const calls = rows.reduce((sum, row) => sum + row.calls, 0)
  if (calls === 0) return null
  const failed = rows.reduce((sum, row) => sum + row.failed, 0)
  const counts = [...durationBounds, Infinity].map((_, n) =>
    rows.reduce((sum, { slower }) => sum + (slower[n] ?? 0), 0),
  )
  const percentile = (share: number) => {
    const ms = quantile(counts, share)
    return ms === null ? null : Number(ms.toPrecision(2))
  }
  return {
    p50_ms: percentile(0.5),
    p95_ms: percentile(0.95),
    p99_ms: percentile(0.99),
    failed_share: Number((failed / calls).toPrecision(2)),
  }
}

function grouped<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

function parsed({ from, to }: { from: string; to: string }): Milliseconds {
  return { from: Date.parse(from), to: Date.parse(to) }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function secondsOf(ms: number): number {
  return Math.round(ms / 1000)
}
