import { developerRoles, roleRights } from '../developer-keys/roles.ts'
import { createdResponse, jsonResponse, noContent } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { instant, nullableInstant, nullableText, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './developer-edge.ts'

const tag = 'Developers'

const role = oneOf(developerRoles, roleRights)
const email = Type.String({ maxLength: 254, description: 'The address with which the developer signs in.' })

const Developer = Type.Object(
  {
    id: Type.String({ description: 'Identifies the developer.' }),
    email,
    name: nullableText('The name. Null: the developer has not opened the application yet.'),
    role,
    status: oneOf(
      ['invited', 'active', 'disabled'],
      '`invited`: has not opened the application yet. `disabled`: the operator has disabled the account.',
    ),
    invited_at: instant('When the developer was invited.'),
    last_seen_at: nullableInstant('When the developer last opened the application. Null: never.'),
  },
  { $id: 'Developer', description: 'A person who works on the application.' },
)

const NewDeveloper = closed(
  { email, name: Type.String({ maxLength: 1000, description: 'The name of the developer.' }), role },
  { $id: 'NewDeveloper', description: 'Whom to invite.' },
)

const params = Type.Object({ id: Type.String({ description: 'The `id` of a developer.' }) })

export const listDevelopersRoute = describeRoute({
  method: 'GET',
  url: '/developers',
  role: 'admin',
  operation: {
    operationId: 'listDevelopers',
    tag,
    summary: 'List the developers',
    description: 'The people who use the developer pages of the application.',
    responses: {
      200: jsonResponse(
        Type.Object(
          { data: Type.Array(Developer, { description: 'In the order of their addresses.' }) },
          { $id: 'DeveloperList', description: 'The developers of the application.' },
        ),
        'The developers.',
      ),
    },
  },
})

export const inviteDeveloperRoute = describeRoute({
  method: 'POST',
  url: '/developers',
  role: 'admin',
  schema: { body: NewDeveloper },
  creates: true,
  operation: {
    operationId: 'inviteDeveloper',
    tag,
    summary: 'Invite a developer',
    description: 'By mail. The answer does not say whether the address has an account already.',
    responses: { 201: createdResponse(Developer, 'The developer.') },
  },
})

export const changeDeveloperRoute = describeRoute({
  method: 'PATCH',
  url: '/developers/:id',
  role: 'admin',
  schema: {
    params,
    body: closed({ role }, { $id: 'DeveloperChanges', description: 'What to change.' }),
  },
  operation: {
    operationId: 'changeDeveloper',
    tag,
    summary: 'Change the role of a developer',
    description: 'It applies with the next request of the developer.',
    responses: { 200: jsonResponse(Developer, 'The developer.') },
    problems: [404, 409],
  },
})

export const removeDeveloperRoute = describeRoute({
  method: 'DELETE',
  url: '/developers/:id',
  role: 'admin',
  schema: { params },
  operation: {
    operationId: 'removeDeveloper',
    tag,
    summary: 'Remove a developer',
    description:
      'The developer loses access with the next request. Keys that the developer made stay: revoke them.',
    responses: { 204: noContent },
    problems: [404, 409],
  },
})
