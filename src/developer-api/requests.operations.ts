import { jsonResponse } from '../management/operation.ts'
import { closed, pageOf, pageQuery } from '../management/page.ts'
import { requestFilters } from '../management/request-filters.ts'
import { instant, nullableText } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './developer-edge.ts'

const tag = 'Requests'

const Request = Type.Object(
  {
    at: instant('When the answer was sent.'),
    place: Type.String({ description: 'Its place in lists.' }),
    request_id: Type.String({ description: 'The `X-API-Request-ID`. The caller chooses it.' }),
    method: Type.String({ description: 'The HTTP method.' }),
    route: Type.String({ description: 'The route, without values. Empty: the address does not exist.' }),
    status: Type.Integer({ description: 'The HTTP status of the answer.' }),
    ms: Type.Number({ description: 'Milliseconds until the answer.' }),
    code: Type.String({ description: 'The code of the error. Empty: there was none.' }),
    authenticated: Type.Boolean({
      description:
        'False: the caller named your `client_id`, but did not prove to be your application. It may be someone else.',
    }),
    grant_id: nullableText('The grant of the token.'),
    subject: nullableText('The user of the grant, as in `sub` of the `id_token`.'),
    detail: nullableText('The text of the error for the caller.'),
    title: nullableText('What the error is. Null: the call was not refused.'),
    cause: nullableText('Why the call was refused.'),
    remedy: nullableText('What to do.'),
    error_page: nullableText('The page of the error.'),
  },
  {
    $id: 'Request',
    description:
      'A call of the API, or of the authorize or a token endpoint. Never tokens, secrets or bodies.',
  },
)

export const listRequestsRoute = describeRoute({
  method: 'GET',
  url: '/requests',
  role: 'viewer',
  isExpensive: true,
  schema: {
    querystring: closed({
      ...requestFilters,
      subject: Type.Optional(Type.String({ maxLength: 100, description: 'Only calls for this user.' })),
      grant_id: Type.Optional(Type.String({ maxLength: 18, description: 'Only calls with this grant.' })),
      ...pageQuery,
    }),
  },
  operation: {
    operationId: 'listRequests',
    tag,
    summary: 'List the calls of the last days, and why they were refused',
    description: 'Newest first. A call appears within five seconds.',
    responses: { 200: jsonResponse(pageOf('RequestPage', Request, 'calls'), 'The calls.', ['Link']) },
  },
})

export const explainRequestRoute = describeRoute({
  method: 'GET',
  url: '/requests/:request_id',
  role: 'viewer',
  isExpensive: true,
  schema: {
    params: Type.Object({
      request_id: Type.String({ description: 'The `X-API-Request-ID` of the answer.' }),
    }),
    querystring: closed({ ...pageQuery }),
  },
  operation: {
    operationId: 'explainRequest',
    tag,
    summary: 'Explain a call',
    description:
      'Why it was refused and what to do. Callers choose the id, so there may be several calls with it: all are listed, newest first.',
    responses: { 200: jsonResponse(pageOf('RequestPage', Request, 'calls'), 'The calls.', ['Link']) },
    problems: [404],
  },
})
