import { developerRoles, roleRights } from '../developer-keys/roles.ts'
import { createdResponse, jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { instant, nullableInstant, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'

const email = Type.String({ maxLength: 254, description: 'The address with which the developer signs in.' })
const name = Type.String({ maxLength: 1000, description: 'The name of the developer.' })
const role = oneOf(developerRoles, roleRights)

const developer = {
  id: Type.String({ description: 'Identifies the developer, also at other partners.' }),
  ...{ email, name, role },
  status: oneOf(['active', 'disabled'], 'A disabled developer cannot sign in.'),
  has_password: Type.Boolean({ description: 'Whether the developer has a password.' }),
  providers: Type.Array(Type.String(), {
    description: 'Identity providers through which the developer has signed in.',
  }),
  created_at: instant('When the account was added.'),
  last_login_at: nullableInstant('When the developer last signed in. Null: never.'),
  link_expires_at: nullableInstant('Until when a link to set up the account works. Null: there is none.'),
}

const Developer = Type.Object(developer, {
  $id: 'Developer',
  description: 'A person who works on the application of a partner.',
})

const DeveloperList = Type.Object(
  { data: Type.Array(Developer, { description: 'The developers.' }) },
  { $id: 'DeveloperList', description: 'The developers of a partner.' },
)

const DeveloperWithLink = Type.Object(
  {
    ...developer,
    setup_url: Type.Optional(
      Type.String({
        description:
          'With the link, the developer sets a password and a second factor. It works once, and is shown only this once. It is mailed too, if the server sends mails. Absent: the account is set up already.',
      }),
    ),
  },
  { $id: 'DeveloperWithLink', description: 'A developer, with a link to set up the account.' },
)

const ofPartner = { client_id: Type.String({ description: 'The `client_id` of a partner.' }) }
const params = Type.Object(ofPartner)
const ofDeveloper = Type.Object({
  ...ofPartner,
  id: Type.String({ description: 'The `id` of a developer, or the address.' }),
})
const tag = 'Partners' as const
const url = '/partners/:client_id/developers'

export const listDevelopersRoute = describeRoute({
  method: 'GET',
  url,
  scope: 'partners:read',
  schema: { params },
  operation: {
    operationId: 'listDevelopers',
    tag,
    summary: 'List the developers of a partner',
    description: 'The people who use the developer pages of a partner.',
    responses: { 200: jsonResponse(DeveloperList, 'The developers.') },
    problems: [404],
  },
})

export const inviteDeveloperRoute = describeRoute({
  method: 'POST',
  url,
  scope: 'partners:write',
  schema: {
    params,
    body: closed({ email, name, role }, { $id: 'NewDeveloper', description: 'Whom to invite.' }),
  },
  creates: true,
  operation: {
    operationId: 'inviteDeveloper',
    tag,
    summary: 'Invite a developer',
    description:
      'Someone who has an account keeps it, with its name, and works for this partner too. A developer of this partner keeps the role and gets a new link, unless the account is set up.',
    responses: { 201: createdResponse(DeveloperWithLink, 'The developer.') },
    problems: [404],
  },
})

export const changeDeveloperRoute = describeRoute({
  method: 'PATCH',
  url: `${url}/:id`,
  scope: 'partners:write',
  schema: {
    params: ofDeveloper,
    body: closed({ role }, { $id: 'DeveloperChanges', description: 'What to change.' }),
  },
  operation: {
    operationId: 'changeDeveloper',
    tag,
    summary: 'Change the role of a developer',
    description: 'The role applies with the next request of the developer.',
    responses: { 200: jsonResponse(Developer, 'The developer.') },
    problems: [404],
  },
})

export const removeDeveloperRoute = describeRoute({
  method: 'DELETE',
  url: `${url}/:id`,
  scope: 'partners:write',
  schema: { params: ofDeveloper },
  operation: {
    operationId: 'removeDeveloper',
    tag,
    summary: 'Remove a developer from a partner',
    description: 'The developer loses access with the next request. The account and other partners stay.',
    responses: { 200: jsonResponse(Developer, 'The developer who was removed.') },
    problems: [404],
  },
})
