import type { ReadHousehold } from '../read-log/reads.sql.ts'
import { Count } from '../web/counted.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { Amount, Day } from '../web/parts.tsx'
import { shownDays } from './connected-apps.sql.ts'

/** Which households an application has read in the last days, one page of them. */
export function HouseholdReads(props: {
  texts: Texts
  grantId: string
  partnerName: string
  /** Of all pages. */
  total: number
  households: ReadHousehold[]
  /** Where the next page begins; undefined on the last one. */
  next: number | undefined
}) {
  const { texts, grantId, partnerName, total, households, next } = props
  const { connections, connect, language } = texts
  const text = connections.householdReads
  return (
    <>
      <p>
        <a href="/connections">{text.back}</a>
      </p>
      <h2>{text.heading(<bdi>{partnerName}</bdi>)}</h2>
      <p>
        {connections.reads(<Amount of={shownDays} language={language} />)}{' '}
        <strong>
          <Count of={total} text={connect.households} language={language} />
        </strong>
      </p>
      {households.length === 0 ? <p>{text.none}</p> : <ReadsTable households={households} texts={texts} />}
      {next !== undefined && (
        <nav class="pages" aria-label={connect.householdsPage.pages}>
          <a
            class="button secondary"
            rel="next"
            href={`/connections/reads?${new URLSearchParams({ grant: grantId, after: String(next) })}`}
          >
            {connect.householdsPage.next}
          </a>
        </nav>
      )}
      <p class="small">{text.note}</p>
    </>
  )
}

function ReadsTable({ households, texts }: { households: ReadHousehold[]; texts: Texts }) {
  const { language, connections } = texts
  const text = connections.householdReads
  return (
    <table class="quiet">
      <thead>
        <tr>
          <th scope="col">{text.household}</th>
          <th scope="col">{text.lastRead}</th>
          <th scope="col">{text.times}</th>
        </tr>
      </thead>
      <tbody>
        {households.map(({ household_id: id, name, last_day: day, reads }) => (
          <tr key={id}>
            <th scope="row">
              <bdi>{name || id}</bdi>
              {name === null && <small> {text.hidden}</small>}
            </th>
            <td data-label={text.lastRead}>
              <Day at={new Date(day)} language={language} />
            </td>
            <td data-label={text.times}>
              <Amount of={reads} language={language} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
