import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { effectiveLimits, limitNames } from '../limit-settings.ts'
import { notFound, ok } from '../management/answers.ts'
import { beginOf, periodsOf, ranges } from '../panel/periods.ts'
import { findPartner } from '../partners/partners.sql.ts'
import { callsByPeriod, deprecatedCalls } from '../request-log/call-hours.sql.ts'
import { successors } from '../request-log/successors.ts'
import { developerRoute } from './developer-edge.ts'
import { countedDays, deprecatedCallsRoute, limitsRoute, useRoute } from './use.operations.ts'

/** How the application is used. The charts of the developer pages have the same numbers. */
export function useRoutes(app: FastifyInstance, context: Context): void {
  const { config, now } = context
  developerRoute(app, context, useRoute, async ({ request, database, clientId }) => {
    const { range = '24h' } = request.query
    const at = now()
    const rows = await database.run(callsByPeriod, [beginOf(range, at), ranges[range].period, clientId])
    const data = periodsOf(range, at, rows).map(({ refreshRefused, p99, ...counts }) => ({
      ...counts,
      refresh_refused: refreshRefused,
      p99_ms: p99,
    }))
    return ok({ period_seconds: ranges[range].period, data })
  })

  developerRoute(app, context, limitsRoute, async ({ database, clientId }) => {
    const partner = await database.maybe(findPartner, [clientId])
    if (!partner) return notFound('The application no longer exists.')
    const limits = effectiveLimits(partner.limits, config.limits)
    return ok(Object.fromEntries(limitNames.map((name) => [name, limits[name] ?? null])))
  })

  developerRoute(app, context, deprecatedCallsRoute, async ({ database, clientId }) => {
    const since = new Date(now().getTime() - countedDays * 86_400_000)
    const rows = await database.run(deprecatedCalls, [clientId, since])
    const dates = { deprecated_on: config.v1?.deprecatedOn ?? null, sunset_on: config.v1?.sunsetOn ?? null }
    const data = rows.map((row) => {
      const successor = successors[row.operation]?.successor
      return { ...row, ...dates, successor: successor === undefined ? null : config.baseUrl + successor }
    })
    return ok({ data })
  })
}
