import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { ConsoleWeb } from './edge.ts'
import { partnerChangeRoutes } from './partner-changes.routes.tsx'
import { partnerRoutes } from './partners.routes.tsx'

/** The pages about what the operator looks after, in the order of the navigation. */
export function pageRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  partnerRoutes(app, context, web)
  partnerChangeRoutes(app, context, web)
}
