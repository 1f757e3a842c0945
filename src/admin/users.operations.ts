import { createdResponse, jsonResponse } from '../management/operation.ts'
import { closed, pageOf, pageQuery } from '../management/page.ts'
import { count, instant, nullableInstant, nullableText, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'

const listed = {
  id: Type.String({ description: "The platform's id of the user." }),
  email: Type.String({ description: 'The address with which the user logs in.' }),
  name: Type.String({ description: 'The name of the user.' }),
  firm_id: Type.String({ description: 'The firm.' }),
  role: Type.String({ description: 'The role.' }),
  status: oneOf(
    ['active', 'disabled'],
    'A disabled user cannot log in, and partners cannot read for this user.',
  ),
  disabled_by_operator_at: nullableInstant(
    'When an operator disabled the user, which imports do not undo. Null: no operator did.',
  ),
}

const ListedUser = Type.Object(listed, { $id: 'ListedUser', description: 'A user in a list.' })

const facts = {
  ...listed,
  firm_name: Type.String({ description: 'The name of the firm.' }),
  sees: oneOf(['firm', 'granted'], 'What the role sees: all households of the firm, or those with access.'),
  has_password: Type.Boolean({ description: 'Whether the user has a password here.' }),
  sessions: count('Live sessions.'),
  live_grants: count('Partners that the user has connected.'),
  passkeys: count('Passkeys.'),
  has_totp: Type.Boolean({ description: 'Whether the user has an authenticator app.' }),
  recovery_codes: count('Recovery codes that are left.'),
}

export const User = Type.Object(facts, { $id: 'User', description: 'A user of the platform.' })

const ChangedUser = Type.Object(
  { ...facts, sessions_ended: count('Sessions that this request has ended.') },
  { $id: 'ChangedUser', description: 'A user after a change.' },
)

export const NewUser = closed(
  {
    id: Type.String({
      maxLength: 64,
      description: "The platform's id: 1 to 64 characters of `A-Z a-z 0-9 . _ : -`.",
    }),
    firm_id: Type.String({ maxLength: 64, description: 'The firm.' }),
    email: Type.String({ maxLength: 254, description: 'The address with which the user logs in.' }),
    name: Type.String({ maxLength: 1000, description: 'The name of the user.' }),
    role: Type.String({ maxLength: 64, description: 'The role.' }),
  },
  { $id: 'NewUser', description: 'A user to add.' },
)

const Invitation = Type.Object(
  {
    id: listed.id,
    mailed_to: nullableText('The address to which the link is mailed. Null: the server sends no mails.'),
    expires_at: instant('Until when the link works. It works once.'),
    link: Type.Optional(
      Type.String({
        description:
          'The link, if the server sends no mails: give it to the user. It is shown only this once, and not to a repeated request.',
      }),
    ),
  },
  { $id: 'Invitation', description: 'A link with which a user can set a password.' },
)

const RemovedFactors = Type.Object(
  {
    id: listed.id,
    passkeys: count('Passkeys that were removed.'),
    totp: Type.Boolean({ description: 'Whether an authenticator app was removed.' }),
    recovery_codes: count('Recovery codes that were removed.'),
    sessions_ended: count('Sessions that this request has ended.'),
  },
  { $id: 'RemovedFactors', description: 'The second factors that a user no longer has.' },
)

const Session = Type.Object(
  {
    id: Type.String({ description: 'Identifies the session. It is not secret.' }),
    browser: nullableText('The browser. Null: unknown.'),
    system: nullableText('The operating system. Null: unknown.'),
    auth_time: instant('When the user logged in.'),
    last_seen_at: instant('When the session was last used, to the minute.'),
  },
  { $id: 'Session', description: 'A browser in which a user is logged in.' },
)

const SessionList = Type.Object(
  { data: Type.Array(Session, { description: 'The sessions, the last used first.' }) },
  { $id: 'SessionList', description: 'The live sessions of a user.' },
)

const EndedSessions = Type.Object(
  { id: listed.id, sessions_ended: count('Sessions that this request has ended.') },
  { $id: 'EndedSessions', description: 'How many sessions have ended.' },
)

const user = { id: Type.String({ description: 'The id of a user, or the email address.' }) }
const params = Type.Object(user)
const tag = 'Users' as const

export const listUsersRoute = describeRoute({
  method: 'GET',
  url: '/users',
  scope: 'users:read',
  schema: {
    querystring: closed({
      ...pageQuery,
      firm_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only users of this firm.' })),
      status: Type.Optional(oneOf(['active', 'disabled'], 'Only users with this status.')),
    }),
  },
  operation: {
    operationId: 'listUsers',
    tag,
    summary: 'List the users',
    description: 'Users in the order of their ids.',
    responses: { 200: jsonResponse(pageOf('UserPage', ListedUser, 'users'), 'A page.', ['Link']) },
  },
})

export const getUserRoute = describeRoute({
  method: 'GET',
  url: '/users/:id',
  scope: 'users:read',
  schema: { params },
  operation: {
    operationId: 'getUser',
    tag,
    summary: 'Show a user',
    description: 'What the user sees, how the user logs in, and how many apps are connected.',
    responses: { 200: jsonResponse(User, 'The user.') },
    problems: [404],
  },
})

export const createUserRoute = describeRoute({
  method: 'POST',
  url: '/users',
  scope: 'users:write',
  schema: { body: NewUser },
  creates: true,
  operation: {
    operationId: 'createUser',
    tag,
    summary: 'Add a user',
    description:
      'The user can log in after setting a password with a link of `inviteUser`, or at a provider.',
    responses: { 201: createdResponse(User, 'The new user.') },
    problems: [409],
  },
})

export const inviteUserRoute = describeRoute({
  method: 'POST',
  url: '/users/:id/invitations',
  scope: 'users:write',
  schema: { params },
  creates: true,
  operation: {
    operationId: 'inviteUser',
    tag,
    summary: 'Send a user a link to set a password',
    description: 'The link replaces earlier ones. It is mailed if the server sends mails.',
    responses: { 201: createdResponse(Invitation, 'The new link.') },
    problems: [404, 409],
  },
})

export const disableUserRoute = describeRoute({
  method: 'POST',
  url: '/users/:id/disable',
  scope: 'users:write',
  schema: { params },
  operation: {
    operationId: 'disableUser',
    tag,
    summary: 'Disable a user',
    description:
      'From the next request on, the user cannot log in, and partners cannot read for this user. Imports do not undo it.',
    responses: { 200: jsonResponse(ChangedUser, 'The user.') },
    problems: [404],
  },
})

export const enableUserRoute = describeRoute({
  method: 'POST',
  url: '/users/:id/enable',
  scope: 'users:write',
  schema: { params },
  operation: {
    operationId: 'enableUser',
    tag,
    summary: 'Make a disabled user active',
    description: 'If the next import lists this user as disabled, it disables the user again.',
    responses: { 200: jsonResponse(ChangedUser, 'The user.') },
    problems: [404],
  },
})

export const resetFactorsRoute = describeRoute({
  method: 'DELETE',
  url: '/users/:id/factors',
  scope: 'users:write',
  schema: { params },
  operation: {
    operationId: 'resetFactors',
    tag,
    summary: 'Remove all second factors of a user',
    description: 'For a user who has lost them. Also ends all sessions of the user.',
    responses: { 200: jsonResponse(RemovedFactors, 'What was removed.') },
    problems: [404],
  },
})

export const listSessionsRoute = describeRoute({
  method: 'GET',
  url: '/users/:id/sessions',
  scope: 'users:read',
  schema: { params },
  operation: {
    operationId: 'listSessions',
    tag,
    summary: 'List the sessions of a user',
    description: 'The browsers in which the user is logged in, up to 50.',
    responses: { 200: jsonResponse(SessionList, 'The sessions.') },
    problems: [404],
  },
})

export const endSessionsRoute = describeRoute({
  method: 'DELETE',
  url: '/users/:id/sessions',
  scope: 'users:write',
  schema: { params },
  operation: {
    operationId: 'endSessions',
    tag,
    summary: 'Log a user out everywhere',
    description: 'Ends all sessions. Connections of partners go on.',
    responses: { 200: jsonResponse(EndedSessions, 'How many sessions have ended.') },
    problems: [404],
  },
})

export const endSessionRoute = describeRoute({
  method: 'DELETE',
  url: '/users/:id/sessions/:session_id',
  scope: 'users:write',
  schema: {
    params: Type.Object({ ...user, session_id: Type.String({ description: 'The `id` of a session.' }) }),
  },
  operation: {
    operationId: 'endSession',
    tag,
    summary: 'End one session of a user',
    description: 'Connections of partners go on.',
    responses: { 200: jsonResponse(EndedSessions, 'The session has ended.') },
    problems: [404],
  },
})
