import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { beginOf, periodsOf, RangeQuery, ranges, totalP99 } from '../panel/periods.ts'
import { callsByPeriod } from '../request-log/call-hours.sql.ts'
import type { Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { operatorPage } from './operator-page.ts'
import { concerns, grantsByPeriod, latestEvents } from './overview.sql.ts'
import { OverviewPage } from './overview-page.tsx'

/** What happens now, and what needs attention. */
export function overviewRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database, now } = context

  operatorPage<{ Querystring: Static<typeof RangeQuery> }>(
    app,
    context,
    web,
    { url: '/admin', scope: 'logs:read', schema: { querystring: RangeQuery } },
    async ({ request, show }) => {
      const { range = '24h' } = request.query
      const at = now()
      const values = [beginOf(range, at), ranges[range].period]
      const [calls, grants, found, events] = await Promise.all([
        database.run(callsByPeriod, values),
        database.run(grantsByPeriod, values),
        database.run(concerns, []),
        database.run(latestEvents, []),
      ])
      const grantsAt = new Map(grants.map((row) => [row.at.getTime(), row.grants]))
      const periods = periodsOf(range, at, calls).map((period) => ({
        ...period,
        grants: grantsAt.get(period.at.getTime()) ?? 0,
      }))
      const p99 = totalP99(calls)
      const body = <OverviewPage range={range} periods={periods} p99={p99} concerns={found} events={events} />
      return show({ title: 'Overview', section: 'overview', body })
    },
  )
}
