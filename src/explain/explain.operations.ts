import { describeRoute } from '../admin/admin-edge.ts'
import { jsonResponse } from '../management/operation.ts'
import { closed, pageOf, pageQuery } from '../management/page.ts'
import { requestFilters } from '../management/request-filters.ts'
import { instant, nullableInstant, nullableText } from '../management/schemas.ts'
import Type from '../typebox.ts'

const grantFilter = {
  user_id: Type.Optional(Type.String({ description: 'Only what is done for this user.' })),
  client_id: Type.Optional(Type.String({ description: 'Only what this partner does.' })),
  grant_id: Type.Optional(Type.String({ description: 'Only what is done with this grant.' })),
}
const sinceDay = Type.Optional(Type.String({ format: 'date', description: 'The first day, in UTC.' }))

const Read = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'In UTC.' }),
    grant_id: Type.String({ description: 'The grant that allowed it.' }),
    user_id: Type.String({ description: 'The user of the grant; a pseudonym if the user was erased.' }),
    client_id: Type.String({ description: 'The partner of the grant.' }),
    partner_name: Type.String({ description: 'The name of the partner at the first read.' }),
    households: Type.Number({ description: 'Different households that were read.' }),
    reads: Type.Number({ description: 'How often: each answer counts once for each household in it.' }),
  },
  { $id: 'Read', description: 'What one grant has read on one day.' },
)

const HouseholdRead = Type.Object(
  {
    number: Type.Integer({ description: 'Its place in this list.' }),
    household_id: Type.String({ description: 'The household.' }),
    name: nullableText('Its name now. Empty: it has none. Null: it no longer exists.'),
    last_day: Type.String({ format: 'date', description: 'The last day on which it was read, in UTC.' }),
    days: Type.Integer({ description: 'Days on which it was read.' }),
    reads: Type.Number({ description: 'How often it was read.' }),
  },
  { $id: 'HouseholdRead', description: 'How often a grant has read a household.' },
)

export const listReadsRoute = describeRoute({
  method: 'GET',
  url: '/reads',
  scope: 'logs:read',
  schema: {
    querystring: closed({
      household_id: Type.Optional(Type.String({ description: 'Who has read this household.' })),
      ...grantFilter,
      since: sinceDay,
      ...pageQuery,
    }),
  },
  operation: {
    operationId: 'listReads',
    tag: 'Logs',
    summary: 'List which application read which households',
    description:
      'For each day and grant, newest first. At least one of `household_id`, `user_id`, `client_id` and `grant_id` is required.',
    responses: { 200: jsonResponse(pageOf('ReadPage', Read, 'reads'), 'The reads.', ['Link']) },
  },
})

export const listHouseholdReadsRoute = describeRoute({
  method: 'GET',
  url: '/reads/:grant_id/households',
  scope: 'logs:read',
  schema: {
    params: Type.Object({ grant_id: Type.String({ description: 'The `grant_id` of a read.' }) }),
    querystring: closed({ since: sinceDay, ...pageQuery }),
  },
  operation: {
    operationId: 'listHouseholdReads',
    tag: 'Logs',
    summary: 'List the households that a grant has read',
    description: 'The households in the order in which they were first read by any application.',
    responses: {
      200: jsonResponse(pageOf('HouseholdReadPage', HouseholdRead, 'households'), 'The households.', [
        'Link',
      ]),
    },
  },
})

const LoggedRequest = Type.Object(
  {
    at: instant('When the answer was sent.'),
    place: Type.String({ description: 'Its place in lists.' }),
    request_id: Type.String({ description: '`X-API-Request-ID`. The caller chooses it.' }),
    method: Type.String({ description: 'The HTTP method.' }),
    route: Type.String({ description: 'The route, without values. Empty: the address does not exist.' }),
    status: Type.Integer({ description: 'The HTTP status of the answer.' }),
    ms: Type.Number({ description: 'Milliseconds until the answer.' }),
    code: Type.String({ description: 'The code of the error. Empty: there was none.' }),
    outcome: Type.String({ description: 'The reason, as in the log. May be empty.' }),
    authenticated: Type.Boolean({ description: 'False: the caller has not proved who it is.' }),
    client_id: nullableText('The partner, as far as the caller named one.'),
    partner_name: nullableText('Its name.'),
    grant_id: nullableText('The grant of the token.'),
    user_id: nullableText('The user of the grant.'),
    detail: nullableText('The text of the error for the caller.'),
    explanation: Type.String({ description: 'Who made the call, what it was, and why it was refused.' }),
    error_page: nullableText('The page of the error.'),
  },
  { $id: 'LoggedRequest', description: 'A call of the API or of a token endpoint.' },
)

export const listRequestsRoute = describeRoute({
  method: 'GET',
  url: '/requests',
  scope: 'logs:read',
  schema: {
    querystring: closed({
      ...requestFilters,
      ...grantFilter,
      ...pageQuery,
    }),
  },
  operation: {
    operationId: 'listRequests',
    tag: 'Logs',
    summary: 'List calls of the last days, and why they were refused',
    description:
      'Newest first. One of `request_id`, `user_id`, `client_id` and `grant_id` is required, or a status from 400 on.',
    responses: { 200: jsonResponse(pageOf('RequestPage', LoggedRequest, 'calls'), 'The calls.', ['Link']) },
  },
})

const ExplainedAccount = Type.Object(
  {
    id: Type.String({ description: 'The account.' }),
    status: Type.String({ description: 'Its status. Only active accounts are shown.' }),
    has_access: Type.Boolean({ description: 'Whether the user has an access row for it.' }),
    shown: Type.Boolean({ description: 'Whether applications of the user get it.' }),
    reason: Type.String({ description: 'Why, or why not.' }),
  },
  { $id: 'ExplainedAccount', description: 'An account of the household.' },
)

const AccessExplanation = Type.Object(
  {
    kind: Type.Unsafe<string>({
      type: 'string',
      enum: [
        'unknown_user',
        'unknown_household',
        'visible_by_role',
        'visible_by_access',
        'user_disabled',
        'other_firm',
        'no_access',
      ],
      description: 'The case.',
    }),
    visible: Type.Boolean({ description: 'Whether applications of the user get the household.' }),
    reason: Type.String({ description: 'Why, or why not.' }),
    since: Type.String({ description: 'Since when, as far as the change logs know. May be empty.' }),
    change: Type.String({ description: 'What would change it.' }),
    sees_since: nullableInstant('Since when role and firm of the user are the same.'),
    household_changed_at: nullableInstant('When the household came to the firm, left it or changed last.'),
    access_changed_at: nullableInstant('When access rows showed or hid the household last.'),
    user_id: nullableText('The user. Null: unknown.'),
    user_name: nullableText('The name of the user.'),
    role: nullableText('The role of the user.'),
    firm_id: nullableText('The firm of the user.'),
    household_id: nullableText('The household. Null: unknown.'),
    household_name: nullableText('Its name.'),
    household_firm_id: nullableText('The firm of the household.'),
    live_grants: Type.Integer({ description: 'Applications that the user has connected.' }),
    accounts: Type.Array(ExplainedAccount, { description: 'The first 200 accounts of the household.' }),
  },
  { $id: 'AccessExplanation', description: 'Whether a user sees a household, and why.' },
)

export const explainAccessRoute = describeRoute({
  method: 'GET',
  url: '/users/:id/access/:household_id',
  scope: 'users:read',
  schema: {
    params: Type.Object({
      id: Type.String({ description: 'The `id` of a user.' }),
      household_id: Type.String({ description: 'The `id` of a household.' }),
    }),
  },
  operation: {
    operationId: 'explainAccess',
    tag: 'Users',
    summary: 'Explain whether a user sees a household',
    description:
      'By which role, access row or account, since when, and what would change it. Unknown ids are explained, too.',
    responses: { 200: jsonResponse(AccessExplanation, 'The explanation.') },
  },
})
