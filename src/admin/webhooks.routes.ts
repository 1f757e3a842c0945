import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { notFound } from '../management/answers.ts'
import { findListedPartner } from '../partners/partners.sql.ts'
import Type from '../typebox.ts'
import { webhookRoutes } from '../webhooks/webhooks.routes.ts'
import { adminAddress } from './admin-document.ts'
import { adminRoute } from './admin-edge.ts'

const scopes = { read: 'partners:read', change: 'partners:write' } as const
const base = '/partners/:client_id'
const partnerParams = { client_id: Type.String({ description: 'The `client_id` of a partner.' }) }

/** The webhooks of any partner. The developer API has the same operations. */
export function partnerWebhookRoutes(app: FastifyInstance, context: Context): void {
  webhookRoutes(
    {
      partner: 'The partner',
      address: (clientId, ...path) => adminAddress(context.config, 'partners', clientId, ...path),
      serve: ({ right, ...route }, handler) => {
        const url = base + route.url
        const schema = { ...route.schema, params: Type.Object(partnerParams) }
        const problems = [...(route.operation.problems ?? []), 404] as const
        const operation = { ...route.operation, problems }
        const described = { ...route, url, schema, operation, scope: scopes[right] }
        adminRoute(app, context, described, async (call) => {
          const { client_id: clientId } = call.request.params
          const partner = await call.database.maybe(findListedPartner, [clientId])
          if (!partner) return notFound('There is no partner with this client id.')
          return handler({ ...call, clientId })
        })
      },
      serveItem: ({ right, id, ...route }, handler) => {
        const url = base + route.url
        const schema = { ...route.schema, params: Type.Object({ ...partnerParams, id }) }
        const described = { ...route, url, schema, scope: scopes[right] }
        adminRoute(app, context, described, (call) =>
          handler({ ...call, clientId: call.request.params.client_id }),
        )
      },
    },
    context,
  )
}
