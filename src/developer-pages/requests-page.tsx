import { Field, Filters, Select } from '../panel/forms.tsx'
import { Exact, Facts, Faults, Id, PageHead, Section } from '../panel/page-parts.tsx'
import { CallName, RequestTable, Status } from '../panel/request-table.tsx'
import type { PartnerRequest } from '../request-log/partner-requests.ts'
import { appAddress } from './shell.tsx'

/** The time ranges of the filter, in seconds. */
export const periodSeconds = { '1h': 3600, '24h': 86_400, '7d': 7 * 86_400 }
export type Period = keyof typeof periodSeconds

const periods = { '': 'All that is kept', '1h': 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days' }
const statuses = {
  refused: 'Refused or failed',
  all: 'All',
  '2xx': 'Answered, 2xx',
  '3xx': 'Redirected, 3xx',
  '4xx': 'Refused, 4xx',
  '401': '401',
  '403': '403',
  '404': '404',
  '429': '429, over a limit',
  '5xx': 'Failed, 5xx',
}

type Filter = Partial<
  Record<'requestId' | 'subject' | 'grantId' | 'status' | 'period', string | undefined>
> & {
  isFiltered: boolean
}

export function RequestsPage(props: {
  app: { clientId: string; name: string }
  /** For which calls are kept. 0: none are. */
  days: number
  filter: Filter
  faults: string[]
  requests: PartnerRequest[]
  next: string | undefined
}) {
  const { app, days, filter, faults, requests, next } = props
  const { requestId } = filter
  return (
    <>
      <PageHead
        title="Requests"
        intro={
          <>
            Calls of <bdi>{app.name}</bdi>, kept for {days} days: never bodies, tokens or secrets. A call
            appears within five seconds.
          </>
        }
      />
      <RequestFilters clientId={app.clientId} filter={filter} />
      <Faults faults={faults} />
      {days === 0 && (
        <p class="notice">This deployment keeps no request log. Ask the operator to turn it on.</p>
      )}
      {requestId === undefined ? (
        <RequestTable
          requests={requests}
          next={next}
          address={({ request_id: id }) => requestAddress(app.clientId, id)}
          parties={[
            { label: 'User (sub)', cell: ({ subject }) => (subject === null ? '–' : <Id>{subject}</Id>) },
          ]}
          empty={
            filter.isFiltered
              ? 'No call matches. Try another status or a longer time.'
              : 'No call was refused or failed in this time. Choose the status All to see the others, or Redirected for users who came back without a code.'
          }
        />
      ) : (
        <Explained app={app} requests={requests} />
      )}
    </>
  )
}

function requestAddress(clientId: string, requestId: string): string {
  return appAddress({ clientId }, `/requests?request_id=${encodeURIComponent(requestId)}`)
}

function RequestFilters({ clientId, filter }: { clientId: string; filter: Filter }) {
  const { status = 'all' } = filter
  const choices = Object.hasOwn(statuses, status) ? statuses : { ...statuses, [status]: status }
  return (
    <Filters action={appAddress({ clientId }, '/requests')}>
      <Field name="request_id" label="Request id" value={filter.requestId} maxLength={128} />
      <Field name="subject" label="User: sub" value={filter.subject} maxLength={100} />
      <Field name="grant_id" label="Grant id" value={filter.grantId} maxLength={20} />
      <Select name="status" label="Status" value={status} choices={choices} />
      <Select name="period" label="Time" value={filter.period ?? ''} choices={periods} />
    </Filters>
  )
}

/** All calls with an id: the caller chooses it, so several calls may have the same. */
function Explained({ app, requests }: { app: { clientId: string }; requests: PartnerRequest[] }) {
  if (requests.length === 0) {
    return (
      <div class="panel">
        <p class="nothing">
          There is no call with this id in the request log of this application. Compare it with{' '}
          <code>X-API-Request-ID</code> of the answer. A call appears within five seconds, and old ones are
          deleted. A call without your <code>client_id</code> and without a genuine access token of yours
          belongs to no application. The body of its answer says what is wrong.
        </p>
      </div>
    )
  }
  return (
    <Section
      id="calls"
      title={requests.length === 1 ? 'The call' : `${requests.length} calls with this id`}
      more={{ label: 'All calls', href: appAddress(app, '/requests?status=all') }}
    >
      {requests.map((call) => (
        <ExplainedCall key={call.place} call={call} clientId={app.clientId} />
      ))}
    </Section>
  )
}

function ExplainedCall({ call, clientId }: { call: PartnerRequest; clientId: string }) {
  const { subject, grant_id: grant } = call
  return (
    <>
      <Verdict call={call} />
      <Facts
        items={{
          'Request id': <Id>{call.request_id}</Id>,
          Time: <Exact at={call.at} seconds />,
          Status: <Status of={call.status} code={call.code} />,
          Call: <CallName {...call} />,
          Code: call.code === '' ? undefined : <code>{call.code}</code>,
          'User (sub)':
            subject === null ? undefined : (
              <a href={appAddress({ clientId }, `/requests?subject=${encodeURIComponent(subject)}`)}>
                <Id>{subject}</Id>
              </a>
            ),
          'Grant id':
            grant === null ? undefined : (
              <a href={appAddress({ clientId }, `/grants/${grant}`)}>
                <Id>{grant}</Id>
              </a>
            ),
          Duration: `${call.ms} ms`,
        }}
      />
    </>
  )
}

const tryAgain = 'The fault is not in your request. Send it again after some time.'
const correct = 'Correct what the answer names, then send the request again.'

/** Why a call was refused, and what to do. */
function Verdict({ call }: { call: PartnerRequest }) {
  const { status, code, title, detail, cause, remedy, error_page: errorPage, authenticated } = call
  if (status < 400 && code === '') {
    return (
      <div class="verdict ok">
        <p class="answer">The call was answered with {status}.</p>
      </div>
    )
  }
  return (
    <div class="verdict danger">
      <p class="answer">
        {status < 400 ? 'Sent back to your redirect URI' : status >= 500 ? 'Failed' : 'Refused'} with{' '}
        {status < 400 ? <code>error={code}</code> : status}
        {title !== null && `: ${title}`}
      </p>
      {!authenticated && (
        <p>
          The caller named this application and did not prove its identity. The call may come from elsewhere.
        </p>
      )}
      {detail !== null && (
        <p>
          <strong>The answer said:</strong> {detail}
        </p>
      )}
      {cause !== null && (
        <p>
          <strong>Cause:</strong> {cause}
        </p>
      )}
      <p>
        <strong>What to do:</strong> {remedy ?? (status >= 500 ? tryAgain : correct)}
      </p>
      {errorPage !== null && (
        <p>
          <a href={errorPage}>This error in the docs</a>
        </p>
      )}
    </div>
  )
}
