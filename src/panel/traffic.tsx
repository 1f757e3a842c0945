import { BarChart, Legend, type Series } from './chart.tsx'
import { amount, type FiguresColumn, MetricCard, milliseconds, nameOf, peakOf, share } from './metrics.tsx'
import { type Period, type RangeName, ranges } from './periods.ts'

export function namesOf(periods: Period[], range: RangeName): string[] {
  return periods.map(({ at }) => nameOf(at, range))
}

/** The range in a sentence. */
export function spanOf(range: RangeName): string {
  return `in the last ${ranges[range].label}`
}

export function sumOf<Row>(periods: Row[], of: (period: Row) => number): number {
  return periods.reduce((total, period) => total + of(period), 0)
}

type Shown = { periods: Period[]; names: string[]; span: string }

function refusedOf(periods: Period[]): Series {
  return { label: 'refused', tone: 'warning', values: periods.map(({ refused }) => refused) }
}

function failedOf(periods: Period[]): Series {
  return { label: 'failed', tone: 'danger', values: periods.map(({ failed }) => failed) }
}

function refreshesOf(periods: Period[]): Series {
  return { label: 'refused', tone: 'warning', values: periods.map(({ refreshRefused }) => refreshRefused) }
}

/** @param props.none what the card says if there were no calls */
export function CallsCard({ periods, names, span, none }: Shown & { none: string }) {
  const calls = sumOf(periods, (period) => period.calls)
  const errors = sumOf(periods, ({ refused, failed }) => refused + failed)
  const answered = periods.map(({ calls, refused, failed }) => calls - refused - failed)
  const series: Series[] = [
    { label: 'answered', tone: 'accent', values: answered },
    refusedOf(periods),
    failedOf(periods),
  ]
  return (
    <MetricCard
      id="calls"
      title="Calls"
      value={amount(calls)}
      note={calls === 0 ? none : `${share(errors, calls)} with an error`}
      wide
    >
      <BarChart
        id="calls"
        finding={`${amount(calls)} calls ${span}; ${peakOf(series, names)}`}
        series={series}
        names={names}
        format={amount}
        tall
      />
      <Legend series={series} />
    </MetricCard>
  )
}

export function ErrorsCard({ periods, names, span }: Shown) {
  const refused = sumOf(periods, (period) => period.refused)
  const failed = sumOf(periods, (period) => period.failed)
  return (
    <MetricCard
      id="errors"
      title="Errors"
      value={amount(refused + failed)}
      note={`${amount(failed)} of them ours (5xx)`}
    >
      <BarChart
        id="errors"
        finding={`${amount(refused)} calls refused and ${amount(failed)} failed ${span}`}
        series={[refusedOf(periods), failedOf(periods)]}
        names={names}
        format={amount}
      />
    </MetricCard>
  )
}

export function LatencyCard({ periods, names, span, p99 }: Shown & { p99: number | null }) {
  return (
    <MetricCard
      id="p99"
      title="Latency, p99"
      value={p99 === null ? '–' : milliseconds(p99)}
      note="99 of 100 calls are faster"
    >
      <BarChart
        id="p99"
        finding={`99 of 100 calls took at most ${p99 === null ? 'no time' : milliseconds(p99)} ${span}`}
        series={[{ label: '', tone: 'accent', values: periods.map(({ p99 }) => p99 ?? 0) }]}
        names={names}
        format={milliseconds}
      />
    </MetricCard>
  )
}

export function RefreshesCard({ periods, names, span, note }: Shown & { note: string }) {
  const refreshes = amount(sumOf(periods, (period) => period.refreshRefused))
  return (
    <MetricCard id="refreshes" title="Refused refreshes" value={refreshes} note={note}>
      <BarChart
        id="refreshes"
        finding={`${refreshes} refreshes were refused ${span}`}
        series={[refreshesOf(periods)]}
        names={names}
        format={amount}
      />
    </MetricCard>
  )
}

/** The columns of these charts in the table of all figures. */
export const callFigures: FiguresColumn<Period>[] = [
  { label: 'Calls', cell: ({ calls }) => amount(calls) },
  { label: 'Refused', cell: ({ refused }) => amount(refused) },
  { label: 'Failed', cell: ({ failed }) => amount(failed) },
  { label: 'p99', cell: ({ p99 }) => (p99 === null ? '–' : milliseconds(p99)) },
]
