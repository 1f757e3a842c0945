import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import { accountRoutes } from '../people/account.routes.tsx'
import { confirmRoutes } from '../people/confirm.routes.tsx'
import { loginRoutes } from '../people/login.routes.tsx'
import { peopleFiles } from '../people/people-web.ts'
import { providerLoginRoutes } from '../people/provider-login.routes.tsx'
import { setupRoutes } from '../people/setup.routes.tsx'
import { appRoutes } from './app.routes.ts'
import { appListRoutes } from './apps.routes.tsx'
import { developerEdge } from './edge.ts'

/** The path of the developer pages. */
const prefix = '/developers'

/** The developer pages at `/developers`. They are on the public listener, also if the console has its own. */
export async function developerRoutes(
  app: FastifyInstance,
  context: Context,
  providers: ProviderClients,
): Promise<void> {
  await app.register(
    async (pages) => {
      const web = await developerEdge(pages, context)
      peopleFiles(app, web)
      loginRoutes(pages, context, web)
      providerLoginRoutes(pages, context, web, providers)
      setupRoutes(pages, context, web)
      confirmRoutes(pages, context, web, providers)
      accountRoutes(pages, context, web)
      appListRoutes(pages, context, web)
      await appRoutes(pages, context, web)
    },
    { prefix },
  )
}
