import { createdResponse, jsonResponse, noContent } from '../management/operation.ts'
import { closed, pageOf, pageQuery } from '../management/page.ts'
import { oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { messageStates } from '../webhooks/messages.sql.ts'
import { describeRoute } from './developer-edge.ts'
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
const params = Type.Object({ id: Type.String({ description: 'The `id` of an endpoint.' }) })
const messageParams = Type.Object({ id: Type.String({ description: 'The `id` of a message.' }) })

export const listEndpointsRoute = describeRoute({
  method: 'GET',
  url: '/webhooks',
  role: 'viewer',
  operation: {
    operationId: 'listEndpoints',
    tag,
    summary: 'List the endpoints',
    description: 'Oldest first. Never their secrets.',
    responses: {
      200: jsonResponse(
        Type.Object(
          { data: Type.Array(Endpoint, { description: 'The endpoints.' }) },
          { $id: 'EndpointList', description: 'All endpoints of the application.' },
        ),
        'The endpoints.',
      ),
    },
  },
})

export const addEndpointRoute = describeRoute({
  method: 'POST',
  url: '/webhooks',
  role: 'developer',
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

export const getEndpointRoute = describeRoute({
  method: 'GET',
  url: '/webhooks/:id',
  role: 'viewer',
  schema: { params },
  operation: {
    operationId: 'getEndpoint',
    tag,
    summary: 'Show an endpoint',
    description: 'With what signs its deliveries. Never the secrets.',
    responses: { 200: jsonResponse(Endpoint, 'The endpoint.') },
    problems: [404],
  },
})

export const updateEndpointRoute = describeRoute({
  method: 'PATCH',
  url: '/webhooks/:id',
  role: 'developer',
  schema: { params, body: EndpointChanges },
  operation: {
    operationId: 'updateEndpoint',
    tag,
    summary: 'Change an endpoint',
    description: 'Changes what the body names. Messages that wait go to the new address.',
    responses: { 200: jsonResponse(Endpoint, 'The changed endpoint.') },
    problems: [404],
  },
})

export const removeEndpointRoute = describeRoute({
  method: 'DELETE',
  url: '/webhooks/:id',
  role: 'developer',
  schema: { params },
  operation: {
    operationId: 'removeEndpoint',
    tag,
    summary: 'Remove an endpoint',
    description: 'Its messages are deleted, also those that wait.',
    responses: { 204: noContent },
    problems: [404],
  },
})

export const rotateWebhookSecretRoute = describeRoute({
  method: 'POST',
  url: '/webhooks/:id/secrets',
  role: 'developer',
  schema: { params, body: NewWebhookSecret },
  creates: true,
  operation: {
    operationId: 'rotateWebhookSecret',
    tag,
    summary: 'Get a new signing secret',
    description: 'For a day, both secrets sign each delivery, so that you can change over without a gap.',
    responses: { 201: createdResponse(EndpointWithSecret, 'The endpoint with its new secret.') },
    problems: [404],
  },
})

const switching = (verb: 'enable' | 'disable', summary: string, description: string) =>
  describeRoute({
    method: 'POST',
    url: `/webhooks/:id/${verb}`,
    role: 'developer',
    schema: { params },
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
  'Messages wait until you enable it, for 30 days at most.',
)

export const testEndpointRoute = describeRoute({
  method: 'POST',
  url: '/webhooks/:id/test',
  role: 'developer',
  schema: { params },
  operation: {
    operationId: 'testEndpoint',
    tag,
    summary: 'Send a test event',
    description: 'An event `webhook.test`, delivered like every other event.',
    responses: { 200: jsonResponse(MessageName, 'The message. Read it to see the answer of your receiver.') },
    problems: [404, 409],
  },
})

export const replayRoute = describeRoute({
  method: 'POST',
  url: '/webhooks/:id/replay',
  role: 'developer',
  schema: { params, body: Replay },
  operation: {
    operationId: 'replayMessages',
    tag,
    summary: 'Deliver past messages again',
    description: 'After a fault of your receiver: in their order, with the same ids.',
    responses: { 200: jsonResponse(Replayed, 'How many messages.') },
    problems: [404],
  },
})

export const listMessagesRoute = describeRoute({
  method: 'GET',
  url: '/webhook-messages',
  role: 'viewer',
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

export const getMessageRoute = describeRoute({
  method: 'GET',
  url: '/webhook-messages/:id',
  role: 'viewer',
  schema: { params: messageParams },
  operation: {
    operationId: 'getMessage',
    tag,
    summary: 'Show a message',
    description: 'With its attempts and what your receiver answered.',
    responses: { 200: jsonResponse(MessageDetails, 'The message.') },
    problems: [404],
  },
})

export const resendRoute = describeRoute({
  method: 'POST',
  url: '/webhook-messages/:id/resend',
  role: 'developer',
  schema: { params: messageParams },
  operation: {
    operationId: 'resendMessage',
    tag,
    summary: 'Deliver a message again',
    description: 'With the same id and a new schedule.',
    responses: { 200: jsonResponse(MessageName, 'The message.') },
    problems: [404],
  },
})
