import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { deprecatedCalls } from '../request-log/call-hours.sql.ts'
import { DeprecatedPage } from './deprecated-page.tsx'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { appUrl } from './parts.tsx'

/** As long as calls are counted. */
const shownDays = 30

/** Which deprecated operations an application still calls. */
export function deprecatedRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database, now } = context
  const route = { url: `${appUrl}/deprecated`, role: 'viewer', isExpensive: true } as const
  developerPage(app, context, web, route, async ({ app: { clientId }, show }) => {
    const since = new Date(now().getTime() - shownDays * 86_400_000)
    const calls = await database.expensive.run(deprecatedCalls, [clientId, since])
    const body = <DeprecatedPage calls={calls} days={shownDays} dates={config.v1} baseUrl={config.baseUrl} />
    return show({ title: 'Deprecated calls', section: 'deprecated', body })
  })
}
