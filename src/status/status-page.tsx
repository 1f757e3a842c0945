import type { Language, Texts } from '../web/languages/languages.ts'
import { Moment } from '../web/parts.tsx'
import { AvailabilityTable, Legend, monthText } from './availability-chart.tsx'
import type { Status } from './current-status.ts'
import { availabilityText, durationText, millisecondsText, shareText } from './format.ts'
import { heartbeatSeconds } from './heartbeat.sql.ts'
import type { Calls, Report } from './report.ts'

/** Outages on the page. The JSON document has more. */
const shownOutages = 50

/** Whether the service works, and how it did in the last months. */
export function StatusPage({ current: { status, report }, texts }: { current: Status; texts: Texts }) {
  const { status: text, language } = texts
  return (
    <>
      <h1>{text.title}</h1>
      <div class={status === 'available' ? 'done' : 'notice warning'}>
        <p>
          <strong>{text[status]}</strong>
        </p>
        {status === 'unavailable' && <p>{text.disrupted}</p>}
      </div>
      {report && (
        <>
          <p class="small">{text.asOf(<Moment at={new Date(report.as_of)} language={language} />)}</p>
          <Summary report={report} texts={texts} />
          <article>
            <h2 id="availability">{text.availability}</h2>
            <AvailabilityTable report={report} texts={texts} />
            <Legend texts={texts} />
          </article>
          <ResponseTimes report={report} texts={texts} />
          <Outages report={report} texts={texts} />
        </>
      )}
      <p class="small">{text.note(heartbeatSeconds)}</p>
      <p class="small">
        <a href="/status.json">{text.json}</a>
      </p>
    </>
  )
}

function Summary({ report: { last_30_days }, texts }: { report: Report; texts: Texts }) {
  const { status: text, language } = texts
  const { availability, outage_seconds, read } = last_30_days
  return (
    <article>
      <h2>{text.last30Days}</h2>
      <dl class="amounts">
        <div>
          <dt>{text.availability}</dt>
          <dd>{availabilityText(availability, language)}</dd>
        </div>
        <div>
          <dt>{text.outages}</dt>
          <dd>{outage_seconds === 0 ? text.legend.noOutage : durationText(outage_seconds, language)}</dd>
        </div>
        <div>
          <dt>{text.typical}</dt>
          <dd>{millisecondsText(read?.p50_ms ?? null, language)}</dd>
        </div>
      </dl>
    </article>
  )
}

function ResponseTimes({ report: { months }, texts }: { report: Report; texts: Texts }) {
  const { status: text } = texts
  return (
    <article>
      <h2>{text.responseTimes}</h2>
      <p class="small">{text.responseNote}</p>
      {(['read', 'token'] as const).map((kind) => (
        <div key={kind}>
          <h3 id={`times-${kind}`}>{text.kinds[kind]}</h3>
          <CallsTable
            heading={`times-${kind}`}
            rows={months.toReversed().flatMap(({ month, [kind]: calls }) => (calls ? { month, calls } : []))}
            texts={texts}
          />
        </div>
      ))}
    </article>
  )
}

function CallsTable(props: { heading: string; rows: { month: string; calls: Calls }[]; texts: Texts }) {
  const { heading, rows, texts } = props
  const { status: text, language } = texts
  if (rows.length === 0) return <p>{text.legend.noData}</p>
  return (
    <table class="times" aria-labelledby={heading}>
      <thead>
        <tr>
          <th scope="col">{text.month}</th>
          {[0.5, 0.95, 0.99].map((share) => (
            <th scope="col" key={share}>
              {shareText(share, language)}
            </th>
          ))}
          <th scope="col">{text.failed}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ month, calls }) => (
          <CallsRow key={month} month={monthText(month, language)} calls={calls} language={language} />
        ))}
      </tbody>
    </table>
  )
}

function CallsRow(props: { month: string; calls: Calls; language: Language }) {
  const { month, calls, language } = props
  return (
    <tr>
      <th scope="row">{month}</th>
      <td>{millisecondsText(calls.p50_ms, language)}</td>
      <td>{millisecondsText(calls.p95_ms, language)}</td>
      <td>{millisecondsText(calls.p99_ms, language)}</td>
      <td>{shareText(calls.failed_share, language)}</td>
    </tr>
  )
}

function Outages({ report: { outages }, texts }: { report: Report; texts: Texts }) {
  const { status: text, language } = texts
  return (
    <article>
      <h2>{text.outages}</h2>
      {outages.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <ul class="rows">
          {outages.slice(0, shownOutages).map(({ from, to, seconds }) => (
            <li key={from}>
              <div>
                <strong>{durationText(seconds, language)}</strong>
                <p class="small">
                  {to === null
                    ? text.ongoing(<Moment at={new Date(from)} language={language} />)
                    : text.until(
                        <Moment at={new Date(from)} language={language} />,
                        <Moment at={new Date(to)} language={language} />,
                      )}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}
