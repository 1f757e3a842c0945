import type { FastifyInstance, FastifyRequest } from 'fastify'
import { adminRoute } from '../admin/admin-edge.ts'
import type { Context } from '../context.ts'
import { type Answer, ok } from '../management/answers.ts'
import { pageAnswer, pageRequestOf } from '../management/page.ts'
import { requestFilterOf } from '../management/request-filters.ts'
import { listHouseholdsRead, listReads, placeOfRead } from '../read-log/reads.ts'
import { listRequests } from '../request-log/requests.ts'
import {
  explainAccessRoute,
  listHouseholdReadsRoute,
  listReadsRoute,
  listRequestsRoute,
} from './explain.operations.ts'
import { explainAccess } from './explain-access.ts'

/** The admin API's answers to "who read this?", "why was this call refused?" and "why does the user not see this?". */
export function explainRoutes(app: FastifyInstance, context: Context): void {
  readRoutes(app, context)
  requestRoutes(app, context)
  adminRoute(app, context, explainAccessRoute, async ({ request: { params }, database }) =>
    ok(await explainAccess(database, params.id, params.household_id)),
  )
}

function readRoutes(app: FastifyInstance, context: Context): void {
  adminRoute(app, context, listReadsRoute, async ({ request, database }) => {
    const { household_id, user_id, client_id, grant_id, since, ...page } = request.query
    const filter = {
      householdId: household_id,
      userId: user_id,
      clientId: client_id,
      grantId: grant_id,
      since,
    }
    const part = pageRequestOf(page)
    const outcome = await listReads(database, filter, part)
    if (outcome.kind === 'refused') return missingFilter(outcome.reason)
    return pageAnswer(addressOf(request, context), part, outcome.reads, placeOfRead)
  })

  adminRoute(app, context, listHouseholdReadsRoute, async ({ request, database }) => {
    const { since, ...page } = request.query
    const part = pageRequestOf(page)
    const rows = await listHouseholdsRead(database, { grantId: request.params.grant_id, since }, part)
    return pageAnswer(addressOf(request, context), part, rows, ({ number }) => String(number))
  })
}

function requestRoutes(app: FastifyInstance, context: Context): void {
  adminRoute(app, context, listRequestsRoute, async ({ request, database }) => {
    const { query } = request
    const shared = requestFilterOf(query)
    if ('problem' in shared) return shared.problem
    const filter = { ...shared, clientId: query.client_id, userId: query.user_id, grantId: query.grant_id }
    const part = pageRequestOf(query)
    const outcome = await listRequests(database, context.config.baseUrl, filter, part)
    if (outcome.kind === 'refused') return missingFilter(outcome.reason)
    return pageAnswer(addressOf(request, context), part, outcome.requests, ({ place }) => place)
  })
}

function missingFilter(detail: string): Answer {
  return { kind: 'problem', code: 'invalid_parameter', detail }
}

/** The address of a list, which has the filters of this request already. */
function addressOf({ url }: FastifyRequest, { config }: Context): URL {
  return new URL(url, config.authUrl)
}
