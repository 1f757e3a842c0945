import { jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { count } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'
import { NewUser, User } from './users.operations.ts'

const params = Type.Object({ id: Type.String({ description: 'The id of a user, or the email address.' }) })
const tag = 'Users' as const

const { email, name, role } = NewUser.properties

const UserChanges = closed(
  { email: Type.Optional(email), name: Type.Optional(name), role: Type.Optional(role) },
  { $id: 'UserChanges', description: 'What to change. An absent field stays as it is.' },
)

const rows = (description: string) => Type.Array(Type.Unknown(), { description })

const PersonExport = Type.Object(
  {
    user: Type.Unknown({ description: 'The user: address, name, firm, role, status.' }),
    sessions: rows('Live sessions.'),
    identities: rows('Accounts at identity providers.'),
    passkeys: rows('Passkeys: names and times.'),
    account_access: rows('Accounts that the user may see.'),
    grants: rows('Partners that the user has connected, also those that have ended.'),
    audit: rows('Records of the audit log about or by the user, the newest first.'),
    reads: rows('What partners have read for the user, the newest first.'),
    requests: rows('Calls of partners for the user, the newest first.'),
  },
  { $id: 'PersonExport', description: 'Everything that the server has about a user, except secrets.' },
)

const ErasedUser = Type.Object(
  {
    id: Type.String({ description: 'The id that the user had.' }),
    grants: count('Grants that were deleted.'),
    sessions: count('Sessions that were ended.'),
    account_access: count('Rights to accounts that were deleted.'),
  },
  { $id: 'ErasedUser', description: 'What was deleted with the user.' },
)

export const updateUserRoute = describeRoute({
  method: 'PATCH',
  url: '/users/:id',
  // A role decides what the user sees, and mails with links go to the address.
  scope: 'directory:write',
  schema: { params, body: UserChanges },
  operation: {
    operationId: 'updateUser',
    tag,
    summary: 'Change a user',
    description:
      'Changes what the body names. The next import or change of the directory that has other values wins. To change the firm, use `putDirectoryUser`.',
    responses: { 200: jsonResponse(User, 'The changed user.') },
    problems: [404],
  },
})

export const exportUserRoute = describeRoute({
  method: 'POST',
  url: '/users/:id/exports',
  scope: 'users:write',
  schema: { params },
  operation: {
    operationId: 'exportUser',
    tag,
    summary: 'Export the data of a person',
    description:
      'Everything about a user, with up to 100,000 rows of each log. The audit log records the export. For a request for access to personal data.',
    responses: { 200: jsonResponse(PersonExport, 'The data.') },
    problems: [404],
  },
})

export const eraseUserRoute = describeRoute({
  method: 'DELETE',
  url: '/users/:id',
  scope: 'directory:write',
  schema: { params },
  operation: {
    operationId: 'eraseUser',
    tag,
    summary: 'Erase a disabled user',
    description:
      'Deletes the user and all data about the user, except the audit log. The read log keeps a pseudonym. It cannot be undone. An active user is not erased: the answer is 409. Remove the user from the data of the platform first, or the next import adds the user again.',
    responses: { 200: jsonResponse(ErasedUser, 'What was deleted.') },
    problems: [404, 409],
  },
})
