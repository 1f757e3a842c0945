import { developerRoles, roleRights } from '../developer-keys/roles.ts'
import { longestKeyDays } from '../management/key-rules.ts'
import { createdResponse, jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { instant, nullableInstant, nullableText, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './developer-edge.ts'

const tag = 'Developers'

const role = oneOf(developerRoles, roleRights)
const name = 'The program that uses the key.'

const key = {
  id: Type.String({ description: 'Identifies the key. It is not secret.' }),
  name: Type.String({ description: name }),
  role,
  created_at: instant('When the key was created.'),
  created_by: Type.Object(
    {
      kind: oneOf(
        ['developer', 'developer_key', 'operator'],
        'A developer, a program with another key, or the operator.',
      ),
      name: nullableText('The name of the developer or key at that time. Null: the operator.'),
    },
    { description: 'Who created it.' },
  ),
  expires_at: nullableInstant('When the key expires. Null: it does not.'),
  last_used_at: nullableInstant('When the key was last used, to the minute. Null: never.'),
  revoked_at: nullableInstant('When the key was revoked. Null: it was not.'),
  state: oneOf(['live', 'expired', 'revoked'], 'Only a live key is accepted.'),
}

const DeveloperKey = Type.Object(key, { $id: 'DeveloperKey', description: 'A key of the developer API.' })

const NewDeveloperKey = closed(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: name }),
    role,
    expires_in_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: longestKeyDays,
        description:
          'Days until the key expires, but no later than the key of this request. Absent: it does not expire.',
      }),
    ),
  },
  { $id: 'NewDeveloperKey', description: 'A key to create.' },
)

const CreatedDeveloperKey = Type.Object(
  {
    ...key,
    developer_key: Type.Optional(
      Type.String({ description: 'The key. It is shown only this once, and not to a repeated request.' }),
    ),
  },
  { $id: 'CreatedDeveloperKey', description: 'A new key.' },
)

const DeveloperKeyList = Type.Object(
  { data: Type.Array(DeveloperKey, { description: 'The keys, oldest first.' }) },
  { $id: 'DeveloperKeyList', description: 'All developer keys of the application.' },
)

export const listKeysRoute = describeRoute({
  method: 'GET',
  url: '/keys',
  role: 'viewer',
  operation: {
    operationId: 'listDeveloperKeys',
    tag,
    summary: 'List the developer keys',
    description: 'All keys, also expired and revoked ones. Never the keys themselves.',
    responses: { 200: jsonResponse(DeveloperKeyList, 'The keys.') },
  },
})

export const createKeyRoute = describeRoute({
  method: 'POST',
  url: '/keys',
  role: 'admin',
  schema: { body: NewDeveloperKey },
  creates: true,
  operation: {
    operationId: 'createDeveloperKey',
    tag,
    summary: 'Create a developer key',
    description: 'The key is shown only this once: the database has its SHA-256 alone.',
    responses: { 201: createdResponse(CreatedDeveloperKey, 'The new key.') },
  },
})

export const revokeKeyRoute = describeRoute({
  method: 'DELETE',
  url: '/keys/:id',
  role: 'admin',
  schema: { params: Type.Object({ id: Type.String({ description: 'The `id` of a key.' }) }) },
  operation: {
    operationId: 'revokeDeveloperKey',
    tag,
    summary: 'Revoke a developer key',
    description: 'From the next request on, the key is refused. It stays in the list.',
    responses: { 200: jsonResponse(DeveloperKey, 'The revoked key.') },
    problems: [404],
  },
})
