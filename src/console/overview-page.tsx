import { BarChart, type Series } from '../panel/chart.tsx'
import { amount, Figures, type FiguresColumn, MetricCard, RangeLinks } from '../panel/metrics.tsx'
import type { Period, RangeName } from '../panel/periods.ts'
import {
  CallsCard,
  callFigures,
  ErrorsCard,
  LatencyCard,
  namesOf,
  RefreshesCard,
  spanOf,
  sumOf,
} from '../panel/traffic.tsx'
import { Moment } from '../web/parts.tsx'
import { Concerns } from './concerns.tsx'
import type { Concern, LatestEvent } from './overview.sql.ts'
import { eventText } from './parts.tsx'

export type OverviewPeriod = Period & { grants: number }

export function OverviewPage(props: {
  range: RangeName
  periods: OverviewPeriod[]
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

function Charts({
  range,
  periods,
  p99,
}: {
  range: RangeName
  periods: OverviewPeriod[]
  p99: number | null
}) {
  const names = namesOf(periods, range)
  const span = spanOf(range)
  const grants = sumOf(periods, (period) => period.grants)
  const shown = { periods, names, span }
  const ofGrants: Series = {
    label: 'connected',
    tone: 'accent',
    values: periods.map((period) => period.grants),
  }
  return (
    <section aria-label="Traffic">
      <CallsCard {...shown} none={`No partner has called ${span}`} />
      <div class="card-grid">
        <ErrorsCard {...shown} />
        <LatencyCard {...shown} p99={p99} />
        <MetricCard id="grants" title="New grants" value={amount(grants)} note="Users who connected an app">
          <BarChart
            id="grants"
            finding={`${amount(grants)} users connected an application ${span}`}
            series={[ofGrants]}
            names={names}
            format={amount}
          />
        </MetricCard>
        <RefreshesCard {...shown} note="Partners that lost a connection" />
      </div>
      <p class="small">Times in UTC. The last bar is still growing.</p>
      <Figures rows={periods} names={names} columns={figures} />
    </section>
  )
}

const figures: FiguresColumn<OverviewPeriod>[] = [
  ...callFigures,
  { label: 'New grants', cell: ({ grants }) => amount(grants) },
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
