import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { allows } from '../developer-keys/roles.ts'
import { DoneQuery } from '../panel/fields.ts'
import { filled, listQuery, listRequest, pageOfRows } from '../panel/paging.ts'
import { toPage } from '../people/person-page.ts'
import type { Static } from '../typebox.ts'
import { listEndpoints } from '../webhooks/endpoints.ts'
import { messageStates } from '../webhooks/messages.sql.ts'
import { findMessage, listMessages, resendMessage } from '../webhooks/messages.ts'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { MessagePage, MessagesPage } from './message-pages.tsx'
import { appUrl, IdParams, type IdRoute, showMissing } from './parts.tsx'
import { webhookAddress } from './webhook-parts.tsx'

const url = `${appUrl}/webhooks/messages` as const

/** What was sent to the webhooks of an application, and what the receivers answered. */
export function webhookMessageRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  list(app, context, web)
  oneMessage(app, context, web)
}

function list(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { database } = context
  const querystring = listQuery('endpoint', 'state', 'type', 'grant_id')
  developerPage<{ Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url, role: 'viewer', isExpensive: true, schema: { querystring } },
    async ({ request, app: { clientId }, show }) => {
      const { query } = request
      const endpoint = filled(query.endpoint)
      const state = messageStates.find((known) => known === query.state)
      const [type, grantId] = [filled(query.type), filled(query.grant_id)]
      const page = listRequest(query)
      const filter = { endpointId: endpoint, state, type, grantId }
      const [found, endpoints] = await Promise.all([
        listMessages(database, clientId, filter, page),
        listEndpoints(database, clientId),
      ])
      const { rows, next } = pageOfRows(request, page, found, ({ id }) => id)
      const shown = { endpoint, state, type, grantId }
      const body = <MessagesPage {...{ clientId, endpoints, next }} filter={shown} messages={rows} />
      return show({ title: 'Messages', section: 'webhooks', body })
    },
  )
}

const done: Record<string, string> = {
  tested:
    'The test event is written. Load this page again in a few seconds to see the answer of your receiver.',
  resent: 'The message is delivered again, with the same id. Load this page again in a few seconds.',
}

function oneMessage(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  developerPage<IdRoute & { Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url: `${url}/:id`, role: 'viewer', schema: { params: IdParams, querystring: DoneQuery } },
    async ({ request, app: { clientId, role }, csrf, show }) => {
      const message = await findMessage(context.database, clientId, request.params.id)
      if (!message) return showMissing(show, 'webhooks', 'message')
      const body = (
        <MessagePage
          {...{ clientId, message, csrf }}
          mayWrite={allows(role, 'developer')}
          done={done[request.query.done ?? '']}
        />
      )
      return show({ title: `Message ${message.type}`, section: 'webhooks', body })
    },
  )
  developerPage<IdRoute>(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/:id/resend`, role: 'developer', schema: { params: IdParams } },
    async ({ request, reply, app: { clientId }, origin, show }) => {
      const outcome = await resendMessage(context, origin, { clientId, id: request.params.id })
      if (outcome.kind === 'unknown') return showMissing(show, 'webhooks', 'message')
      return toPage(reply, `${webhookAddress(clientId, `messages/msg_${outcome.messageId}`)}?done=resent`)
    },
  )
}
