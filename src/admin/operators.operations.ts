import { createdResponse, jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { count, instant, nullableInstant, oneOf } from '../management/schemas.ts'
import { roles } from '../operators/scopes.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'

const email = Type.String({ maxLength: 254, description: 'The address with which the operator signs in.' })
const name = Type.String({ maxLength: 1000, description: 'The name of the operator.' })
const role = oneOf(
  roles,
  'owner may do everything; support reads everything and helps users; read_only reads everything.',
)
const status = oneOf(['active', 'disabled'], 'A disabled operator cannot sign in.')

const operator = {
  id: Type.String({ description: 'Identifies the operator.' }),
  ...{ email, name, role, status },
  has_password: Type.Boolean({ description: 'Whether the operator has a password.' }),
  has_totp: Type.Boolean({ description: 'Whether the operator has an authenticator app.' }),
  providers: Type.Array(Type.String(), {
    description: 'Identity providers through which the operator has signed in.',
  }),
  live_sessions: count('Live sessions.'),
  created_at: instant('When the operator was added.'),
  last_login_at: nullableInstant('When the operator last signed in. Null: never.'),
  link_expires_at: nullableInstant('Until when a link to set up the account works. Null: there is none.'),
}

const Operator = Type.Object(operator, { $id: 'Operator', description: 'A person who uses the console.' })

const OperatorList = Type.Object(
  { data: Type.Array(Operator, { description: 'The operators.' }) },
  { $id: 'OperatorList', description: 'All operators.' },
)

const link = {
  setup_url: Type.Optional(
    Type.String({
      description:
        'With the link, the operator sets a password and a second factor. It works once, and is shown only this once. It is mailed too, if the server sends mails.',
    }),
  ),
}

const NewOperatorLink = Type.Object(
  { ...operator, ...link },
  { $id: 'OperatorWithLink', description: 'An operator, with a link to set up the account.' },
)

const params = Type.Object({ id: Type.String({ description: 'The `id` of an operator, or the address.' }) })
const tag = 'Operators' as const

/** A key can change only operators who may do no more than the key. */
const withinScopes = 'The key needs all scopes of the role of the operator.'

export const listOperatorsRoute = describeRoute({
  method: 'GET',
  url: '/operators',
  scope: 'operators:read',
  operation: {
    operationId: 'listOperators',
    tag,
    summary: 'List the operators',
    description: 'The people who use the console.',
    responses: { 200: jsonResponse(OperatorList, 'The operators.') },
  },
})

export const createOperatorRoute = describeRoute({
  method: 'POST',
  url: '/operators',
  scope: 'operators:write',
  schema: {
    body: closed({ email, name, role }, { $id: 'NewOperator', description: 'An operator to add.' }),
  },
  creates: true,
  operation: {
    operationId: 'createOperator',
    tag,
    summary: 'Add an operator',
    description: `The answer has a link with which the operator sets up the account. ${withinScopes}`,
    responses: { 201: createdResponse(NewOperatorLink, 'The new operator.') },
  },
})

export const updateOperatorRoute = describeRoute({
  method: 'PATCH',
  url: '/operators/:id',
  scope: 'operators:write',
  schema: {
    params,
    body: closed(
      {
        email: Type.Optional(email),
        name: Type.Optional(name),
        role: Type.Optional(role),
        status: Type.Optional(status),
      },
      {
        $id: 'OperatorChanges',
        minProperties: 1,
        description: 'What to change. An absent field stays as it is.',
      },
    ),
  },
  operation: {
    operationId: 'updateOperator',
    tag,
    summary: 'Change an operator',
    description: `A new role or status ends the sessions. The last active owner stays one. ${withinScopes}`,
    responses: { 200: jsonResponse(Operator, 'The operator.') },
    problems: [404],
  },
})

export const resetOperatorRoute = describeRoute({
  method: 'POST',
  url: '/operators/:id/reset',
  scope: 'operators:write',
  schema: { params },
  creates: true,
  operation: {
    operationId: 'resetOperator',
    tag,
    summary: 'Let an operator set up the account again',
    description: `For an operator who has lost the password or the second factor: both end, with the accounts at providers and all sessions. ${withinScopes}`,
    responses: { 201: createdResponse(NewOperatorLink, 'The operator, with a new link.') },
    problems: [404],
  },
})

export const removeOperatorRoute = describeRoute({
  method: 'DELETE',
  url: '/operators/:id',
  scope: 'operators:write',
  schema: { params },
  operation: {
    operationId: 'removeOperator',
    tag,
    summary: 'Remove an operator',
    description: `What the operator did stays in the audit log. The last active owner cannot be removed. ${withinScopes}`,
    responses: { 200: jsonResponse(Operator, 'The operator who was removed.') },
    problems: [404, 409],
  },
})
