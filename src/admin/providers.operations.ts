import { jsonResponse } from '../management/operation.ts'
import { count, instant, nullableInstant, nullableText, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'

const Provider = Type.Object(
  {
    id: Type.String({ description: 'A short name, as in its addresses.' }),
    name: Type.String({ description: 'The name that users see.' }),
    issuer: Type.String({ description: 'Its issuer.' }),
    client_id: Type.String({ description: 'The client id that the provider has given.' }),
    auth_method: oneOf(
      ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt'],
      'How this server authenticates there.',
    ),
    claim: Type.String({ description: 'The claim by which a first login finds the user.' }),
    matches: oneOf(['email', 'id'], 'The property of the user that must equal the claim.'),
    domains: Type.Array(Type.String(), {
      description: 'The email domains of its users. Empty: a button for all users.',
    }),
    firms: Type.Array(Type.String(), { description: 'The firms of its users. Empty: all.' }),
    creates_firm: nullableText('The firm of users whom a first login creates. Null: it creates none.'),
    creates_role: nullableText('The role of users whom a first login creates.'),
    scope: Type.String({ description: 'The scope of its authorization requests.' }),
    acr_values: nullableText('The login that is requested there. Null: any.'),
    created_at: instant('When the provider was added.'),
    linked_users: count('Users who have logged in through it, or were linked.'),
    live_sessions: count('Live sessions of its users.'),
    last_login_at: nullableInstant('The last login through it. Null: none.'),
  },
  { $id: 'Provider', description: 'An identity provider at which users log in.' },
)

const ProviderList = Type.Object(
  { data: Type.Array(Provider, { description: 'The providers.' }) },
  { $id: 'ProviderList', description: 'All identity providers.' },
)

const ProviderTest = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether all checks have passed.' }),
    checks: Type.Array(
      Type.Object(
        {
          check: Type.String({ description: 'What was checked.' }),
          ok: Type.Boolean({ description: 'Whether it is as it must be.' }),
          detail: Type.String({ description: 'What was found, and what to do.' }),
        },
        { $id: 'ProviderCheck', description: 'One check of a provider.' },
      ),
      { description: 'The checks, in order. After a fault there may be fewer.' },
    ),
  },
  { $id: 'ProviderTest', description: 'What the test of a provider has found.' },
)

const params = Type.Object({ id: Type.String({ description: 'The `id` of a provider.' }) })
const tag = 'Providers' as const

export const listProvidersRoute = describeRoute({
  method: 'GET',
  url: '/providers',
  scope: 'settings:read',
  operation: {
    operationId: 'listProviders',
    tag,
    summary: 'List the identity providers',
    description: 'Never their credentials.',
    responses: { 200: jsonResponse(ProviderList, 'The providers.') },
  },
})

export const getProviderRoute = describeRoute({
  method: 'GET',
  url: '/providers/:id',
  scope: 'settings:read',
  schema: { params },
  operation: {
    operationId: 'getProvider',
    tag,
    summary: 'Show an identity provider',
    description: 'Never its credential.',
    responses: { 200: jsonResponse(Provider, 'The provider.') },
    problems: [404],
  },
})

export const testProviderRoute = describeRoute({
  method: 'POST',
  url: '/providers/:id/test',
  scope: 'settings:write',
  schema: { params },
  operation: {
    operationId: 'testProvider',
    tag,
    summary: 'Test an identity provider',
    description:
      'Checks metadata, keys, credential and redirect URI at the provider. Logs no one in and changes nothing.',
    responses: { 200: jsonResponse(ProviderTest, 'What was found.') },
    problems: [404],
  },
})
