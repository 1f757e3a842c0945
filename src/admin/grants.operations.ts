import { jsonResponse, noContent } from '../management/operation.ts'
import { closed, pageOf, pageQuery } from '../management/page.ts'
import { count, instant, nullableInstant } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'

const Grant = Type.Object(
  {
    id: Type.String({ description: 'Identifies the grant.' }),
    user_id: Type.String({ description: 'The user who shares.' }),
    email: Type.String({ description: 'The address of the user.' }),
    client_id: Type.String({ description: 'The partner that reads.' }),
    partner_name: Type.String({ description: 'The name of the partner.' }),
    redirect_uri: Type.String({ description: 'To which address of the partner the user last returned.' }),
    created_at: instant('When the user connected.'),
    expires_at: nullableInstant('When the consent expires. Null: it has no end.'),
    revoked_at: nullableInstant('When the grant ended. Null: it is live.'),
    revoked_by: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: ['user', 'operator', 'expiry', null],
      description: 'Who ended it. Null: it is live, or the database does not know.',
    }),
  },
  { $id: 'Grant', description: 'The consent of a user for a partner.' },
)

const params = Type.Object({ id: Type.String({ description: 'The `id` of a grant.' }) })
const tag = 'Grants' as const

export const listGrantsRoute = describeRoute({
  method: 'GET',
  url: '/grants',
  scope: 'grants:read',
  schema: {
    querystring: closed({
      ...pageQuery,
      user: Type.Optional(
        Type.String({ maxLength: 254, description: 'Only grants of the user with this id or address.' }),
      ),
      client_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only grants for this partner.' })),
      ended: Type.Optional(
        Type.Unsafe<'true' | 'false'>({
          type: 'string',
          enum: ['true', 'false'],
          description: '`true`: also grants that have ended.',
        }),
      ),
    }),
  },
  operation: {
    operationId: 'listGrants',
    tag,
    summary: 'List the grants',
    description: 'Live grants in the order of their ids; with `ended=true` also those that have ended.',
    responses: { 200: jsonResponse(pageOf('GrantPage', Grant, 'grants'), 'A page.', ['Link']) },
  },
})

export const getGrantRoute = describeRoute({
  method: 'GET',
  url: '/grants/:id',
  scope: 'grants:read',
  schema: { params },
  operation: {
    operationId: 'getGrant',
    tag,
    summary: 'Show a grant',
    description: 'Also a grant that has ended.',
    responses: { 200: jsonResponse(Grant, 'The grant.') },
    problems: [404],
  },
})

export const revokeGrantRoute = describeRoute({
  method: 'DELETE',
  url: '/grants/:id',
  scope: 'grants:write',
  schema: { params },
  operation: {
    operationId: 'revokeGrant',
    tag,
    summary: 'End a grant',
    description: 'From the next request on, its tokens are refused. The user can connect again.',
    responses: { 204: noContent },
    problems: [404],
  },
})

export const applyLifetimeRoute = describeRoute({
  method: 'POST',
  url: '/grant-lifetimes',
  scope: 'grants:write',
  schema: {
    body: closed(
      {
        client_id: Type.Optional(
          Type.String({
            maxLength: 100,
            description: 'Only grants for this partner. Absent: for all partners.',
          }),
        ),
      },
      { $id: 'AppliedLifetime', description: 'Which grants get an end.' },
    ),
  },
  operation: {
    operationId: 'applyGrantLifetime',
    tag,
    summary: 'End grants no later than a consent of now would end',
    description: 'For after the lifetime of consents was set or made shorter.',
    responses: {
      200: jsonResponse(
        Type.Object(
          { limited: count('Grants that now end earlier.') },
          { $id: 'LimitedGrants', description: 'How many grants now end earlier.' },
        ),
        'How many grants now end earlier.',
      ),
    },
  },
})
