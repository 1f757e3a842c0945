import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
import { formText } from '../panel/fields.ts'
import { Faults, PageHead } from '../panel/page-parts.tsx'
import { toPage } from '../people/person-page.ts'
import Type, { type Static } from '../typebox.ts'
import {
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  removeEndpoint,
  rotateWebhookSecret,
  updateEndpoint,
} from '../webhooks/endpoints.ts'
import { replayMessages, sendTestEvent } from '../webhooks/messages.ts'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { appUrl, IdParams, type IdRoute, type Show, showMissing } from './parts.tsx'
import {
  chosenEvents,
  EndpointFields,
  EndpointForm,
  RemovalForm,
  RotationForm,
  SigningSecretPage,
} from './webhook-forms.tsx'
import { busy, webhookAddress } from './webhook-parts.tsx'

const url = `${appUrl}/webhooks/:id` as const
const params = IdParams

/** Forms that change a webhook. */
export function webhookChangeRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  settings(app, context, web)
  rotation(app, context, web)
  removal(app, context, web)
  states(app, context, web)
  testing(app, context, web)
  replay(app, context, web)
}

function settings(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const route = { url: `${url}/edit`, role: 'developer', recent: true } as const
  developerPage<IdRoute>(
    app,
    context,
    web,
    { ...route, schema: { params } },
    async ({ request, app: { clientId }, csrf, show }) => {
      const { id } = request.params
      const endpoint = await findEndpoint(context.database, clientId, id)
      if (!endpoint) return showMissing(show, 'webhooks', 'webhook')
      const fields = { url: endpoint.url, events: endpoint.events, description: endpoint.description ?? '' }
      const body = <EndpointForm {...{ clientId, id, csrf, fields }} faults={[]} />
      return show({ title: 'Change the webhook', section: 'webhooks', body })
    },
  )
  developerPage<IdRoute & { Body: EndpointFields }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { params, body: EndpointFields } },
    async ({ request, reply, app: { clientId }, origin, csrf, show }) => {
      const { id } = request.params
      const { url: address = '', description = '' } = request.body
      const changes = { url: address.trim(), description, events: chosenEvents(request.body) }
      const input = { clientId, id, ...changes }
      const outcome = await context.slowWebhookLimiter.run(clientId, () =>
        updateEndpoint(context, origin, input),
      )
      if (outcome.kind === 'unknown') return showMissing(show, 'webhooks', 'webhook')
      if (outcome.kind === 'updated') return toPage(reply, `${webhookAddress(clientId, id)}?done=saved`)
      const faults = outcome.kind === 'busy' ? [busy] : outcome.faults
      const body = <EndpointForm {...{ clientId, id, csrf, faults }} fields={request.body} />
      const status = outcome.kind === 'busy' ? 429 : 422
      return show({ title: 'Change the webhook', section: 'webhooks', body }, status)
    },
  )
}

const RotationBody = Type.Object({
  end_others: formText(10),
  secret_kind: Type.Optional(Type.Union([Type.Literal('hmac'), Type.Literal('ed25519')])),
})

function rotation(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const route = { url: `${url}/secret`, role: 'developer', recent: true } as const
  developerPage<IdRoute>(
    app,
    context,
    web,
    { ...route, schema: { params } },
    async ({ request, app: { clientId }, csrf, show }) => {
      const endpoint = await findEndpoint(context.database, clientId, request.params.id)
      if (!endpoint) return showMissing(show, 'webhooks', 'webhook')
      const body = <RotationForm {...{ clientId, endpoint, csrf }} />
      return show({ title: 'New signing secret', section: 'webhooks', body })
    },
  )
  developerPage<IdRoute & { Body: Static<typeof RotationBody> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { params, body: RotationBody } },
    async ({ request, app: { clientId }, origin, show }) => {
      const { end_others: ending, secret_kind: secretKind } = request.body
      const endOthers = ending === 'true'
      const input = { clientId, id: request.params.id, secretKind, endOthers }
      const outcome = await rotateWebhookSecret(context, origin, input)
      if (outcome.kind === 'unknown') return showMissing(show, 'webhooks', 'webhook')
      const { endpoint, secret } = outcome
      const body = (
        <SigningSecretPage {...{ clientId, endpoint, secret }} isNew={false} endsOthers={endOthers} />
      )
      return show({ title: 'New signing secret', section: 'webhooks', body })
    },
  )
}

function removal(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const route = { url: `${url}/remove`, role: 'developer' } as const
  developerPage<IdRoute>(
    app,
    context,
    web,
    { ...route, schema: { params } },
    async ({ request, app: { clientId }, csrf, show }) => {
      const endpoint = await findEndpoint(context.database, clientId, request.params.id)
      if (!endpoint) return showMissing(show, 'webhooks', 'webhook')
      const body = <RemovalForm {...{ clientId, endpoint, csrf }} />
      return show({ title: 'Remove the webhook', section: 'webhooks', body })
    },
  )
  developerPage<IdRoute>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { params } },
    async ({ request, reply, app: { clientId }, origin, show }) => {
      const outcome = await removeEndpoint(context, origin, { clientId, id: request.params.id })
      if (outcome.kind === 'unknown') return showMissing(show, 'webhooks', 'webhook')
      return toPage(reply, `${webhookAddress(clientId)}?done=removed`)
    },
  )
}

function states(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  for (const [verb, change] of [
    ['enable', enableEndpoint],
    ['disable', disableEndpoint],
  ] as const) {
    developerPage<IdRoute>(
      app,
      context,
      web,
      { method: 'POST', url: `${url}/${verb}`, role: 'developer', schema: { params } },
      async ({ request, reply, app: { clientId }, origin, show }) => {
        const { id } = request.params
        const outcome = await change(context, origin, { clientId, id })
        if (outcome.kind === 'unknown') return showMissing(show, 'webhooks', 'webhook')
        if (outcome.kind === 'refused') return showRefused(show, clientId, id, outcome.faults, 409)
        return toPage(reply, `${webhookAddress(clientId, id)}?done=${verb}d`)
      },
    )
  }
}

function testing(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  developerPage<IdRoute>(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/test`, role: 'developer', schema: { params } },
    async ({ request, reply, app: { clientId }, origin, show }) => {
      const { id } = request.params
      const outcome = await context.slowWebhookLimiter.run(clientId, () =>
        sendTestEvent(context, origin, { clientId, id }),
      )
      if (outcome.kind === 'busy') return showRefused(show, clientId, id, [busy], 429)
      if (outcome.kind === 'unknown') return showMissing(show, 'webhooks', 'webhook')
      if (outcome.kind === 'refused') return showRefused(show, clientId, id, [outcome.fault], 409)
      return toPage(reply, `${webhookAddress(clientId, `messages/msg_${outcome.messageId}`)}?done=tested`)
    },
  )
}

const ReplayBody = Type.Object({ since: formText(40) })

function replay(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  developerPage<IdRoute & { Body: Static<typeof ReplayBody> }>(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/replay`, role: 'developer', schema: { params, body: ReplayBody } },
    async ({ request, reply, app: { clientId }, origin, show }) => {
      const { id } = request.params
      const since = readInstant(request.body.since ?? '')
      if (!since) {
        const fault = 'Nothing was sent: write the time as 2026-11-22T08:30Z, in UTC.'
        return showRefused(show, clientId, id, [fault], 422)
      }
      const outcome = await context.slowWebhookLimiter.run(clientId, () =>
        replayMessages(context, origin, { clientId, id, since }),
      )
      if (outcome.kind === 'busy') return showRefused(show, clientId, id, [busy], 429)
      if (outcome.kind === 'unknown') return showMissing(show, 'webhooks', 'webhook')
      const done = outcome.messages === 0 ? 'nothing' : 'replayed'
      return toPage(reply, `${webhookAddress(clientId, id)}?done=${done}`)
    },
  )
}

/** An instant in UTC, to the minute or exactly. */
function readInstant(text: string): Date | undefined {
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?Z$/.test(text.trim())
  const instant = new Date(text.trim())
  return isInstant && !Number.isNaN(instant.getTime()) ? instant : undefined
}

function showRefused(
  show: Show,
  clientId: string,
  id: string,
  faults: string[],
  status: number,
): FastifyReply {
  const back = { label: 'The webhook', href: webhookAddress(clientId, id) }
  const body = (
    <>
      <PageHead title="Nothing was changed" back={back} />
      <Faults faults={faults} />
    </>
  )
  return show({ title: 'Nothing was changed', section: 'webhooks', body }, status)
}
