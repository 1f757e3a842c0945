import { jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { instant, nullableText } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { mostEndpoints } from '../webhooks/endpoints.sql.ts'
import { describeRoute } from './developer-edge.ts'

const tag = 'Application'
const addresses = (description: string, maxItems = 100) =>
  Type.Array(Type.String({ maxLength: 1000 }), { maxItems, description })

const Check = Type.Object(
  {
    id: Type.String({ description: 'Names the check.' }),
    title: Type.String({ description: 'What is checked.' }),
    required: Type.Boolean({ description: 'Whether the sandbox signs no request until it is done.' }),
    done: Type.Boolean({ description: 'Whether the sandbox has seen it.' }),
    found: Type.String({ description: 'The fact that decides.' }),
    how: Type.String({ description: 'What to do about it.' }),
  },
  { $id: 'GoingLiveCheck', description: 'Something to do before an application goes live.' },
)

const GoingLive = Type.Object(
  {
    production_url: nullableText('The production that requests are for. Null: the operator has set none.'),
    checks: Type.Array(Check, { description: 'The checklist.' }),
  },
  { $id: 'GoingLive', description: 'How far the application is.' },
)

const NewRequest = closed(
  {
    redirect_uris: addresses('Where users return to in production, with https.'),
    post_logout_redirect_uris: Type.Optional(addresses('Addresses to which users may return after logout.')),
    webhook_urls: Type.Optional(
      addresses('Addresses that get the types of events that your endpoints here get.', mostEndpoints),
    ),
    jwks: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'For `private_key_jwt`: the public keys for production. Default: those of the sandbox.',
      }),
    ),
    contact: Type.String({ maxLength: 500, description: 'Whom the operator can write to.' }),
    expected_volume: Type.String({ maxLength: 500, description: 'How many users and calls you expect.' }),
  },
  { $id: 'NewGoingLiveRequest', description: 'What differs in production.' },
)

const Signed = Type.Object(
  {
    request: Type.String({ description: 'One line of text. Send it to the operator. It has no secrets.' }),
    expires_at: instant('Until when it can be opened.'),
  },
  { $id: 'SignedGoingLiveRequest', description: 'A request to go live, signed by the sandbox.' },
)

export const goingLiveRoute = describeRoute({
  method: 'GET',
  url: '/going-live',
  role: 'admin',
  isExpensive: true,
  operation: {
    operationId: 'getGoingLive',
    tag,
    summary: 'Show what is missing before you go live',
    description:
      'Answered from what the sandbox has seen of the application. It names developers without a second factor. Only in a sandbox.',
    responses: { 200: jsonResponse(GoingLive, 'The checklist.') },
    problems: [404],
  },
})

export const requestGoingLiveRoute = describeRoute({
  method: 'POST',
  url: '/going-live-requests',
  role: 'admin',
  isExpensive: true,
  schema: { body: NewRequest },
  operation: {
    operationId: 'requestGoingLive',
    tag,
    summary: 'Make a request to go live',
    description:
      'The sandbox signs it when all required checks are done. The operator of production opens it within 30 days.',
    responses: { 200: jsonResponse(Signed, 'The request.') },
    problems: [404],
  },
})
