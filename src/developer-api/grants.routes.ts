import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { findPartnerGrant, pageOfPartnerGrants } from '../grants/partner-grants.sql.ts'
import { notFound, ok } from '../management/answers.ts'
import { isRowId, pageAnswer, pageRequestOf, withFilters } from '../management/page.ts'
import { developerAddress } from './developer-document.ts'
import { developerRoute } from './developer-edge.ts'
import { getGrantRoute, listGrantsRoute } from './grants.operations.ts'

/** Which users have connected the application. */
export function partnerGrantRoutes(app: FastifyInstance, context: Context): void {
  developerRoute(app, context, listGrantsRoute, async ({ request: { query }, database, clientId }) => {
    const page = pageRequestOf(query)
    const after = page.after !== null && isRowId(page.after) ? page.after : null
    const filters = [query.subject ?? null, query.state ?? 'live']
    const rows = await database.expensive.run(pageOfPartnerGrants, [clientId, after, page.limit, ...filters])
    const address = withFilters(developerAddress(context.config, 'grants'), query)
    return pageAnswer(address, page, rows, ({ id }) => id)
  })

  developerRoute(app, context, getGrantRoute, async ({ request: { params }, database, clientId }) => {
    const grant = isRowId(params.id)
      ? await database.maybe(findPartnerGrant, [clientId, params.id])
      : undefined
    return grant ? ok(grant) : notFound('Your application has no grant with this id.')
  })
}
