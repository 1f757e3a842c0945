import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { connectionRoutes } from './connections.routes.tsx'
import type { ConsoleWeb } from './edge.ts'
import { incidentRoutes } from './incidents.routes.tsx'
import { partnerChangeRoutes } from './partner-changes.routes.tsx'
import { partnerRoutes } from './partners.routes.tsx'
import { userAccessRoutes } from './user-access.routes.tsx'
import { userChangeRoutes } from './user-changes.routes.tsx'
import { userRoutes } from './users.routes.tsx'

/** The pages about what the operator looks after, in the order of the navigation. */
export function pageRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  partnerRoutes(app, context, web)
  partnerChangeRoutes(app, context, web)
  userRoutes(app, context, web)
  userAccessRoutes(app, context, web)
  userChangeRoutes(app, context, web)
  connectionRoutes(app, context, web)
  incidentRoutes(app, context, web)
}
