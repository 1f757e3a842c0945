import { BarChart, Legend, type Series } from '../panel/chart.tsx'
import {
  amount,
  Figures,
  type FiguresColumn,
  MetricCard,
  milliseconds,
  nameOf,
  peakOf,
  RangeLinks,
  share,
} from '../panel/metrics.tsx'
import { type Period, type RangeName, ranges } from '../panel/periods.ts'
import { Moment } from '../web/parts.tsx'
import { Concerns } from './concerns.tsx'
import type { Concern, LatestEvent } from './overview.sql.ts'
import { eventText } from './parts.tsx'

export function OverviewPage(props: {
  range: RangeName
  periods: Period[]
  /** Of all calls, in milliseconds. */
  p99: number | null
  concerns: Concern[]
  events: LatestEvent[]
}) {
  const { range, periods, p99, concerns, events } = props
  return (
    <>
      <div class="page-head">
        <h1>Overview</h1>
        <RangeLinks address="/admin" current={range} />
      </div>
      <Concerns concerns={concerns} />
      <Charts range={range} periods={periods} p99={p99} />
      <LatestEvents events={events} />
    </>
  )
}

function Charts({ range, periods, p99 }: { range: RangeName; periods: Period[]; p99: number | null }) {
  const names = periods.map(({ at }) => nameOf(at, range))
  const sum = (of: (period: Period) => number) => periods.reduce((total, period) => total + of(period), 0)
  const calls = sum((period) => period.calls)
  const refused = sum((period) => period.refused)
  const failed = sum((period) => period.failed)
  const grants = sum((period) => period.grants)
  const refreshes = sum((period) => period.refreshRefused)
  const series = seriesOf(periods)
  const span = `in the last ${ranges[range].label}`
  const chart = (id: string, finding: string, shown: Series[], format = amount) => (
    <BarChart id={id} finding={finding} series={shown} names={names} format={format} tall={id === 'calls'} />
  )
  return (
    <section aria-label="Traffic">
      <MetricCard
        id="calls"
        title="Calls"
        value={amount(calls)}
        note={
          calls === 0 ? `No partner has called ${span}` : `${share(refused + failed, calls)} with an error`
        }
        wide
      >
        {chart('calls', `${amount(calls)} calls ${span}; ${peakOf(series.calls, names)}`, series.calls)}
        <Legend series={series.calls} />
      </MetricCard>
      <div class="card-grid">
        <MetricCard
          id="errors"
          title="Errors"
          value={amount(refused + failed)}
          note={`${amount(failed)} of them ours (5xx)`}
        >
          {chart(
            'errors',
            `${amount(refused)} calls refused and ${amount(failed)} failed ${span}`,
            series.errors,
          )}
        </MetricCard>
        <MetricCard
          id="p99"
          title="Latency, p99"
          value={p99 === null ? '–' : milliseconds(p99)}
          note="99 of 100 calls are faster"
        >
          {chart(
            'p99',
            `99 of 100 calls took at most ${p99 === null ? 'no time' : milliseconds(p99)} ${span}`,
            series.p99,
            milliseconds,
          )}
        </MetricCard>
        <MetricCard
          id="grants"
          title="New connections"
          value={amount(grants)}
          note="Users who connected an app"
        >
          {chart('grants', `${amount(grants)} users connected an application ${span}`, series.grants)}
        </MetricCard>
        <MetricCard
          id="refreshes"
          title="Refused refreshes"
          value={amount(refreshes)}
          note="Partners that lost a connection"
        >
          {chart('refreshes', `${amount(refreshes)} refreshes were refused ${span}`, series.refreshes)}
        </MetricCard>
      </div>
      <p class="small">Times in UTC. The last bar is still growing.</p>
      <Figures rows={periods} names={names} columns={figures} />
    </section>
  )
}

function seriesOf(periods: Period[]): Record<'calls' | 'errors' | 'p99' | 'grants' | 'refreshes', Series[]> {
  const values = (of: (period: Period) => number) => periods.map(of)
  const refused: Series = { label: 'refused', tone: 'warning', values: values((period) => period.refused) }
  const failed: Series = { label: 'failed', tone: 'danger', values: values((period) => period.failed) }
  const answered = values(({ calls, refused, failed }) => calls - refused - failed)
  return {
    calls: [{ label: 'answered', tone: 'accent', values: answered }, refused, failed],
    errors: [refused, failed],
    p99: [{ label: '', tone: 'accent', values: values(({ p99 }) => p99 ?? 0) }],
    grants: [{ label: 'connected', tone: 'accent', values: values((period) => period.grants) }],
    refreshes: [{ label: 'refused', tone: 'warning', values: values((period) => period.refreshRefused) }],
  }
}

const figures: FiguresColumn<Period>[] = [
  { label: 'Calls', cell: ({ calls }) => amount(calls) },
  { label: 'Refused', cell: ({ refused }) => amount(refused) },
  { label: 'Failed', cell: ({ failed }) => amount(failed) },
  { label: 'p99', cell: ({ p99 }) => (p99 === null ? '–' : milliseconds(p99)) },
  { label: 'New connections', cell: ({ grants }) => amount(grants) },
  { label: 'Refused refreshes', cell: ({ refreshRefused }) => amount(refreshRefused) },
]

function LatestEvents({ events }: { events: LatestEvent[] }) {
  return (
    <section aria-labelledby="events">
      <div class="section-head">
        <h2 id="events">Latest changes</h2>
        <a href="/admin/audit">Audit log</a>
      </div>
      <div class="panel">
        {events.length === 0 ? (
          <p class="empty">Each change that an operator, a program or a user makes appears here.</p>
        ) : (
          <ul class="rows">
            {events.map((event) => (
              <li key={`${event.at.getTime()} ${event.event} ${event.target_id}`}>
                <div class="grow">
                  <p>
                    {eventText(event.event)} <code class="muted">{event.target_id}</code>
                  </p>
                  <p class="small">
                    <bdi>{event.actor || event.actor_kind.replaceAll('_', ' ')}</bdi>,{' '}
                    {event.via.replaceAll('_', ' ')}
                  </p>
                </div>
                <span class="small">
                  <Moment at={event.at} language="en" relative />
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}
