import type { ComponentChildren } from 'preact'
import type { Series } from './chart.tsx'
import { type RangeName, ranges } from './periods.ts'
import { Table } from './table.tsx'

/** The time ranges of a page with charts. `address` is that of the page. */
export function RangeLinks({ address, current }: { address: string; current: RangeName }) {
  return (
    <nav aria-label="Time range">
      <ul class="segments">
        {Object.entries(ranges).map(([name, { label }]) => (
          <li key={name}>
            <a href={`${address}?range=${name}`} aria-current={name === current ? 'true' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** A number, what it is about, and its chart. */
export function MetricCard(props: {
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

export type FiguresColumn<Row> = { label: string; cell: (row: Row) => string }

/** The figures of all charts as a table, the latest first. `names` are those of the bars. */
export function Figures<Row>(props: { rows: Row[]; names: string[]; columns: FiguresColumn<Row>[] }) {
  const { rows, names, columns } = props
  return (
    <details class="figures">
      <summary>All figures as a table</summary>
      <Table
        caption="Figures of the charts"
        rows={rows.map((row, n) => ({ row, name: names[n] ?? '' })).toReversed()}
        keyOf={({ name }) => name}
        empty=""
        columns={[
          { label: 'Time', cell: ({ name }) => name },
          ...columns.map(({ label, cell }) => ({
            ...{ label, isNumber: true },
            cell: ({ row }: { row: Row }) => cell(row),
          })),
        ]}
      />
    </details>
  )
}

/** The highest bar, in words. */
export function peakOf(series: Series[], names: string[]): string {
  const totals = names.map((_, n) => series.reduce((sum, { values }) => sum + (values[n] ?? 0), 0))
  const most = Math.max(...totals)
  return most === 0 ? 'none' : `most at ${names[totals.indexOf(most)]}: ${amount(most)}`
}

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export function amount(value: number): string {
  return value >= 100_000 ? compact.format(value) : number.format(value)
}

export function milliseconds(value: number): string {
  return value >= 1000 ? `${number.format(value / 1000)} s` : `${number.format(value)} ms`
}

export function share(part: number, whole: number): string {
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

export function nameOf(at: Date, range: RangeName): string {
  return formats[range].format(at)
}
