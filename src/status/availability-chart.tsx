import type { Texts } from '../web/languages/languages.ts'
import { availabilityText, dates, durationText } from './format.ts'
import type { Report } from './report.ts'

/** In units of the drawing, which is stretched to the width of its column. */
const slot = 10
const bar = 7
const height = 24
const longestMonth = 31

/** Colour and height say the same: a day with an outage is taller, one without data lower. */
const tall = { outage: height, ok: 16, none: 4 }

type Day = Report['days'][number]

/** A line for each month, the newest first, with a bar for each day. */
export function AvailabilityTable({ report: { months, days }, texts }: { report: Report; texts: Texts }) {
  const { status: text, language } = texts
  return (
    <table class="months" aria-labelledby="availability">
      <thead>
        <tr>
          <th scope="col">{text.month}</th>
          <th scope="col">{text.days}</th>
          <th scope="col">{text.availability}</th>
        </tr>
      </thead>
      <tbody>
        {months.toReversed().map(({ month, availability }) => (
          <tr key={month}>
            <th scope="row">{monthText(month, language)}</th>
            <td>
              <Days month={month} days={days.filter(({ day }) => day.startsWith(month))} texts={texts} />
            </td>
            <td>{availabilityText(availability, language)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Days({ month, days, texts }: { month: string; days: Day[]; texts: Texts }) {
  const id = `days-${month}`
  return (
    <svg
      viewBox={`0 0 ${longestMonth * slot} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-labelledby={id}
    >
      <title id={id}>{summaryOf(days, texts)}</title>
      {days.map((day) => (
        <rect
          key={day.day}
          class={stateOf(day)}
          x={(Number(day.day.slice(-2)) - 1) * slot + (slot - bar) / 2}
          y={height - tall[stateOf(day)]}
          width={bar}
          height={tall[stateOf(day)]}
        >
          <title>{describe(day, texts)}</title>
        </rect>
      ))}
    </svg>
  )
}

/** What the colours mean. */
export function Legend({ texts: { status } }: { texts: Texts }) {
  const { noOutage, outage, noData } = status.legend
  return (
    <ul class="legend">
      {Object.entries({ ok: noOutage, outage, none: noData }).map(([state, label]) => (
        <li key={state}>
          <span class={`swatch ${state}`} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  )
}

function stateOf({ availability, outage_seconds }: Day): keyof typeof tall {
  if (outage_seconds > 0) return 'outage'
  return availability === null ? 'none' : 'ok'
}

/** The days of a month in one sentence, for readers who do not see the bars. */
function summaryOf(days: Day[], { status: text, language }: Texts): string {
  const out = days.filter((day) => stateOf(day) === 'outage')
  if (out.length > 0) {
    const list = new Intl.ListFormat(language, { type: 'conjunction' })
    return text.outageOn(list.format(out.map(({ day }) => dayText(day, language))))
  }
  return days.every((day) => stateOf(day) === 'none') ? text.legend.noData : text.legend.noOutage
}

function describe(day: Day, { status: { day: text }, language }: Texts): string {
  const name = dayText(day.day, language)
  switch (stateOf(day)) {
    case 'outage':
      return text.outage(
        name,
        availabilityText(day.availability, language),
        durationText(day.outage_seconds, language),
      )
    case 'ok':
      return text.noOutage(name)
    case 'none':
      return text.noData(name)
  }
}

/** "3 November", or as the language writes it. */
const dayText = dates({ month: 'long', day: 'numeric' })

/** "Nov 2026", or as the language writes it. */
export const monthText = dates({ month: 'short', year: 'numeric' })
