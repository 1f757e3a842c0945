import { amount } from '../panel/metrics.tsx'
import { Exact, Facts, PageHead, Section } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import { successors } from '../request-log/successors.ts'

type DeprecatedCalls = {
  operation: string
  calls: number
  refused: number
  first_hour: Date
  last_hour: Date
}

export function DeprecatedPage(props: {
  calls: DeprecatedCalls[]
  days: number
  dates: { deprecatedOn: Date; sunsetOn?: Date } | undefined
  baseUrl: string
}) {
  const { calls, days, dates, baseUrl } = props
  return (
    <>
      <PageHead
        title="Deprecated calls"
        intro={`What your application called in the last ${days} days although it is deprecated. A call is counted within five seconds.`}
      />
      {dates && calls.length > 0 && <Dates dates={dates} />}
      <section aria-label="Deprecated operations">
        <Table
          caption="Deprecated operations that the application calls"
          rows={calls}
          keyOf={({ operation }) => operation}
          empty={`Your application has called nothing that is deprecated in the last ${days} days.`}
          columns={[
            { label: 'Call', cell: ({ operation }) => <Call operation={operation} baseUrl={baseUrl} /> },
            { label: 'Calls', cell: (row) => amount(row.calls), isNumber: true },
            { label: 'Refused', cell: ({ refused }) => amount(refused), isNumber: true },
            { label: 'Last called, hour of', cell: ({ last_hour: at }) => <Exact at={at} /> },
            {
              label: 'Use instead',
              cell: ({ operation }) => <Successor operation={operation} baseUrl={baseUrl} />,
            },
          ]}
        />
      </section>
      {calls.length > 0 && (
        <Section id="find" title="Find the calls in your code">
          <p>
            Search for the path, and for clients that are generated from an old description. Each answer to a
            deprecated call has the header <code>Deprecation</code>, and <code>Sunset</code> once its end is
            known: log the calls whose answer has it.
          </p>
        </Section>
      )}
    </>
  )
}

function Dates({ dates: { deprecatedOn, sunsetOn } }: { dates: { deprecatedOn: Date; sunsetOn?: Date } }) {
  return (
    <section aria-label="Dates">
      <Facts
        items={{
          'Deprecated since': <Exact at={deprecatedOn} />,
          'Ends, then answers 410': <Exact at={sunsetOn ?? null} none="not decided" />,
        }}
      />
    </section>
  )
}

function Call({ operation, baseUrl }: { operation: string; baseUrl: string }) {
  const known = successors[operation]
  return (
    <a href={`${baseUrl}docs/reference#${operation}`}>
      <code>{known ? `GET ${new URL(baseUrl).pathname}${known.call}` : operation}</code>
    </a>
  )
}

function Successor({ operation, baseUrl }: { operation: string; baseUrl: string }) {
  const known = successors[operation]
  if (!known) return <a href={`${baseUrl}docs/reference#${operation}`}>See the reference</a>
  return (
    <>
      <a href={`${baseUrl}docs/reference#${known.operation}`}>
        <code>{`GET ${new URL(baseUrl).pathname}${known.successor}`}</code>
      </a>
      <span class="sub">
        <a href={`${baseUrl}docs/${known.guide}`}>How to change over</a>
      </span>
    </>
  )
}
