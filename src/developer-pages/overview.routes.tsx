import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { effectiveLimits } from '../limit-settings.ts'
import { beginOf, periodsOf, RangeQuery, ranges, totalP99 } from '../panel/periods.ts'
import { findListedPartner } from '../partners/partners.sql.ts'
import { busiestHours, partnerCallsByPeriod } from '../request-log/call-hours.sql.ts'
import type { Static } from '../typebox.ts'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { liveGrantsByPeriod, partnerConcerns } from './overview.sql.ts'
import { OverviewPage } from './overview-page.tsx'
import { appUrl, showMissing } from './parts.tsx'

/** What needs attention in an application, and how it is used. */
export function overviewRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database, now } = context
  developerPage<{ Querystring: Static<typeof RangeQuery> }>(
    app,
    context,
    web,
    { url: appUrl, role: 'viewer', isExpensive: true, schema: { querystring: RangeQuery } },
    async ({ request, app: { clientId }, show }) => {
      const { range = '24h' } = request.query
      const at = now()
      const [begin, { period }] = [beginOf(range, at), ranges[range]]
      const [partner, calls, grants, concerns, busiest] = await Promise.all([
        database.maybe(findListedPartner, [clientId]),
        database.expensive.run(partnerCallsByPeriod, [begin, period, clientId]),
        database.expensive.run(liveGrantsByPeriod, [clientId, begin, period]),
        database.expensive.run(partnerConcerns, [clientId]),
        database.expensive.run(busiestHours, [clientId, begin]),
      ])
      if (!partner) return showMissing(show, 'overview', 'application')
      const body = (
        <OverviewPage
          partner={partner}
          range={range}
          periods={withLive(periodsOf(range, at, calls), grants)}
          p99={totalP99(calls)}
          concerns={concerns}
          limits={effectiveLimits(partner.limits, config.limits)}
          busiest={busiest}
          sunsetOn={config.v1?.sunsetOn}
          baseUrl={config.baseUrl}
        />
      )
      return show({ title: 'Overview', section: 'overview', body })
    },
  )
}

/** Between two changes, as many grants are live as after the first. */
function withLive<Period extends { at: Date }>(periods: Period[], changes: { at: Date; live: number }[]) {
  return periods.map((period) => ({
    ...period,
    live: changes.findLast(({ at }) => at <= period.at)?.live ?? 0,
  }))
}
