import { requirableAcrs } from '../acr.ts'
import { longestLifetimeDays } from '../grants/lifetime-days.ts'
import { type LimitName, limitNames } from '../limit-settings.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'
import { adminCreated, adminJson } from './admin-operation.ts'
import { closed, pageOf, pageQuery } from './page.ts'
import { instant, nullableText, oneOf } from './schemas.ts'

const uris = (description: string) => Type.Array(Type.String({ maxLength: 1000 }), { description })

const authMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
const algorithms = ['RS256', 'ES256']
const maxPicture = 90_000 // characters: 64 kB in base64

const limitOf = (types: string | string[]) => (name: LimitName) => [
  name,
  Type.Optional(
    Type.Unsafe<number>({
      type: types,
      minimum: 1,
      maximum: 1_000_000,
      description: `${name.replaceAll('_', ' ')}.`,
    }),
  ),
]

/** What a request can set. `jwks` is checked by the use case. */
const settings = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'The name that users see.' }),
  redirect_uris: uris('The addresses to which users return. They are matched exactly.'),
  auth_methods: Type.Array(oneOf(authMethods, 'A method.'), {
    description: 'How the partner authenticates. Default: with a secret, in the header or in the body.',
  }),
  jwks: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'For `private_key_jwt`: a JSON Web Key Set with public keys, or one JSON Web Key.',
  }),
  id_token_on_refresh: Type.Boolean({ description: 'Whether each refresh also returns an id_token.' }),
}

const nullable = <T extends string | number>(type: string, rest: object) =>
  Type.Optional(Type.Unsafe<T | null>({ type: [type, 'null'], ...rest }))

/** Null removes the setting. */
const removable = {
  site: nullable<string>('string', { maxLength: 1000, description: 'The address of its public web site.' }),
  logo: nullable<string>('string', {
    maxLength: maxPicture,
    pattern: '^[A-Za-z0-9+/]*={0,2}$',
    contentEncoding: 'base64',
    description: 'A PNG or WebP picture of up to 64 kB, in base64.',
  }),
  privacy_url: nullable<string>('string', {
    maxLength: 1000,
    description: 'The address of its privacy policy.',
  }),
  description: nullable<string>('string', { maxLength: 200, description: 'One sentence for users.' }),
  grant_lifetime_days: nullable<number>('integer', {
    minimum: 1,
    maximum: longestLifetimeDays,
    description: "Days for which a user's consent is valid. Null: the default of the deployment.",
  }),
  require_acr: nullable<string>('string', {
    enum: [...requirableAcrs, null],
    description: 'The weakest login with which users may connect. Null: any.',
  }),
}

const limits = (types: string | string[], description: string) =>
  Type.Unsafe<{ [Name in LimitName]?: number }>({
    ...closed(Object.fromEntries(limitNames.map(limitOf(types)))),
    description,
  })

const NewPartner = closed(
  {
    name: settings.name,
    redirect_uris: settings.redirect_uris,
    client_id: Type.Optional(
      Type.String({
        description: 'Takes over a partner of another service, which keeps its client_id. Absent: a new one.',
      }),
    ),
    secret_hash: Type.Optional(
      Type.String({
        pattern: '^.{1,200}$',
        description:
          'With `client_id`, the partner keeps its secret: `sha256:` and the SHA-256 of the secret in hexadecimal. The secret must have at least 22 characters. Absent: it gets a new one.',
      }),
    ),
    require_pkce: Type.Optional(
      Type.Boolean({ description: 'Whether authorization requests without PKCE are refused.' }),
    ),
    auth_methods: Type.Optional(settings.auth_methods),
    jwks: Type.Optional(settings.jwks),
    id_token_alg: Type.Optional(oneOf(algorithms, 'What signs its id_tokens. Default: RS256.')),
    id_token_on_refresh: Type.Optional(settings.id_token_on_refresh),
    post_logout_redirect_uris: Type.Optional(uris('Addresses to which users may return after logout.')),
    limits: Type.Optional(limits('integer', 'Limits. An absent one is that of the deployment.')),
    ...removable,
  },
  { $id: 'NewPartner', description: 'A partner to register.' },
)

const PartnerChanges = closed(
  {
    name: Type.Optional(settings.name),
    redirect_uris: Type.Optional(settings.redirect_uris),
    auth_methods: Type.Optional(settings.auth_methods),
    jwks: Type.Optional(settings.jwks),
    id_token_on_refresh: Type.Optional(settings.id_token_on_refresh),
    limits: Type.Optional(limits(['integer', 'null'], 'Limits to change. Null removes one.')),
    ...removable,
  },
  { $id: 'PartnerChanges', description: 'Settings to change. An absent one stays as it is.' },
)

const partner = {
  client_id: Type.String({ description: 'Identifies the partner. It never changes.' }),
  name: settings.name,
  status: oneOf(['active', 'suspended'], 'All requests of a suspended partner are refused.'),
  redirect_uris: settings.redirect_uris,
  require_pkce: Type.Boolean({ description: 'Whether authorization requests without PKCE are refused.' }),
  auth_methods: settings.auth_methods,
  key_ids: Type.Array(Type.String(), { description: 'The `kid` of each of its public keys.' }),
  id_token_alg: oneOf(algorithms, 'What signs its id_tokens.'),
  id_token_on_refresh: settings.id_token_on_refresh,
  post_logout_redirect_uris: uris('Addresses to which users may return after logout.'),
  site: nullableText('The address of its public web site.'),
  logo: nullableText('The file name of its logo.'),
  privacy_url: nullableText('The address of its privacy policy.'),
  description: nullableText('One sentence for users.'),
  limits: limits('integer', 'Limits. An absent one is that of the deployment.'),
  grant_lifetime_days: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: "Days for which a user's consent is valid. Null: the default of the deployment.",
  }),
  require_acr: nullableText('The weakest login with which users may connect. Null: any.'),
  created_at: instant('When the partner was registered.'),
  live_secrets: Type.Integer({ description: 'How many client secrets are accepted now: up to two.' }),
}

const Partner = Type.Object(partner, { $id: 'Partner', description: 'A partner application.' })

const PartnerWithSecret = Type.Object(
  {
    ...partner,
    client_secret: Type.Optional(
      Type.String({
        description: 'A new secret. It is shown only this once, and not to a repeated request.',
      }),
    ),
  },
  { $id: 'PartnerWithSecret', description: 'A partner, with its secret if it has just got one.' },
)

const Consequences = Type.Object(
  {
    client_id: partner.client_id,
    name: settings.name,
    connected_users: Type.Integer({ description: 'Users whose consent a deletion ends.' }),
    connections: Type.Integer({ description: 'Their connections, each with its tokens.' }),
  },
  { $id: 'PartnerDeletion', description: 'What the deletion of a partner ends.' },
)

const params = Type.Object({ client_id: Type.String({ description: 'The `client_id` of a partner.' }) })
const tag = 'Partners' as const
const pictureLimit = maxPicture + 64 * 1024

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
    responses: { 200: adminJson(pageOf('PartnerPage', Partner, 'partners'), 'A page.', ['Link']) },
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
    responses: { 200: adminJson(Partner, 'The partner.') },
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
    responses: { 201: adminCreated(PartnerWithSecret, 'The new partner.') },
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
    responses: { 200: adminJson(PartnerWithSecret, 'The changed partner.') },
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
      responses: { 200: adminJson(Partner, 'The partner.') },
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
    body: closed(
      {
        end_others: Type.Optional(
          Type.Boolean({
            description: 'Ends all other secrets at once, after a leak. Default: the newest stays live.',
          }),
        ),
      },
      { $id: 'NewSecret', description: 'How the secret changes.' },
    ),
  },
  creates: true,
  operation: {
    operationId: 'rotatePartnerSecret',
    tag,
    summary: 'Give a partner a new secret',
    description: 'The previous secret stays live until the next rotation.',
    responses: { 201: adminCreated(PartnerWithSecret, 'The partner with its new secret.') },
    problems: [404, 409],
  },
})

export const replaceKeysRoute = describeRoute({
  method: 'PUT',
  url: '/partners/:client_id/keys',
  scope: 'partners:write',
  schema: {
    params,
    body: closed({ jwks: settings.jwks }, { $id: 'NewKeys', description: 'The public keys of a partner.' }),
  },
  operation: {
    operationId: 'replacePartnerKeys',
    tag,
    summary: 'Replace the public keys of a partner',
    description: 'For a partner that authenticates with `private_key_jwt`. All keys are replaced at once.',
    responses: { 200: adminJson(Partner, 'The partner.') },
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
    responses: { 200: adminJson(Consequences, 'What would end.') },
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
    responses: { 200: adminJson(Consequences, 'What has ended.') },
    problems: [404, 409],
  },
})
