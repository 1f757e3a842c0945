import type { Language, Texts } from '../web/languages/languages.ts'
import { Amount } from '../web/parts.tsx'
import { type LiveGrant, type Reads, shownDays } from './connected-apps.sql.ts'

/** In units of the drawing, which is stretched to the width of the card. */
const slot = 10
const bar = 7
const height = 60
/** A day with few reads is still seen. */
const lowestBar = 2

/** What an application read on each of the last days, as bars and as a table. */
export function ReadsChart({ grant, texts }: { grant: LiveGrant; texts: Texts }) {
  const { connections: text, language } = texts
  const { id, today, reads } = grant
  const busiest = reads.reduce((most, day) => (rowsOf(day) > rowsOf(most) ? day : most), reads[0] ?? noReads)
  const most = rowsOf(busiest)
  if (most === 0) return null
  const first = daysBefore(today, shownDays - 1)
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${shownDays * slot} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-labelledby={`chart-${id}`}
      >
        <title id={`chart-${id}`}>
          {text.chart(dayText(busiest.day, language), amountText(most, language))}
        </title>
        {reads.map((day) => (
          <Bar key={day.day} day={day} place={daysBetween(first, day.day)} most={most} language={language} />
        ))}
      </svg>
      <figcaption>
        <span>{dayText(first, language)}</span>
        <span>{text.chart(dayText(busiest.day, language), amountText(most, language))}</span>
        <span>{text.today}</span>
      </figcaption>
      <details>
        <summary>{text.asTable}</summary>
        <ReadsTable reads={reads} texts={texts} name={`app-${id}`} />
      </details>
    </figure>
  )
}

function Bar(props: { day: Reads; place: number; most: number; language: Language }) {
  const { day, place, most, language } = props
  const rows = rowsOf(day)
  if (rows === 0) return null
  const tall = Math.max(Math.round((rows / most) * height * 10) / 10, lowestBar)
  return (
    <rect x={place * slot + (slot - bar) / 2} y={height - tall} width={bar} height={tall}>
      <title>{`${dayText(day.day, language)}: ${amountText(rows, language)}`}</title>
    </rect>
  )
}

/** The newest day first. */
function ReadsTable({ reads, texts, name }: { reads: Reads[]; texts: Texts; name: string }) {
  const { connections: text, language } = texts
  return (
    <table class="quiet" aria-labelledby={name}>
      <thead>
        <tr>
          <th scope="col">{text.day}</th>
          <th scope="col">{text.requests}</th>
          <th scope="col">{text.households}</th>
          <th scope="col">{text.accounts}</th>
        </tr>
      </thead>
      <tbody>
        {reads.toReversed().map(({ day, requests, households, accounts }) => (
          <tr key={day}>
            <th scope="row">{dayText(day, language)}</th>
            <td>
              <Amount of={requests} language={language} />
            </td>
            <td>
              <Amount of={households} language={language} />
            </td>
            <td>
              <Amount of={accounts} language={language} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const noReads: Reads = { day: '1970-01-01', requests: 0, households: 0, accounts: 0 }

function rowsOf({ households, accounts }: Reads): number {
  return households + accounts
}

/** "Nov 3", or as the language writes it. */
function dayText(day: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  return format.format(new Date(day))
}

function amountText(amount: number, language: Language): string {
  return new Intl.NumberFormat(language).format(amount)
}

const dayMs = 24 * 3600 * 1000

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, 10)
}

function daysBetween(first: string, second: string): number {
  return (Date.parse(second) - Date.parse(first)) / dayMs
}
