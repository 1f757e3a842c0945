import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { allows } from '../developer-keys/roles.ts'
import { DoneQuery } from '../panel/fields.ts'
import type { Static } from '../typebox.ts'
import { addEndpoint, findEndpoint, listEndpoints } from '../webhooks/endpoints.ts'
import { eventTypes } from '../webhooks/event-types.ts'
import { listMessages } from '../webhooks/messages.ts'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { appUrl, IdParams, type IdRoute, showMissing } from './parts.tsx'
import { chosenEvents, EndpointFields, EndpointForm, SigningSecretPage } from './webhook-forms.tsx'
import { WebhookPage, WebhooksPage } from './webhook-pages.tsx'
import { busy } from './webhook-parts.tsx'

const url = `${appUrl}/webhooks` as const

/** Messages that the page of an endpoint shows. */
const mostShown = 10

/** The webhooks of an application: the list, one endpoint, and a new one. */
export function webhookRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  list(app, context, web)
  addition(app, context, web)
  oneEndpoint(app, context, web)
}

function list(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  developerPage<{ Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url, role: 'viewer', schema: { querystring: DoneQuery } },
    async ({ request, app: { clientId, role }, show }) => {
      const endpoints = await listEndpoints(context.database, clientId)
      const done = request.query.done === 'removed' ? 'The webhook is removed.' : undefined
      const mayWrite = allows(role, 'developer')
      const body = <WebhooksPage {...{ clientId, endpoints, mayWrite, done }} />
      return show({ title: 'Webhooks', section: 'webhooks', body })
    },
  )
}

function addition(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const route = { url: `${url}/new`, role: 'developer', recent: true } as const
  developerPage(app, context, web, route, async ({ app: { clientId }, csrf, show }) => {
    const body = <EndpointForm {...{ clientId, csrf }} fields={{ events: [...eventTypes] }} faults={[]} />
    return show({ title: 'New webhook', section: 'webhooks', body })
  })
  developerPage<{ Body: EndpointFields }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: EndpointFields } },
    async ({ request, app: { clientId }, origin, csrf, show }) => {
      const { url: address = '', description, secret_kind: secretKind } = request.body
      const input = {
        clientId,
        url: address.trim(),
        description,
        secretKind,
        events: chosenEvents(request.body),
      }
      const outcome = await context.slowWebhookLimiter.run(clientId, () =>
        addEndpoint(context, origin, input),
      )
      if (outcome.kind === 'unknown') return showMissing(show, 'webhooks', 'application')
      if (outcome.kind !== 'added') {
        const faults = outcome.kind === 'busy' ? [busy] : outcome.faults
        const body = <EndpointForm {...{ clientId, csrf, faults }} fields={request.body} />
        return show({ title: 'New webhook', section: 'webhooks', body }, outcome.kind === 'busy' ? 429 : 422)
      }
      const body = <SigningSecretPage clientId={clientId} {...outcome} isNew />
      return show({ title: 'The webhook is added', section: 'webhooks', body })
    },
  )
}

const done: Record<string, string> = {
  saved:
    'The settings are saved. They apply to messages that are written from now on; the address also to those that wait.',
  enabled: 'The webhook is enabled. Messages that waited are delivered now.',
  disabled: 'The webhook is disabled. Messages wait until it is enabled, for 30 days at most.',
  replayed: 'The messages are delivered again.',
  nothing: 'There are no messages since then.',
}

function oneEndpoint(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { database } = context
  developerPage<IdRoute & { Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    {
      url: `${url}/:id`,
      role: 'viewer',
      isExpensive: true,
      schema: { params: IdParams, querystring: DoneQuery },
    },
    async ({ request, app: { clientId, role }, csrf, show }) => {
      const { id } = request.params
      const endpoint = await findEndpoint(database, clientId, id)
      if (!endpoint) return showMissing(show, 'webhooks', 'webhook')
      const part = { after: null, limit: mostShown }
      const messages = await listMessages(database, clientId, { endpointId: id }, part)
      const body = (
        <WebhookPage
          {...{ clientId, endpoint, messages, csrf }}
          mayWrite={allows(role, 'developer')}
          done={done[request.query.done ?? '']}
          faults={[]}
        />
      )
      return show({ title: 'Webhook', section: 'webhooks', body })
    },
  )
}
