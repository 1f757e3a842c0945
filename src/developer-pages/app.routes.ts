import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { apiKeyRoutes } from './api-keys.routes.tsx'
import { applicationRoutes } from './application.routes.tsx'
import { credentialRoutes } from './credentials.routes.tsx'
import { deprecatedRoutes } from './deprecated.routes.tsx'
import type { DeveloperWeb } from './edge.ts'
import { goingLiveRoutes } from './going-live.routes.tsx'
import { grantRoutes } from './grants.routes.tsx'
import { overviewRoutes } from './overview.routes.tsx'
import { peopleRoutes } from './people.routes.tsx'
import { requestRoutes } from './requests.routes.tsx'
import { webhookChangeRoutes } from './webhook-changes.routes.tsx'
import { webhookMessageRoutes } from './webhook-messages.routes.tsx'
import { webhookRoutes } from './webhooks.routes.tsx'

/** The pages of one application, in the order of the navigation. */
export async function appRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): Promise<void> {
  overviewRoutes(app, context, web)
  await applicationRoutes(app, context, web)
  credentialRoutes(app, context, web)
  apiKeyRoutes(app, context, web)
  requestRoutes(app, context, web)
  deprecatedRoutes(app, context, web)
  grantRoutes(app, context, web)
  webhookRoutes(app, context, web)
  webhookChangeRoutes(app, context, web)
  webhookMessageRoutes(app, context, web)
  goingLiveRoutes(app, context, web)
  peopleRoutes(app, context, web)
}
