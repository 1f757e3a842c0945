import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import { assetRoutes } from '../web/assets.routes.ts'
import { accountRoutes } from './account.routes.tsx'
import { confirmRoutes } from './confirm.routes.tsx'
import { consoleEdge, consoleFiles } from './edge.ts'
import { loginRoutes } from './login.routes.tsx'
import { overviewRoutes } from './overview.routes.tsx'
import { pageRoutes } from './pages.routes.ts'
import { providerLoginRoutes } from './provider-login.routes.tsx'
import { setupRoutes } from './setup.routes.tsx'

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
      consoleFiles(app, web)
      // On the public listener, the pages of users have registered them.
      if (context.config.admin.listener) assetRoutes(app, web.assets)
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
