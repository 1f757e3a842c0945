import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { apiKeyRoutes } from './api-keys.routes.tsx'
import { auditRoutes } from './audit.routes.tsx'
import { developerRoutes } from './developers.routes.tsx'
import type { ConsoleWeb } from './edge.ts'
import { goingLiveRoutes } from './going-live.routes.tsx'
import { grantRoutes } from './grants.routes.tsx'
import { importRoutes } from './imports.routes.tsx'
import { incidentRoutes } from './incidents.routes.tsx'
import { keyRoutes } from './keys.routes.tsx'
import { operatorRoutes } from './operators.routes.tsx'
import { partnerChangeRoutes } from './partner-changes.routes.tsx'
import { partnerLogoRoutes } from './partner-logo.routes.tsx'
import { partnerRoutes } from './partners.routes.tsx'
import { readRoutes } from './reads.routes.tsx'
import { requestRoutes } from './requests.routes.tsx'
import { searchRoutes } from './search.routes.tsx'
import { settingsRoutes } from './settings.routes.tsx'
import { userAccessRoutes } from './user-access.routes.tsx'
import { userChangeRoutes } from './user-changes.routes.tsx'
import { userDataRoutes } from './user-data.routes.tsx'
import { userFormRoutes } from './user-forms.routes.tsx'
import { userRoutes } from './users.routes.tsx'
import { webhookRoutes } from './webhooks.routes.tsx'

/** The pages about what the operator looks after, in the order of the navigation. */
export function pageRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  partnerRoutes(app, context, web)
  partnerChangeRoutes(app, context, web)
  developerRoutes(app, context, web)
  webhookRoutes(app, context, web)
  goingLiveRoutes(app, context, web)
  partnerLogoRoutes(app, context, web)
  userRoutes(app, context, web)
  userAccessRoutes(app, context, web)
  userChangeRoutes(app, context, web)
  userFormRoutes(app, context, web)
  userDataRoutes(app, context, web)
  grantRoutes(app, context, web)
  requestRoutes(app, context, web)
  readRoutes(app, context, web)
  incidentRoutes(app, context, web)
  keyRoutes(app, context, web)
  apiKeyRoutes(app, context, web)
  operatorRoutes(app, context, web)
  auditRoutes(app, context, web)
  importRoutes(app, context, web)
  settingsRoutes(app, context, web)
  searchRoutes(app, context, web)
}
