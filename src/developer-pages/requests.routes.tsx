import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { filled, listQuery, listRequest, pageOfRows } from '../panel/paging.ts'
import { requestsOfPartner } from '../request-log/partner-requests.ts'
import type { Static } from '../typebox.ts'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { appUrl } from './parts.tsx'
import { type Period, periodSeconds, RequestsPage } from './requests-page.tsx'

const querystring = listQuery('request_id', 'subject', 'grant_id', 'status', 'period')
type Query = Static<typeof querystring>

/** The request log of an application: which calls it made, and why one was refused. */
export function requestRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database } = context
  developerPage<{ Querystring: Query }>(
    app,
    context,
    web,
    { url: `${appUrl}/requests`, role: 'viewer', isExpensive: true, schema: { querystring } },
    async ({ request, app: { clientId, name }, show }) => {
      const { shown, filter } = filterOf(request.query, context.now())
      const page = listRequest(request.query)
      const outcome = await requestsOfPartner(database, config.baseUrl, clientId, filter, page)
      const found = outcome.kind === 'requests' ? outcome.requests : []
      const { rows, next } = pageOfRows(request, page, found, ({ place }) => place)
      const body = (
        <RequestsPage
          app={{ clientId, name }}
          days={config.requestLogDays}
          filter={shown}
          faults={outcome.kind === 'refused' ? [outcome.reason] : []}
          requests={rows}
          next={next}
        />
      )
      return show({ title: 'Requests', section: 'requests', body })
    },
  )
}

/** What the page shows as its filter, and what is searched for. */
function filterOf(query: Query, now: Date) {
  const requestId = filled(query.request_id)
  const subject = filled(query.subject)
  const grantId = filled(query.grant_id)
  const isFiltered = [requestId, subject, grantId].some((value) => value !== undefined)
  // Without a filter, the page shows what was refused.
  const status = filled(query.status) ?? (isFiltered ? undefined : 'refused')
  // Few calls are redirected: to find them, all calls of the period are read.
  const period = isPeriod(query.period) ? query.period : status === '3xx' ? '24h' : undefined
  const since = period && new Date(now.getTime() - periodSeconds[period] * 1000)
  const shown = {
    requestId,
    subject,
    grantId,
    status,
    period,
    isFiltered: isFiltered || period !== undefined,
  }
  return {
    shown,
    filter: { requestId, subject, grantId, status: status === 'all' ? undefined : status, since },
  }
}

function isPeriod(text: string | undefined): text is Period {
  return text !== undefined && Object.hasOwn(periodSeconds, text)
}
