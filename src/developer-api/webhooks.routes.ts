import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import Type from '../typebox.ts'
import { webhookRoutes } from '../webhooks/webhooks.routes.ts'
import { developerAddress } from './developer-document.ts'
import { developerRoute } from './developer-edge.ts'

const roles = { read: 'viewer', change: 'developer' } as const

/** The webhooks of the application to which the key belongs. */
export function webhookApiRoutes(app: FastifyInstance, context: Context): void {
  webhookRoutes(
    {
      partner: 'Your application',
      address: (_clientId, ...path) => developerAddress(context.config, ...path),
      serve: ({ right, ...route }, handler) =>
        developerRoute(app, context, { ...route, role: roles[right] }, handler),
      serveItem: ({ right, id, ...route }, handler) => {
        const schema = { ...route.schema, params: Type.Object({ id }) }
        developerRoute(app, context, { ...route, role: roles[right], schema }, handler)
      },
    },
    context,
  )
}
