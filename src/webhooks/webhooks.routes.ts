import type { Context } from '../context.ts'
import { type Answer, conflict, created, notFound, ok, refused, withSecrets } from '../management/answers.ts'
import { pageAnswer, pageRequestOf, withFilters } from '../management/page.ts'
import { rangeOf } from '../management/range.ts'
import type { Endpoint } from './endpoints.sql.ts'
import {
  checkEndpoint,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateWebhookSecret,
  storeEndpoint,
  updateEndpoint,
} from './endpoints.ts'
import type { Message } from './messages.sql.ts'
import { findMessage, listMessages, replayMessages, resendMessage, sendTestEvent } from './messages.ts'
import type { WebhookApi } from './webhook-api.ts'
import {
  addEndpointRoute,
  disableEndpointRoute,
  enableEndpointRoute,
  getEndpointRoute,
  getMessageRoute,
  listEndpointsRoute,
  listMessagesRoute,
  removeEndpointRoute,
  replayRoute,
  resendRoute,
  rotateWebhookSecretRoute,
  testEndpointRoute,
  updateEndpointRoute,
} from './webhooks.operations.ts'

/** Webhooks in the developer API or in the admin API, with the use cases of `latchkey webhook`. */
export function webhookRoutes(api: WebhookApi, context: Context): void {
  reads(api)
  endpoints(api, context)
  secrets(api, context)
  switches(api)
  messages(api)
  deliveries(api, context)
}

const noSuchEndpoint = ({ partner }: WebhookApi) =>
  notFound(`${partner} has no webhook endpoint with this id.`)
const noSuchMessage = ({ partner }: WebhookApi) => notFound(`${partner} has no webhook message with this id.`)

const shownEndpoint = ({ client_id: _, ...endpoint }: Endpoint) => endpoint

/** Runs slow work about webhooks, or answers 429 if other slow work of the partner is in progress. */
async function alone(
  { slowWebhookLimiter }: Pick<Context, 'slowWebhookLimiter'>,
  clientId: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const answer = await slowWebhookLimiter.run(clientId, work)
  if (answer.kind !== 'busy') return answer
  const detail =
    'A slow request about these webhooks is in progress. Send this request again when it has ended.'
  return { kind: 'problem', code: 'too_many_requests', detail, retryAfter: 1 }
}

/** The `webhook-id` of a message, as receivers know it. */
const messageName = (id: string) => `msg_${id}`
const shownMessage = <M extends Message>(message: M) => ({ ...message, id: messageName(message.id) })

/** Only a shared secret is shown. The public key of the other kind is in the endpoint. */
const secretOf = (secret: string | null) => (secret === null ? undefined : { secret })

function reads(api: WebhookApi): void {
  api.serve(listEndpointsRoute, async ({ database, clientId }) =>
    ok({ data: (await listEndpoints(database, clientId)).map(shownEndpoint) }),
  )
  api.serveItem(getEndpointRoute, async ({ request: { params }, database, clientId }) => {
    const endpoint = await findEndpoint(database, clientId, params.id)
    return endpoint ? ok(shownEndpoint(endpoint)) : noSuchEndpoint(api)
  })
}

function endpoints(api: WebhookApi, context: Context): void {
  // The name server of the address may answer slowly.
  api.serve(addEndpointRoute, ({ request: { body }, origin, clientId, carryOut }) =>
    alone(context, clientId, async () => {
      const { url, events, description, secret_kind: secretKind } = body
      const checked = await checkEndpoint(context, { url, events, description, secretKind })
      return carryOut(async (database) => {
        const outcome = await storeEndpoint({ ...context, database }, origin, clientId, checked)
        if (outcome.kind === 'unknown') return notFound(`${api.partner} no longer exists.`)
        if (outcome.kind === 'refused') return refused(outcome.faults)
        const { endpoint, secret } = outcome
        const address = api.address(clientId, 'webhooks', endpoint.id)
        return created(address, shownEndpoint(endpoint), secretOf(secret))
      })
    }),
  )

  api.serveItem(updateEndpointRoute, ({ request: { params, body }, origin, database, clientId }) =>
    alone(context, clientId, async () => {
      const outcome = await updateEndpoint({ ...context, database }, origin, {
        clientId,
        id: params.id,
        ...body,
      })
      if (outcome.kind === 'unknown') return noSuchEndpoint(api)
      return outcome.kind === 'refused' ? refused(outcome.faults) : ok(shownEndpoint(outcome.endpoint))
    }),
  )

  api.serveItem(removeEndpointRoute, async ({ request: { params }, origin, database, clientId }) => {
    const { kind } = await removeEndpoint({ database }, origin, { clientId, id: params.id })
    return kind === 'removed' ? { kind: 'empty' } : noSuchEndpoint(api)
  })
}

function secrets(api: WebhookApi, context: Context): void {
  api.serveItem(
    rotateWebhookSecretRoute,
    async ({ request: { params, body }, origin, database, clientId }) => {
      const { secret_kind: secretKind, end_others: endOthers } = body
      const input = { clientId, id: params.id, secretKind, endOthers }
      const outcome = await rotateWebhookSecret({ ...context, database }, origin, input)
      if (outcome.kind === 'unknown') return noSuchEndpoint(api)
      const address = api.address(clientId, 'webhooks', params.id)
      return withSecrets(created(address, shownEndpoint(outcome.endpoint)), secretOf(outcome.secret))
    },
  )
}

function switches(api: WebhookApi): void {
  api.serveItem(enableEndpointRoute, async ({ request: { params }, origin, database, clientId }) => {
    const outcome = await enableEndpoint({ database }, origin, { clientId, id: params.id })
    if (outcome.kind === 'unknown') return noSuchEndpoint(api)
    if (outcome.kind === 'refused') return conflict(outcome.faults.join(' '))
    return ok(shownEndpoint(outcome.endpoint))
  })
  api.serveItem(disableEndpointRoute, async ({ request: { params }, origin, database, clientId }) => {
    const outcome = await disableEndpoint({ database }, origin, { clientId, id: params.id })
    return outcome.kind === 'unknown' ? noSuchEndpoint(api) : ok(shownEndpoint(outcome.endpoint))
  })
}

function messages(api: WebhookApi): void {
  api.serve(listMessagesRoute, async ({ request: { query }, database, clientId }) => {
    const range = rangeOf(query)
    if ('problem' in range) return range.problem
    const { endpoint_id: endpointId, state, type, grant_id: grantId } = query
    const since = range.since === undefined ? undefined : new Date(range.since)
    const page = pageRequestOf(query)
    const found = await listMessages(database, clientId, { endpointId, state, type, grantId, since }, page)
    const address = withFilters(api.address(clientId, 'webhook-messages'), query)
    // The cursor has the id without its prefix.
    return pageAnswer(address, page, found.map(shownMessage), ({ id }) => id.slice(messageName('').length))
  })
  api.serveItem(getMessageRoute, async ({ request: { params }, database, clientId }) => {
    const message = await findMessage(database, clientId, params.id)
    return message ? ok(shownMessage(message)) : noSuchMessage(api)
  })
}

function deliveries(api: WebhookApi, context: Context): void {
  api.serveItem(testEndpointRoute, ({ request: { params }, origin, database, clientId }) =>
    alone(context, clientId, async () => {
      const outcome = await sendTestEvent({ database }, origin, { clientId, id: params.id })
      if (outcome.kind === 'unknown') return noSuchEndpoint(api)
      if (outcome.kind === 'refused') return conflict(outcome.fault)
      return ok({ id: messageName(outcome.messageId) })
    }),
  )
  api.serveItem(resendRoute, async ({ request: { params }, origin, database, clientId }) => {
    const outcome = await resendMessage({ database }, origin, { clientId, id: params.id })
    return outcome.kind === 'unknown' ? noSuchMessage(api) : ok({ id: messageName(outcome.messageId) })
  })
  api.serveItem(replayRoute, ({ request: { params, body }, origin, database, clientId }) => {
    const range = rangeOf(body)
    if ('problem' in range) return Promise.resolve<Answer>(refused(['since is not an instant.']))
    return alone(context, clientId, async () => {
      const since = new Date(range.since ?? '')
      const outcome = await replayMessages({ database }, origin, { clientId, id: params.id, since })
      return outcome.kind === 'unknown' ? noSuchEndpoint(api) : ok({ messages: outcome.messages })
    })
  })
}
