import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { Database } from '../database/database.ts'
import { type Answer, notFound } from '../management/answers.ts'
import { pageAnswer, pageRequestOf, withFilters } from '../management/page.ts'
import { requestFilterOf } from '../management/request-filters.ts'
import { type PartnerRequestFilter, requestsOfPartner } from '../request-log/partner-requests.ts'
import { developerAddress } from './developer-document.ts'
import { developerRoute } from './developer-edge.ts'
import { explainRequestRoute, listRequestsRoute } from './requests.operations.ts'

/** The request log of the application. */
export function partnerRequestRoutes(app: FastifyInstance, context: Context): void {
  developerRoute(app, context, listRequestsRoute, async ({ request: { query }, database, clientId }) => {
    const shared = requestFilterOf(query)
    if ('problem' in shared) return shared.problem
    const filter = { ...shared, subject: query.subject, grantId: query.grant_id }
    const address = withFilters(developerAddress(context.config, 'requests'), query)
    return page({ context, database, clientId, query, address, filter })
  })

  developerRoute(app, context, explainRequestRoute, async ({ request, database, clientId }) => {
    const { params, query } = request
    const address = withFilters(developerAddress(context.config, 'requests', params.request_id), query)
    const filter = { requestId: params.request_id }
    const answer = await page({ context, database, clientId, query, address, filter })
    return answer.kind === 'json' && isEmpty(answer.body) ? unknownRequest(context) : answer
  })
}

type PageOf = {
  context: Context
  database: Database
  clientId: string
  query: { limit?: number; cursor?: string }
  address: URL
  filter: PartnerRequestFilter
}

async function page({ context, database, clientId, query, address, filter }: PageOf): Promise<Answer> {
  const part = pageRequestOf(query)
  const outcome = await requestsOfPartner(database, context.config.baseUrl, clientId, filter, part)
  if (outcome.kind === 'refused') {
    return { kind: 'problem', code: 'invalid_parameter', detail: outcome.reason }
  }
  return pageAnswer(address, part, outcome.requests, ({ place }) => place)
}

function isEmpty(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data)
    ? body.data.length === 0
    : false
}

function unknownRequest({ config }: Context): Answer {
  return notFound(
    `No call of your application with this id is recorded. A call appears within five seconds and is kept for ${config.requestLogDays} days. A call without your client_id or a genuine access token of yours belongs to no application.`,
  )
}
