import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import { accountRoutes } from '../people/account.routes.tsx'
import { confirmRoutes } from '../people/confirm.routes.tsx'
import { loginRoutes } from '../people/login.routes.tsx'
import { peopleFiles } from '../people/people-web.ts'
import { providerLoginRoutes } from '../people/provider-login.routes.tsx'
import { setupRoutes } from '../people/setup.routes.tsx'
import { assetRoutes } from '../web/assets.routes.ts'
import { consoleEdge } from './edge.ts'
import { overviewRoutes } from './overview.routes.tsx'
import { pageRoutes } from './pages.routes.ts'

/** The path of the console. */
const prefix = '/admin'

/** The console at `/admin`. */
export async function consoleRoutes(
  app: FastifyInstance,
  context: Context,
  providers: ProviderClients,
): Promise<void> {
  await app.register(
    async (pages) => {
      const web = await consoleEdge(pages, context)
      // On the public listener, the pages of users have registered them.
      if (context.config.admin.listener) assetRoutes(app, web.assets)
      peopleFiles(app, web)
      loginRoutes(pages, context, web)
      providerLoginRoutes(pages, context, web, providers)
      setupRoutes(pages, context, web)
      confirmRoutes(pages, context, web, providers)
      overviewRoutes(pages, context, web)
      accountRoutes(pages, context, web)
      pageRoutes(pages, context, web)
    },
    { prefix },
  )
}
