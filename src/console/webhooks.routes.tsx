import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { pathText } from '../panel/fields.ts'
import Type, { type Static } from '../typebox.ts'
import { disableEndpoint, enableEndpoint } from '../webhooks/endpoints.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'
import { partnerAddress } from './partners.routes.tsx'

const params = Type.Object({ client_id: pathText, id: pathText })

/** Forms that disable and enable a webhook, on the page of its partner. */
export function webhookRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  for (const [verb, change] of [
    ['enable', enableEndpoint],
    ['disable', disableEndpoint],
  ] as const) {
    const url = `/admin/partners/:client_id/webhooks/:id/${verb}` as const
    operatorPage<{ Params: Static<typeof params> }>(
      app,
      context,
      web,
      { method: 'POST', url, scope: 'partners:write', schema: { params } },
      async ({ request, reply, origin, show }) => {
        const { client_id: clientId, id } = request.params
        const { kind } = await change(context, origin, { clientId, id })
        if (kind !== 'changed') return showMissing(show, 'partners', 'webhook')
        return reply.redirect(`${partnerAddress(clientId)}?done=webhook_${verb}d`, 303)
      },
    )
  }
}
