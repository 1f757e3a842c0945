import { createdResponse, jsonResponse, noContent } from '../management/operation.ts'
import { closed, pageOf, pageQuery } from '../management/page.ts'
import { oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { messageStates } from './messages.sql.ts'
import { describeItemRoute, describeWebhookRoute } from './webhook-api.ts'
import {
  Endpoint,
  EndpointChanges,
  EndpointWithSecret,
  Message,
  MessageDetails,
  MessageName,
  NewEndpoint,
  NewWebhookSecret,
  Replay,
  Replayed,
} from './webhooks.schemas.ts'

const tag = 'Webhooks'
const endpointId = Type.String({ description: 'The `id` of an endpoint.' })
const messageId = Type.String({ description: 'The `id` of a message.' })

export const listEndpointsRoute = describeWebhookRoute({
  method: 'GET',
  url: '/webhooks',
  right: 'read',
  operation: {
    operationId: 'listEndpoints',
    tag,
    summary: 'List the endpoints',
    description: 'Oldest first. Never their secrets.',
    responses: {
      200: jsonResponse(
        Type.Object(
          { data: Type.Array(Endpoint, { description: 'The endpoints.' }) },
          { $id: 'EndpointList', description: 'All endpoints.' },
        ),
        'The endpoints.',
      ),
    },
  },
})

export const addEndpointRoute = describeWebhookRoute({
  method: 'POST',
  url: '/webhooks',
  right: 'change',
  schema: { body: NewEndpoint },
  creates: 'itself',
  operation: {
    operationId: 'addEndpoint',
    tag,
    summary: 'Add an endpoint',
    description: 'The secret is shown only this once. Send a test event afterwards.',
    responses: { 201: createdResponse(EndpointWithSecret, 'The new endpoint.') },
  },
})

export const getEndpointRoute = describeItemRoute({
  method: 'GET',
  url: '/webhooks/:id',
  right: 'read',
  id: endpointId,
  operation: {
    operationId: 'getEndpoint',
    tag,
    summary: 'Show an endpoint',
    description: 'With what signs its deliveries. Never the secrets.',
    responses: { 200: jsonResponse(Endpoint, 'The endpoint.') },
    problems: [404],
  },
})

export const updateEndpointRoute = describeItemRoute({
  method: 'PATCH',
  url: '/webhooks/:id',
  right: 'change',
  id: endpointId,
  schema: { body: EndpointChanges },
  operation: {
    operationId: 'updateEndpoint',
    tag,
    summary: 'Change an endpoint',
    description: 'Changes what the body names. Messages that wait go to the new address.',
    responses: { 200: jsonResponse(Endpoint, 'The changed endpoint.') },
    problems: [404],
  },
})

export const removeEndpointRoute = describeItemRoute({
  method: 'DELETE',
  url: '/webhooks/:id',
  right: 'change',
  id: endpointId,
  operation: {
    operationId: 'removeEndpoint',
    tag,
    summary: 'Remove an endpoint',
    description: 'Its messages are deleted, also those that wait.',
    responses: { 204: noContent },
    problems: [404],
  },
})

export const rotateWebhookSecretRoute = describeItemRoute({
  method: 'POST',
  url: '/webhooks/:id/secrets',
  right: 'change',
  id: endpointId,
  schema: { body: NewWebhookSecret },
  creates: true,
  operation: {
    operationId: 'rotateWebhookSecret',
    tag,
    summary: 'Get a new signing secret',
    description:
      'For a day, both secrets sign each delivery, so that the receiver can change to the new one without an interruption.',
    responses: { 201: createdResponse(EndpointWithSecret, 'The endpoint with its new secret.') },
    problems: [404],
  },
})

const switching = (verb: 'enable' | 'disable', summary: string, description: string) =>
  describeItemRoute({
    method: 'POST',
    url: `/webhooks/:id/${verb}`,
    right: 'change',
    id: endpointId,
    operation: {
      operationId: `${verb}Endpoint`,
      tag,
      summary,
      description,
      responses: { 200: jsonResponse(Endpoint, 'The endpoint.') },
      problems: [404, 409],
    },
  })

export const enableEndpointRoute = switching(
  'enable',
  'Enable an endpoint',
  'Messages that waited are delivered in their order.',
)

export const disableEndpointRoute = switching(
  'disable',
  'Disable an endpoint',
  'Messages wait until it is enabled, for 30 days at most. Developers cannot enable what the operator has disabled.',
)

export const testEndpointRoute = describeItemRoute({
  method: 'POST',
  url: '/webhooks/:id/test',
  right: 'change',
  id: endpointId,
  operation: {
    operationId: 'testEndpoint',
    tag,
    summary: 'Send a test event',
    description: 'An event `webhook.test`, delivered like every other event.',
    responses: { 200: jsonResponse(MessageName, 'The message. Read it to see the answer of the receiver.') },
    problems: [404, 409],
  },
})

export const replayRoute = describeItemRoute({
  method: 'POST',
  url: '/webhooks/:id/replay',
  right: 'change',
  id: endpointId,
  schema: { body: Replay },
  operation: {
    operationId: 'replayMessages',
    tag,
    summary: 'Deliver past messages again',
    description: 'For messages that the receiver lost. They are delivered in their order, with the same ids.',
    responses: { 200: jsonResponse(Replayed, 'How many messages.') },
    problems: [404],
  },
})

export const listMessagesRoute = describeWebhookRoute({
  method: 'GET',
  url: '/webhook-messages',
  right: 'read',
  isExpensive: true,
  schema: {
    querystring: closed({
      endpoint_id: Type.Optional(Type.String({ maxLength: 36, description: 'Only for this endpoint.' })),
      state: Type.Optional(oneOf(messageStates, 'Only messages in this state.')),
      type: Type.Optional(Type.String({ maxLength: 50, description: 'Only events of this type.' })),
      grant_id: Type.Optional(Type.String({ maxLength: 18, description: 'Only events about this grant.' })),
      since: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only messages at or after this instant.' }),
      ),
      ...pageQuery,
    }),
  },
  operation: {
    operationId: 'listMessages',
    tag,
    summary: 'List the messages',
    description: 'Newest first.',
    responses: { 200: jsonResponse(pageOf('MessagePage', Message, 'messages'), 'A page.', ['Link']) },
  },
})

export const getMessageRoute = describeItemRoute({
  method: 'GET',
  url: '/webhook-messages/:id',
  right: 'read',
  id: messageId,
  operation: {
    operationId: 'getMessage',
    tag,
    summary: 'Show a message',
    description: 'With its attempts and what the receiver answered.',
    responses: { 200: jsonResponse(MessageDetails, 'The message.') },
    problems: [404],
  },
})

export const resendRoute = describeItemRoute({
  method: 'POST',
  url: '/webhook-messages/:id/resend',
  right: 'change',
  id: messageId,
  operation: {
    operationId: 'resendMessage',
    tag,
    summary: 'Deliver a message again',
    description: 'With the same id and a new schedule.',
    responses: { 200: jsonResponse(MessageName, 'The message.') },
    problems: [404],
  },
})
