import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { effectiveLimits, limitNames } from '../limit-settings.ts'
import { notFound, ok } from '../management/answers.ts'
import { findPartner } from '../partners/partners.sql.ts'
import { developerRoute } from './developer-edge.ts'
import { deprecatedCallsRoute, limitsRoute, useRoute } from './use.operations.ts'
import { deprecatedCallsOf, useOf } from './use.ts'

/** How the application is used. The charts of the developer pages have the same numbers. */
export function useRoutes(app: FastifyInstance, context: Context): void {
  const { config, now } = context
  developerRoute(app, context, useRoute, async ({ request, database, clientId }) =>
    ok(await useOf(database.expensive, clientId, request.query.range ?? '24h', now())),
  )

  developerRoute(app, context, limitsRoute, async ({ database, clientId }) => {
    const partner = await database.maybe(findPartner, [clientId])
    if (!partner) return notFound('The application no longer exists.')
    const limits = effectiveLimits(partner.limits, config.limits)
    return ok(Object.fromEntries(limitNames.map((name) => [name, limits[name] ?? null])))
  })

  developerRoute(app, context, deprecatedCallsRoute, async ({ database, clientId }) =>
    ok({ data: await deprecatedCallsOf(database.expensive, config, clientId, now()) }),
  )
}
