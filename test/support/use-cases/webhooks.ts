import { disableEndpoint } from '../../../src/webhooks/endpoints.ts'
import { sendTestEvent } from '../../../src/webhooks/messages.ts'
import { endpointAt, operator } from '../webhooks.ts'
import type { UseCases, World } from './use-case.ts'

/** A literal address: no name server is needed. */
const url = 'https://93.184.216.34/hook'

const because =
  'Developers change webhooks on the developer pages. The console shows them, and disables or enables one.'

/** `id` is that of an endpoint, `more` is the partner. */
const endpoint = async ({ server }: World) => {
  const { clientId } = await server.partner({ name: 'Same' })
  const { endpoint } = await endpointAt(server, clientId, url)
  return { id: endpoint.id, more: clientId }
}

const disabled = async (world: World) => {
  const { id, more } = await endpoint(world)
  await disableEndpoint(world.server.context, operator, { clientId: more, id })
  return { id, more }
}

const tested = async (world: World) => {
  const { id, more } = await endpoint(world)
  const sent = await sendTestEvent(world.server.context, operator, { clientId: more, id })
  if (sent.kind !== 'sent') throw new Error(sent.kind)
  return { id, more, messageId: sent.messageId }
}

const since = '2026-01-01T00:00:00Z'

export const webhookCases: UseCases = {
  'add a webhook': {
    subject: async ({ server }) => ({ id: '', more: (await server.partner({ name: 'Same' })).clientId }),
    command: ({ more }) => ['webhook', 'add', '--partner', more, '--url', url, '--event', 'grant.revoked'],
    operation: 'addEndpoint',
    request: ({ more }) => ['POST', `/partners/${more}/webhooks`, { url, events: ['grant.revoked'] }],
    because,
  },
  'change a webhook': {
    subject: endpoint,
    command: ({ id, more }) => ['webhook', 'update', id, '--partner', more, '--description', 'Changed'],
    operation: 'updateEndpoint',
    request: ({ id, more }) => ['PATCH', `/partners/${more}/webhooks/${id}`, { description: 'Changed' }],
    because,
  },
  'rotate the secret of a webhook after a leak': {
    subject: endpoint,
    command: ({ id, more }) => ['webhook', 'rotate-secret', id, '--partner', more, '--end-others'],
    operation: 'rotateWebhookSecret',
    request: ({ id, more }) => ['POST', `/partners/${more}/webhooks/${id}/secrets`, { end_others: true }],
    because,
  },
  'disable a webhook': {
    subject: endpoint,
    command: ({ id, more }) => ['webhook', 'disable', id, '--partner', more],
    operation: 'disableEndpoint',
    request: ({ id, more }) => ['POST', `/partners/${more}/webhooks/${id}/disable`],
    form: ({ id, more }) => ({
      page: `/partners/${more}`,
      action: `/partners/${more}/webhooks/${id}/disable`,
    }),
  },
  'enable a webhook': {
    subject: disabled,
    command: ({ id, more }) => ['webhook', 'enable', id, '--partner', more],
    operation: 'enableEndpoint',
    request: ({ id, more }) => ['POST', `/partners/${more}/webhooks/${id}/enable`],
    form: ({ id, more }) => ({
      page: `/partners/${more}`,
      action: `/partners/${more}/webhooks/${id}/enable`,
    }),
  },
  'remove a webhook': {
    subject: endpoint,
    command: ({ id, more }) => ['webhook', 'remove', id, '--partner', more],
    operation: 'removeEndpoint',
    request: ({ id, more }) => ['DELETE', `/partners/${more}/webhooks/${id}`],
    because,
  },
  'send a test event': {
    subject: endpoint,
    command: ({ id, more }) => ['webhook', 'test', id, '--partner', more],
    operation: 'testEndpoint',
    request: ({ id, more }) => ['POST', `/partners/${more}/webhooks/${id}/test`],
    because,
  },
  'deliver a message again': {
    subject: async (world) => {
      const { messageId, more } = await tested(world)
      return { id: messageId, more }
    },
    command: ({ id, more }) => ['webhook', 'resend', `msg_${id}`, '--partner', more],
    operation: 'resendMessage',
    request: ({ id, more }) => ['POST', `/partners/${more}/webhook-messages/msg_${id}/resend`],
    because,
  },
  'deliver past messages again': {
    subject: tested,
    command: ({ id, more }) => ['webhook', 'replay', id, '--partner', more, '--since', since],
    operation: 'replayMessages',
    request: ({ id, more }) => ['POST', `/partners/${more}/webhooks/${id}/replay`, { since }],
    because,
  },
}
