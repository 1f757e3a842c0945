import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { PageHead } from '../panel/page-parts.tsx'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'

/** The first page of an application. */
export function overviewRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  developerPage(
    app,
    context,
    web,
    { url: '/developers/apps/:client_id', role: 'viewer' },
    async ({ app: current, show }) =>
      show({ title: 'Overview', section: 'overview', body: <PageHead title={<bdi>{current.name}</bdi>} /> }),
  )
}
