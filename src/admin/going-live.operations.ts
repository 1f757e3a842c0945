import { developerRoles, roleRights } from '../developer-keys/roles.ts'
import { longestRequest } from '../going-live/request.ts'
import { jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { instant, nullableInstant, nullableText, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'

const text = (description: string) => Type.String({ description })
const texts = (description: string) => Type.Array(Type.String(), { description })

const SignedRequest = closed(
  {
    request: Type.String({
      minLength: 1,
      maxLength: longestRequest,
      description: 'The text that the sandbox made: one line.',
    }),
  },
  { $id: 'SignedGoingLiveRequest', description: 'A request to go live, signed by a sandbox.' },
)

const RequestedPartner = Type.Object(
  {
    name: text('The name that users see.'),
    redirect_uris: texts('Where users return to in production.'),
    post_logout_redirect_uris: texts('Addresses to which users may return after logout.'),
    auth_methods: texts('How the partner authenticates.'),
    require_pkce: Type.Boolean({ description: 'Whether authorization requests without PKCE are refused.' }),
    id_token_alg: text('What signs its id_tokens.'),
    id_token_on_refresh: Type.Boolean({ description: 'Whether each refresh also returns an id_token.' }),
    require_acr: nullableText('The weakest login with which users may connect. Null: any.'),
    site: nullableText('The address of its public web site.'),
    privacy_url: nullableText('The address of its privacy policy.'),
    description: nullableText('One sentence for users.'),
    has_logo: Type.Boolean({ description: 'Whether the request has its logo.' }),
    has_keys: Type.Boolean({ description: 'Whether the request has public keys.' }),
  },
  { $id: 'RequestedPartner', description: 'The partner that would be registered.' },
)

const RequestedDeveloper = Type.Object(
  {
    email: text('The address that is invited.'),
    name: text('The name of the developer.'),
    role: oneOf(developerRoles, roleRights),
  },
  { $id: 'RequestedDeveloper', description: 'A developer who would be invited.' },
)

const RequestedWebhook = Type.Object(
  { url: text('The address.'), events: texts('The types of events that it gets.') },
  { $id: 'RequestedWebhook', description: 'A webhook endpoint that would be added.' },
)

const RequestedCheck = Type.Object(
  {
    id: text('Names the check.'),
    title: text('What was checked.'),
    required: Type.Boolean({ description: 'Whether the sandbox signs only if it is done.' }),
    done: Type.Boolean({ description: 'Whether it was done when the sandbox signed.' }),
    found: text('The fact that decided.'),
  },
  { $id: 'RequestedCheck', description: 'Something that the sandbox checked.' },
)

const GoingLiveRequest = Type.Object(
  {
    id: text('The id of the request.'),
    sandbox: text('The address of the sandbox.'),
    sandbox_client_id: text('The `client_id` in the sandbox.'),
    sandbox_redirect_uris: texts('The redirect URIs in the sandbox.'),
    requested_by: text('Who made the request.'),
    requested_at: instant('When it was made.'),
    expires_at: instant('Until when it can be opened.'),
    partner: RequestedPartner,
    developers: Type.Array(RequestedDeveloper, { description: 'Who would be invited.' }),
    webhooks: Type.Array(RequestedWebhook, { description: 'The webhook endpoints that would be added.' }),
    contact: text('Whom to write to.'),
    expected_volume: text('How many users and calls are expected.'),
    checks: Type.Array(RequestedCheck, { description: 'What the sandbox checked.' }),
  },
  { $id: 'GoingLiveRequest', description: 'What a sandbox asks for an application.' },
)

const Preview = Type.Object(
  {
    state: oneOf(['acceptable', 'opened'], '`opened`: the request was opened before.'),
    client_id: nullableText('The partner that the first opening registered.'),
    opened_at: nullableInstant('When it was opened.'),
    warnings: texts('What to look at before you open it.'),
    request: GoingLiveRequest,
  },
  { $id: 'GoingLivePreview', description: 'What opening the request would do.' },
)

const Invited = Type.Object(
  {
    ...RequestedDeveloper.properties,
    mailed: Type.Boolean({ description: 'Whether the server mails the link.' }),
    setup_url: Type.Optional(
      Type.String({
        description:
          'With this link the developer sets up the account. Absent: the account is set up. Shown only this once.',
      }),
    ),
    expires_at: Type.Optional(instant('Until when the link works.')),
  },
  { $id: 'OpenedDeveloper', description: 'A developer who was invited.' },
)

const Opened = Type.Object(
  {
    client_id: text('The `client_id` of the new partner.'),
    invited: Type.Array(Invited, { description: 'The developers of the partner.' }),
    request: GoingLiveRequest,
  },
  { $id: 'OpenedGoingLiveRequest', description: 'The partner that was registered.' },
)

/** The request in JSON, with characters around it. */
const bodyLimit = longestRequest + 64 * 1024

export const previewGoingLiveRoute = describeRoute({
  method: 'POST',
  url: '/going-live-requests/preview',
  scope: 'partners:write',
  schema: { body: SignedRequest },
  bodyLimit,
  operation: {
    operationId: 'previewGoingLiveRequest',
    tag: 'Partners',
    summary: 'Look at a request to go live',
    description:
      'Verifies a request that a sandbox signed, and says what opening it would do. Changes nothing.',
    responses: { 200: jsonResponse(Preview, 'The request.') },
  },
})

export const openGoingLiveRoute = describeRoute({
  method: 'POST',
  url: '/going-live-requests',
  scope: 'partners:write',
  schema: { body: SignedRequest },
  bodyLimit,
  operation: {
    operationId: 'openGoingLiveRequest',
    tag: 'Partners',
    summary: 'Open a request to go live',
    description:
      'Registers the partner, invites its developers and adds its webhook endpoints, all or nothing. No secret is shown: a developer of the partner makes one. A request is opened once. Repeating this call answers 409 and names the partner, also if the first answer was lost.',
    responses: { 201: jsonResponse(Opened, 'The partner is registered.', ['Location']) },
    problems: [409],
  },
})
