import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { ConsoleWeb } from './edge.ts'
import { operatorPage } from './operator-page.ts'

/** What happens now, and what needs attention. */
export function overviewRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  operatorPage(app, context, web, { url: '/admin', scope: 'logs:read' }, async ({ show }) =>
    show({ title: 'Overview', section: 'overview', body: <h1>Overview</h1> }),
  )
}
