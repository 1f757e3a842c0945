import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { accountRoutes } from './account.routes.tsx'
import { consoleEdge, consoleFiles } from './edge.ts'
import { overviewRoutes } from './overview.routes.tsx'

/** The path of the console. */
const prefix = '/admin'

/** The console at `/admin`. */
export async function consoleRoutes(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(
    async (pages) => {
      const web = await consoleEdge(pages, context)
      consoleFiles(app, web)
      overviewRoutes(pages, context, web)
      accountRoutes(pages, context, web)
    },
    { prefix },
  )
}
