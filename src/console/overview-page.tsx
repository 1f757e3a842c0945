import type { ComponentChildren } from 'preact'
import { BarChart, Legend, type Series } from '../panel/chart.tsx'
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
        <nav aria-label="Time range">
          <ul class="segments">
            {Object.entries(ranges).map(([name, { label }]) => (
              <li key={name}>
                <a href={`/admin?range=${name}`} aria-current={name === range ? 'true' : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
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
      <Card
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
      </Card>
      <div class="card-grid">
        <Card
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
        </Card>
        <Card
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
        </Card>
        <Card id="grants" title="New connections" value={amount(grants)} note="Users who connected an app">
          {chart('grants', `${amount(grants)} users connected an application ${span}`, series.grants)}
        </Card>
        <Card
          id="refreshes"
          title="Refused refreshes"
          value={amount(refreshes)}
          note="Partners that lost a connection"
        >
          {chart('refreshes', `${amount(refreshes)} refreshes were refused ${span}`, series.refreshes)}
        </Card>
      </div>
      <p class="small">Times in UTC. The last bar is still growing.</p>
      <Figures periods={periods} names={names} />
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

function Card(props: {
  id: string
  title: string
  value: string
  note: string
  wide?: boolean
  children: ComponentChildren
}) {
  const { id, title, value, note, wide = false, children } = props
  return (
    <article class={wide ? 'metric wide' : 'metric'} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="metric-value">{value}</p>
      <p class="small">{note}</p>
      {children}
    </article>
  )
}

/** The figures of all charts. */
function Figures({ periods, names }: { periods: Period[]; names: string[] }) {
  return (
    <details class="figures">
      <summary>All figures as a table</summary>
      <table class="stacks" aria-label="Figures of the charts">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Calls</th>
            <th scope="col">Refused</th>
            <th scope="col">Failed</th>
            <th scope="col">p99</th>
            <th scope="col">New connections</th>
            <th scope="col">Refused refreshes</th>
          </tr>
        </thead>
        <tbody>
          {periods
            .map((period, n) => ({ ...period, name: names[n] ?? '' }))
            .toReversed()
            .map(({ name, calls, refused, failed, p99, grants, refreshRefused }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td data-label="Calls">{amount(calls)}</td>
                <td data-label="Refused">{amount(refused)}</td>
                <td data-label="Failed">{amount(failed)}</td>
                <td data-label="p99">{p99 === null ? '–' : milliseconds(p99)}</td>
                <td data-label="New connections">{amount(grants)}</td>
                <td data-label="Refused refreshes">{amount(refreshRefused)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  )
}

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

/** The highest bar, in words. */
function peakOf(series: Series[], names: string[]): string {
  const totals = names.map((_, n) => series.reduce((sum, { values }) => sum + (values[n] ?? 0), 0))
  const most = Math.max(...totals)
  return most === 0 ? 'none' : `most at ${names[totals.indexOf(most)]}: ${amount(most)}`
}

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

function amount(value: number): string {
  return value >= 100_000 ? compact.format(value) : number.format(value)
}

function milliseconds(value: number): string {
  return value >= 1000 ? `${number.format(value / 1000)} s` : `${number.format(value)} ms`
}

function share(part: number, whole: number): string {
  const percent = (part / whole) * 100
  return percent > 0 && percent < 0.1 ? 'Less than 0.1%' : `${number.format(percent)}%`
}

const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const
const date = { month: 'short', day: 'numeric', timeZone: 'UTC' } as const
const formats: Record<RangeName, Intl.DateTimeFormat> = {
  '24h': new Intl.DateTimeFormat('en', { ...date, ...hour }),
  '7d': new Intl.DateTimeFormat('en', { ...date, ...hour }),
  '30d': new Intl.DateTimeFormat('en', date),
}

function nameOf(at: Date, range: RangeName): string {
  return formats[range].format(at)
}
