import { createdResponse, jsonResponse } from '../management/operation.ts'
import { closed, pageOf, pageQuery } from '../management/page.ts'
import { NewKeys, NewSecret, pictureLimit } from '../management/partner-fields.ts'
import { oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'
import { Consequences, NewPartner, Partner, PartnerChanges, PartnerWithSecret } from './partners.schemas.ts'

const params = Type.Object({ client_id: Type.String({ description: 'The `client_id` of a partner.' }) })
const tag = 'Partners' as const

export const listPartnersRoute = describeRoute({
  method: 'GET',
  url: '/partners',
  scope: 'partners:read',
  schema: {
    querystring: closed({
      ...pageQuery,
      status: Type.Optional(oneOf(['active', 'suspended'], 'Only partners with this status.')),
    }),
  },
  operation: {
    operationId: 'listPartners',
    tag,
    summary: 'List the partners',
    description: 'Partners in the order of their client ids.',
    responses: { 200: jsonResponse(pageOf('PartnerPage', Partner, 'partners'), 'A page.', ['Link']) },
  },
})

export const getPartnerRoute = describeRoute({
  method: 'GET',
  url: '/partners/:client_id',
  scope: 'partners:read',
  schema: { params },
  operation: {
    operationId: 'getPartner',
    tag,
    summary: 'Show a partner',
    description: 'All settings of a partner. Never its secrets.',
    responses: { 200: jsonResponse(Partner, 'The partner.') },
    problems: [404],
  },
})

export const createPartnerRoute = describeRoute({
  method: 'POST',
  url: '/partners',
  scope: 'partners:write',
  schema: { body: NewPartner },
  creates: true,
  bodyLimit: pictureLimit,
  operation: {
    operationId: 'createPartner',
    tag,
    summary: 'Register a partner',
    description: 'The secret is shown only this once: the database has its SHA-256 alone.',
    responses: { 201: createdResponse(PartnerWithSecret, 'The new partner.') },
    problems: [409],
  },
})

export const updatePartnerRoute = describeRoute({
  method: 'PATCH',
  url: '/partners/:client_id',
  scope: 'partners:write',
  schema: { params, body: PartnerChanges },
  bodyLimit: pictureLimit,
  operation: {
    operationId: 'updatePartner',
    tag,
    summary: 'Change a partner',
    description:
      'Changes what the body names. If new authentication methods need a secret and the partner has none, the answer has a new one; secrets and keys that they do not need are deleted.',
    responses: { 200: jsonResponse(PartnerWithSecret, 'The changed partner.') },
    problems: [404, 409],
  },
})

const statusRoute = (verb: 'suspend' | 'resume', summary: string, description: string) =>
  describeRoute({
    method: 'POST',
    url: `/partners/:client_id/${verb}`,
    scope: 'partners:write',
    schema: { params },
    operation: {
      operationId: `${verb}Partner`,
      tag,
      summary,
      description,
      responses: { 200: jsonResponse(Partner, 'The partner.') },
      problems: [404],
    },
  })

export const suspendPartnerRoute = statusRoute(
  'suspend',
  'Suspend a partner',
  'All its requests are refused until it is resumed. It keeps its grants and tokens.',
)

export const resumePartnerRoute = statusRoute(
  'resume',
  'End a suspension',
  'Tokens that are still valid work again.',
)

export const rotateSecretRoute = describeRoute({
  method: 'POST',
  url: '/partners/:client_id/secrets',
  scope: 'partners:write',
  schema: {
    params,
    body: NewSecret,
  },
  creates: true,
  operation: {
    operationId: 'rotatePartnerSecret',
    tag,
    summary: 'Give a partner a new secret',
    description: 'The previous secret stays live until the next rotation.',
    responses: { 201: createdResponse(PartnerWithSecret, 'The partner with its new secret.') },
    problems: [404, 409],
  },
})

export const endOldSecretsRoute = describeRoute({
  method: 'DELETE',
  url: '/partners/:client_id/secrets/old',
  scope: 'partners:write',
  schema: { params },
  operation: {
    operationId: 'endOldPartnerSecrets',
    tag,
    summary: 'End the old secret of a partner',
    description: 'After a rotation: from the next request on, only the newest secret is accepted.',
    responses: { 200: jsonResponse(Partner, 'The partner.') },
    problems: [404, 409],
  },
})

export const replaceKeysRoute = describeRoute({
  method: 'PUT',
  url: '/partners/:client_id/keys',
  scope: 'partners:write',
  schema: { params, body: NewKeys },
  operation: {
    operationId: 'replacePartnerKeys',
    tag,
    summary: 'Replace the public keys of a partner',
    description: 'For a partner that authenticates with `private_key_jwt`. All keys are replaced at once.',
    responses: { 200: jsonResponse(Partner, 'The partner.') },
    problems: [404],
  },
})

export const deletionRoute = describeRoute({
  method: 'GET',
  url: '/partners/:client_id/deletion',
  scope: 'partners:read',
  schema: { params },
  operation: {
    operationId: 'previewPartnerDeletion',
    tag,
    summary: 'See what a deletion would end',
    description: 'Changes nothing. `deletePartner` needs `connected_users` of this answer.',
    responses: { 200: jsonResponse(Consequences, 'What would end.') },
    problems: [404],
  },
})

export const deletePartnerRoute = describeRoute({
  method: 'DELETE',
  url: '/partners/:client_id',
  scope: 'partners:write',
  schema: {
    params,
    querystring: closed({
      connected_users: Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'The number that `previewPartnerDeletion` has shown.',
      }),
    }),
  },
  operation: {
    operationId: 'deletePartner',
    tag,
    summary: 'Delete a partner for good',
    description:
      'Also deletes its grants and connections. The audit log keeps its settings, and who was connected. If the number of connected users is another one now, nothing is deleted, and the answer is 409. `suspendPartner` can be undone.',
    responses: { 200: jsonResponse(Consequences, 'What has ended.') },
    problems: [404, 409],
  },
})
