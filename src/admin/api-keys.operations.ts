import { longestKeyDays } from '../management/key-rules.ts'
import { createdResponse, jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { instant, nullableInstant } from '../management/schemas.ts'
import { type Scope, scopes } from '../operators/scopes.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'

const ScopeName = Type.Unsafe<Scope>({ type: 'string', enum: [...scopes] })

const key = {
  id: Type.String({ description: 'Identifies the key, also in the audit log. It is not secret.' }),
  name: Type.String({ description: 'The program that uses the key.' }),
  scopes: Type.Array(ScopeName, { description: 'What the key may do.' }),
  created_at: instant('When the key was created.'),
  expires_at: nullableInstant('When the key expires. Null: it does not.'),
  last_used_at: nullableInstant('When the key was last used, to the minute. Null: never.'),
  revoked_at: nullableInstant('When the key was revoked. Null: it was not.'),
  state: Type.Unsafe<string>({
    type: 'string',
    enum: ['live', 'expired', 'revoked'],
    description: 'Only a live key is accepted.',
  }),
}

const ApiKey = Type.Object(key, { $id: 'ApiKey', description: 'A key of the admin API.' })

const NewApiKey = closed(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'The program that uses the key.' }),
    scopes: Type.Array(ScopeName, {
      minItems: 1,
      description: 'What the key may do. Only scopes that the key of this request has itself.',
    }),
    expires_in_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: longestKeyDays,
        description: 'Days until the key expires. Absent: it does not expire.',
      }),
    ),
  },
  { $id: 'NewApiKey', description: 'A key to create.' },
)

const CreatedApiKey = Type.Object(
  {
    ...key,
    api_key: Type.Optional(
      Type.String({ description: 'The key. It is shown only this once, and not to a repeated request.' }),
    ),
  },
  { $id: 'CreatedApiKey', description: 'A new key.' },
)

const ApiKeyList = Type.Object(
  { data: Type.Array(ApiKey, { description: 'The keys, oldest first.' }) },
  { $id: 'ApiKeyList', description: 'All API keys.' },
)

export const listKeys = describeRoute({
  method: 'GET',
  url: '/api-keys',
  scope: 'operators:read',
  operation: {
    operationId: 'listApiKeys',
    tag: 'Operators',
    summary: 'List the API keys',
    description: 'All keys, also expired and revoked ones. Never the keys themselves.',
    responses: { 200: jsonResponse(ApiKeyList, 'The keys.') },
  },
})

export const createKey = describeRoute({
  method: 'POST',
  url: '/api-keys',
  scope: 'operators:write',
  schema: { body: NewApiKey },
  creates: true,
  operation: {
    operationId: 'createApiKey',
    tag: 'Operators',
    summary: 'Create an API key',
    description: 'The key is shown only this once: the database has its SHA-256 alone.',
    responses: { 201: createdResponse(CreatedApiKey, 'The new key.') },
  },
})

export const revokeKey = describeRoute({
  method: 'DELETE',
  url: '/api-keys/:id',
  scope: 'operators:write',
  schema: { params: Type.Object({ id: Type.String({ description: 'The `id` of a key.' }) }) },
  operation: {
    operationId: 'revokeApiKey',
    tag: 'Operators',
    summary: 'Revoke an API key',
    description: 'From the next request on, the key is refused. It stays in the list.',
    responses: { 200: jsonResponse(ApiKey, 'The revoked key.') },
    problems: [404],
  },
})
