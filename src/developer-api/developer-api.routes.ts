import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { applicationRoutes } from './application.routes.ts'
import { developerApiPath, developerDocument } from './developer-document.ts'
import { developerApiEdge } from './developer-edge.ts'
import { goingLiveRoutes } from './going-live.routes.ts'
import { partnerGrantRoutes } from './grants.routes.ts'
import { developerKeyRoutes } from './keys.routes.ts'
import { peopleRoutes } from './people.routes.ts'
import { partnerRequestRoutes } from './requests.routes.ts'
import { useRoutes } from './use.routes.ts'
import { webhookApiRoutes } from './webhooks.routes.ts'

/** The developer API. It is on the public listener, also if the console has its own. */
export async function developerApiRoutes(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(
    async (api) => {
      developerApiEdge(api, context)
      developerDocument(api, context.config)
      applicationRoutes(api, context)
      goingLiveRoutes(api, context)
      useRoutes(api, context)
      partnerRequestRoutes(api, context)
      partnerGrantRoutes(api, context)
      webhookApiRoutes(api, context)
      peopleRoutes(api, context)
      developerKeyRoutes(api, context)
    },
    { prefix: developerApiPath },
  )
}
