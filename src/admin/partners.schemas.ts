import { requirableAcrs } from '../acr.ts'
import { longestLifetimeDays } from '../grants/lifetime-days.ts'
import { type LimitName, limitNames } from '../limit-settings.ts'
import { closed } from '../management/page.ts'
import { instant, nullableText, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'

const uris = (description: string) => Type.Array(Type.String({ maxLength: 1000 }), { description })

const authMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
const algorithms = ['RS256', 'ES256']
/** Characters of a picture in base64: 64 kB. */
export const maxPicture = 90_000

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
  post_logout_redirect_uris: uris('Addresses to which users may return after logout.'),
  require_pkce: Type.Boolean({ description: 'Whether authorization requests without PKCE are refused.' }),
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

export const NewPartner = closed(
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
    require_pkce: Type.Optional(settings.require_pkce),
    auth_methods: Type.Optional(settings.auth_methods),
    jwks: Type.Optional(settings.jwks),
    id_token_alg: Type.Optional(oneOf(algorithms, 'What signs its id_tokens. Default: RS256.')),
    id_token_on_refresh: Type.Optional(settings.id_token_on_refresh),
    post_logout_redirect_uris: Type.Optional(settings.post_logout_redirect_uris),
    limits: Type.Optional(limits('integer', 'Limits. An absent one is that of the deployment.')),
    ...removable,
  },
  { $id: 'NewPartner', description: 'A partner to register.' },
)

export const PartnerChanges = closed(
  {
    name: Type.Optional(settings.name),
    redirect_uris: Type.Optional(settings.redirect_uris),
    post_logout_redirect_uris: Type.Optional(settings.post_logout_redirect_uris),
    require_pkce: Type.Optional(settings.require_pkce),
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
  require_pkce: settings.require_pkce,
  auth_methods: settings.auth_methods,
  key_ids: Type.Array(Type.String(), { description: 'The `kid` of each of its public keys.' }),
  id_token_alg: oneOf(algorithms, 'What signs its id_tokens.'),
  id_token_on_refresh: settings.id_token_on_refresh,
  post_logout_redirect_uris: settings.post_logout_redirect_uris,
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

export const Partner = Type.Object(partner, { $id: 'Partner', description: 'A partner application.' })

export const PartnerWithSecret = Type.Object(
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

export const Consequences = Type.Object(
  {
    client_id: partner.client_id,
    name: settings.name,
    connected_users: Type.Integer({ description: 'Users whose consent a deletion ends.' }),
    connections: Type.Integer({ description: 'Their connections, each with its tokens.' }),
  },
  { $id: 'PartnerDeletion', description: 'What the deletion of a partner ends.' },
)

export const NewKeys = closed(
  { jwks: settings.jwks },
  { $id: 'NewKeys', description: 'The public keys of a partner.' },
)
