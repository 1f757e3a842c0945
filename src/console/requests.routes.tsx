import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { Field, Filters } from '../panel/forms.tsx'
import { Exact, Facts, Faults, Id, PageHead, Section } from '../panel/page-parts.tsx'
import { filled, listQuery, listRequest, pageOfRows } from '../panel/paging.ts'
import { RequestTable, Status } from '../panel/request-table.tsx'
import { type ExplainedRequest, listRequests } from '../request-log/requests.ts'
import type { Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { operatorPage } from './operator-page.ts'
import { callAddress, callPartner, callUser } from './parts.tsx'

const url = '/admin/requests'
const names = ['request_id', 'client_id', 'user_id', 'grant_id', 'status'] as const

/** The request log: which calls were made, and why one was refused. */
export function requestRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const querystring = listQuery(...names)
  operatorPage<{ Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url, scope: 'logs:read', schema: { querystring } },
    async ({ request, show }) => {
      const { query } = request
      const [requestId, clientId, userId] = [
        filled(query.request_id),
        filled(query.client_id),
        filled(query.user_id),
      ]
      const grantId = filled(query.grant_id)
      const isFiltered = [requestId, clientId, userId, grantId].some((value) => value !== undefined)
      // Without a filter, the page shows what was refused.
      const status = filled(query.status) ?? (isFiltered ? undefined : 'refused')
      const page = listRequest(query)
      const filter = { requestId, clientId, userId, grantId, status }
      const outcome = await listRequests(database, config.baseUrl, filter, page)
      const found = outcome.kind === 'requests' ? outcome.requests : []
      const { rows, next } = pageOfRows(request, page, found, ({ place }) => place)
      const body = (
        <>
          <PageHead
            title="Requests"
            intro={`Calls of partners, kept for ${config.requestLogDays} days: never bodies, tokens or secrets. Request ids are chosen by the caller.`}
          />
          <RequestFilters filter={filter} />
          <Faults faults={outcome.kind === 'refused' ? [outcome.reason] : []} />
          {config.requestLogDays === 0 && (
            <p class="notice">
              This deployment keeps no request log. Set <code>LATCHKEY_REQUEST_LOG_DAYS</code> to keep one.
            </p>
          )}
          {requestId === undefined ? (
            <RequestTable
              requests={rows}
              address={callAddress}
              parties={[callPartner, callUser]}
              next={next}
              empty={
                isFiltered
                  ? 'No call matches. Calls appear some seconds after they were made.'
                  : 'No call was refused in the time of the request log. Filter by partner, user or request id to see others.'
              }
            />
          ) : (
            <Explained requests={rows} requestId={requestId} />
          )}
        </>
      )
      return show({ title: 'Requests', section: 'requests', body })
    },
  )
}

type ShownFilter = Partial<
  Record<'requestId' | 'clientId' | 'userId' | 'grantId' | 'status', string | undefined>
>

function RequestFilters({ filter }: { filter: ShownFilter }) {
  return (
    <Filters action={url}>
      <Field name="request_id" label="Request id" value={filter.requestId} maxLength={128} />
      <Field name="client_id" label="Partner: client id" value={filter.clientId} maxLength={100} />
      <Field name="user_id" label="User: id" value={filter.userId} maxLength={64} />
      <Field name="grant_id" label="Grant: id" value={filter.grantId} maxLength={20} />
      <Field name="status" label="Status, as 4xx" value={filter.status} maxLength={10} />
    </Filters>
  )
}

/** All calls with an id, in words: several partners may have chosen the same id. */
function Explained({ requests, requestId }: { requests: ExplainedRequest[]; requestId: string }) {
  if (requests.length === 0) {
    return (
      <div class="panel">
        <p class="nothing">
          There is no call with this id in the request log. Compare it with <code>X-API-Request-ID</code> of
          the answer. Older calls are deleted.
        </p>
      </div>
    )
  }
  return (
    <Section
      id="calls"
      title={requests.length === 1 ? 'The call' : `${requests.length} calls with this id`}
      more={{ label: 'What it changed', href: `/admin/audit?request=${encodeURIComponent(requestId)}` }}
    >
      {requests.map((call) => (
        <ExplainedCall key={call.place} call={call} />
      ))}
    </Section>
  )
}

function ExplainedCall({ call }: { call: ExplainedRequest }) {
  const { client_id: client, user_id: user, grant_id: grant, error_page: errorPage } = call
  return (
    <>
      <div class={`verdict ${call.status < 400 ? 'ok' : 'danger'}`}>
        <p class="answer">{call.explanation}</p>
        {errorPage && (
          <p>
            <a href={errorPage}>The page about this error, for developers</a>
          </p>
        )}
      </div>
      <Facts
        items={{
          'Request id': <Id>{call.request_id}</Id>,
          Time: <Exact at={call.at} />,
          Status: <Status of={call.status} code={call.code} />,
          Call: (
            <code>
              {call.method} {call.route}
            </code>
          ),
          Code: call.code === '' ? undefined : <code>{call.code}</code>,
          Partner:
            client === null ? undefined : (
              <a href={`/admin/partners/${encodeURIComponent(client)}`}>
                <bdi>{call.partner_name ?? client}</bdi>
              </a>
            ),
          User:
            user === null ? undefined : (
              <a href={`/admin/users/${encodeURIComponent(user)}`}>
                <Id>{user}</Id>
              </a>
            ),
          Grant: grant === null ? undefined : <a href={`/admin/grants/${grant}`}>{grant}</a>,
          Duration: `${call.ms} ms`,
        }}
      />
    </>
  )
}
