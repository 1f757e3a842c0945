import { requirableAcrs } from '../acr.ts'
import { longestLifetimeDays } from '../grants/lifetime-days.ts'
import { type LimitName, limitNames } from '../limit-settings.ts'
import type { ProfileChanges } from '../partners/profile.ts'
import Type from '../typebox.ts'
import { closed } from './page.ts'
import { instant, nullableText, oneOf } from './schemas.ts'

// The fields of partners, as the admin API and the developer API have them.

const uris = (description: string) => Type.Array(Type.String({ maxLength: 1000 }), { description })

const authMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
/** The algorithms that can sign the id_tokens of a partner. */
export const idTokenAlgorithms = ['RS256', 'ES256']

/** Characters of a picture in base64: 64 kB. */
const maxPicture = 90_000

/** Bytes of a body that may have a picture. */
export const pictureLimit = maxPicture + 64 * 1024

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

/** Settings that a request can set. `jwks` is checked by the use case. */
export const partnerSettings = {
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

/** Settings that a request can also remove, with null. */
export const removableSettings = {
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

/** The limits of a partner. `types` are the JSON types of each. */
export const limitFields = (types: string | string[], description: string) =>
  Type.Unsafe<{ [Name in LimitName]?: number }>({
    ...closed(Object.fromEntries(limitNames.map(limitOf(types)))),
    description,
  })

/** The fields of a partner in an answer. */
export const partnerFields = {
  client_id: Type.String({ description: 'Identifies the partner. It never changes.' }),
  name: partnerSettings.name,
  status: oneOf(['active', 'suspended'], 'All requests of a suspended partner are refused.'),
  redirect_uris: partnerSettings.redirect_uris,
  require_pkce: partnerSettings.require_pkce,
  auth_methods: partnerSettings.auth_methods,
  key_ids: Type.Array(Type.String(), { description: 'The `kid` of each of its public keys.' }),
  id_token_alg: oneOf(idTokenAlgorithms, 'What signs its id_tokens.'),
  id_token_on_refresh: partnerSettings.id_token_on_refresh,
  post_logout_redirect_uris: partnerSettings.post_logout_redirect_uris,
  site: nullableText('The address of its public web site.'),
  logo: nullableText('The file name of its logo.'),
  privacy_url: nullableText('The address of its privacy policy.'),
  description: nullableText('One sentence for users.'),
  limits: limitFields('integer', 'Limits. An absent one is that of the deployment.'),
  grant_lifetime_days: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: "Days for which a user's consent is valid. Null: the default of the deployment.",
  }),
  require_acr: nullableText('The weakest login with which users may connect. Null: any.'),
  created_at: instant('When the partner was registered.'),
  live_secrets: Type.Integer({ description: 'How many client secrets are accepted now: up to two.' }),
}

/** The body that replaces the public keys. */
export const NewKeys = closed(
  { jwks: partnerSettings.jwks },
  { $id: 'NewKeys', description: 'The public keys of a partner.' },
)

/** The body that adds a client secret. */
export const NewSecret = closed(
  {
    end_others: Type.Optional(
      Type.Boolean({
        description: 'Ends all other secrets at once, after a leak. Default: the newest stays live.',
      }),
    ),
  },
  { $id: 'NewSecret', description: 'How the secret changes.' },
)

/** The profile in a body, as the use cases take it. */
export function profileOf(body: {
  site?: string | null
  logo?: string | null
  privacy_url?: string | null
  description?: string | null
}): ProfileChanges {
  const { site, logo, privacy_url: privacyUrl, description } = body
  return {
    site,
    privacyUrl,
    description,
    logo: typeof logo === 'string' ? Buffer.from(logo, 'base64') : logo,
  }
}
