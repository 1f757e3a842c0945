import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { type Answer, conflict, created, notFound, ok, refused, withSecrets } from '../management/answers.ts'
import { pageAnswer, pageRequestOf, withFilters } from '../management/page.ts'
import { rangeOf } from '../management/range.ts'
import type { Endpoint } from '../webhooks/endpoints.sql.ts'
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
} from '../webhooks/endpoints.ts'
import type { Message } from '../webhooks/messages.sql.ts'
import {
  findMessage,
  listMessages,
  replayMessages,
  resendMessage,
  sendTestEvent,
} from '../webhooks/messages.ts'
import type { OneAtATime } from '../webhooks/one-at-a-time.ts'
import { developerAddress } from './developer-document.ts'
import { developerRoute } from './developer-edge.ts'
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

/** Webhooks, with the use cases of `latchkey webhook`. */
export function webhookApiRoutes(app: FastifyInstance, context: Context, slow: OneAtATime): void {
  reads(app, context)
  endpoints(app, context, slow)
  switches(app, context)
  messages(app, context)
  deliveries(app, context, slow)
}

const noSuchEndpoint = notFound('Your application has no webhook endpoint with this id.')
const noSuchMessage = notFound('Your application has no webhook message with this id.')

const shownEndpoint = ({ client_id: _, ...endpoint }: Endpoint) => endpoint

/** Does what may take long, if nothing such is in progress for the application. */
async function alone(slow: OneAtATime, clientId: string, work: () => Promise<Answer>): Promise<Answer> {
  const answer = await slow.run(clientId, work)
  if (answer.kind !== 'busy') return answer
  const detail = 'A request of your application that takes long is in progress. Send this one after it.'
  return { kind: 'problem', code: 'too_many_requests', detail, retryAfter: 1 }
}

/** By the name that receivers know it by. */
const messageName = (id: string) => `msg_${id}`
const shownMessage = <M extends Message>(message: M) => ({ ...message, id: messageName(message.id) })

/** Only a shared secret is shown. The public key of the other kind is in the endpoint. */
const secretOf = (secret: string | null) => (secret === null ? undefined : { secret })

function reads(app: FastifyInstance, context: Context): void {
  developerRoute(app, context, listEndpointsRoute, async ({ database, clientId }) =>
    ok({ data: (await listEndpoints(database, clientId)).map(shownEndpoint) }),
  )
  developerRoute(app, context, getEndpointRoute, async ({ request: { params }, database, clientId }) => {
    const endpoint = await findEndpoint(database, clientId, params.id)
    return endpoint ? ok(shownEndpoint(endpoint)) : noSuchEndpoint
  })
}

function endpoints(app: FastifyInstance, context: Context, slow: OneAtATime): void {
  const { config } = context
  // The name server of the address may answer slowly.
  developerRoute(app, context, addEndpointRoute, ({ request: { body }, origin, clientId, carryOut }) =>
    alone(slow, clientId, async () => {
      const { url, events, description, secret_kind: secretKind } = body
      const checked = await checkEndpoint(context, { url, events, description, secretKind })
      return carryOut(async (database) => {
        const outcome = await storeEndpoint({ ...context, database }, origin, clientId, checked)
        if (outcome.kind === 'unknown') return notFound('The application no longer exists.')
        if (outcome.kind === 'refused') return refused(outcome.faults)
        const { endpoint, secret } = outcome
        const address = developerAddress(config, 'webhooks', endpoint.id)
        return created(address, shownEndpoint(endpoint), secretOf(secret))
      })
    }),
  )

  developerRoute(app, context, updateEndpointRoute, ({ request, origin, database, clientId }) =>
    alone(slow, clientId, async () => {
      const { params, body } = request
      const input = { clientId, id: params.id, ...body }
      const outcome = await updateEndpoint({ ...context, database }, origin, input)
      if (outcome.kind === 'unknown') return noSuchEndpoint
      return outcome.kind === 'refused' ? refused(outcome.faults) : ok(shownEndpoint(outcome.endpoint))
    }),
  )

  developerRoute(app, context, removeEndpointRoute, async ({ request, origin, database, clientId }) => {
    const { kind } = await removeEndpoint({ database }, origin, { clientId, id: request.params.id })
    return kind === 'removed' ? { kind: 'empty' } : noSuchEndpoint
  })

  developerRoute(app, context, rotateWebhookSecretRoute, async ({ request, origin, database, clientId }) => {
    const { id } = request.params
    const { secret_kind: secretKind, end_others: endOthers } = request.body
    const input = { clientId, id, secretKind, endOthers }
    const outcome = await rotateWebhookSecret({ ...context, database }, origin, input)
    if (outcome.kind === 'unknown') return noSuchEndpoint
    const address = developerAddress(config, 'webhooks', id)
    return withSecrets(created(address, shownEndpoint(outcome.endpoint)), secretOf(outcome.secret))
  })
}

function switches(app: FastifyInstance, context: Context): void {
  developerRoute(app, context, enableEndpointRoute, async ({ request, origin, database, clientId }) => {
    const outcome = await enableEndpoint({ database }, origin, { clientId, id: request.params.id })
    if (outcome.kind === 'unknown') return noSuchEndpoint
    if (outcome.kind === 'refused') return conflict(outcome.faults.join(' '))
    return ok(shownEndpoint(outcome.endpoint))
  })
  developerRoute(app, context, disableEndpointRoute, async ({ request, origin, database, clientId }) => {
    const outcome = await disableEndpoint({ database }, origin, { clientId, id: request.params.id })
    return outcome.kind === 'unknown' ? noSuchEndpoint : ok(shownEndpoint(outcome.endpoint))
  })
}

function messages(app: FastifyInstance, context: Context): void {
  developerRoute(app, context, listMessagesRoute, async ({ request: { query }, database, clientId }) => {
    const range = rangeOf({ ...(query.since !== undefined && { since: query.since }) })
    if ('problem' in range) return range.problem
    const { endpoint_id: endpointId, state, type, grant_id: grantId } = query
    const since = range.since === undefined ? undefined : new Date(range.since)
    const page = pageRequestOf(query)
    const found = await listMessages(database, clientId, { endpointId, state, type, grantId, since }, page)
    const address = withFilters(developerAddress(context.config, 'webhook-messages'), query)
    // The place is the id without its prefix.
    return pageAnswer(address, page, found.map(shownMessage), ({ id }) => id.slice(messageName('').length))
  })
  developerRoute(app, context, getMessageRoute, async ({ request: { params }, database, clientId }) => {
    const message = await findMessage(database, clientId, params.id)
    return message ? ok(shownMessage(message)) : noSuchMessage
  })
}

function deliveries(app: FastifyInstance, context: Context, slow: OneAtATime): void {
  developerRoute(app, context, testEndpointRoute, ({ request, origin, database, clientId }) =>
    alone(slow, clientId, async () => {
      const outcome = await sendTestEvent({ database }, origin, { clientId, id: request.params.id })
      if (outcome.kind === 'unknown') return noSuchEndpoint
      if (outcome.kind === 'disabled') return conflict('The endpoint is disabled. Enable it first.')
      return ok({ id: messageName(outcome.messageId) })
    }),
  )
  developerRoute(app, context, resendRoute, async ({ request, origin, database, clientId }) => {
    const outcome = await resendMessage({ database }, origin, { clientId, id: request.params.id })
    return outcome.kind === 'unknown' ? noSuchMessage : ok({ id: messageName(outcome.messageId) })
  })
  developerRoute(app, context, replayRoute, ({ request, origin, database, clientId }) => {
    const range = rangeOf(request.body)
    const { id } = request.params
    if ('problem' in range) return Promise.resolve<Answer>(refused(['since is not an instant.']))
    return alone(slow, clientId, async () => {
      const since = new Date(range.since ?? '')
      const outcome = await replayMessages({ database }, origin, { clientId, id, since })
      return outcome.kind === 'unknown' ? noSuchEndpoint : ok({ messages: outcome.messages })
    })
  })
}
