import { Ended } from '../grants/ended.sql.ts'
import { jsonResponse } from '../management/operation.ts'
import { closed, pageOf, pageQuery } from '../management/page.ts'
import { instant, nullableInstant, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './developer-edge.ts'

const tag = 'Grants'

const causes = Ended.anyOf.map((cause) => cause.const)

const Grant = Type.Object(
  {
    id: Type.String({ description: 'Identifies the consent, also in the request log and in events.' }),
    subject: Type.String({ description: 'The user, as in `sub` of the `id_token`.' }),
    created_at: instant('When the user connected.'),
    last_used_at: nullableInstant('The last call, to a few minutes. Null: there was none.'),
    expires_at: nullableInstant('When the consent expires. Null: it has no end.'),
    ended_at: nullableInstant('When it ended. Null: it is live.'),
    cause: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: [...causes, null],
      description: 'Why its tokens are refused. Null: they are not.',
    }),
  },
  { $id: 'Grant', description: 'The consent of a user for your application.' },
)

export const listGrantsRoute = describeRoute({
  method: 'GET',
  url: '/grants',
  role: 'viewer',
  isExpensive: true,
  schema: {
    querystring: closed({
      ...pageQuery,
      subject: Type.Optional(Type.String({ maxLength: 100, description: 'Only of this user.' })),
      state: Type.Optional(oneOf(['live', 'ended', 'all'], 'Default: `live`.')),
    }),
  },
  operation: {
    operationId: 'listGrants',
    tag,
    summary: 'List the users who have connected',
    description: 'Newest first. Only users themselves can end a consent: `revokeToken` ends your connection.',
    responses: { 200: jsonResponse(pageOf('GrantPage', Grant, 'grants'), 'A page.', ['Link']) },
  },
})

export const getGrantRoute = describeRoute({
  method: 'GET',
  url: '/grants/:id',
  role: 'viewer',
  schema: { params: Type.Object({ id: Type.String({ description: 'The `id` of a grant.' }) }) },
  operation: {
    operationId: 'getGrant',
    tag,
    summary: 'Show a grant',
    description: 'Also one that has ended.',
    responses: { 200: jsonResponse(Grant, 'The grant.') },
    problems: [404],
  },
})
