import { closed } from '../management/page.ts'
import { instant, nullableInstant, nullableText, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { mostEndpoints } from './endpoints.sql.ts'
import { eventTypes } from './event-types.ts'
import { messageStates } from './messages.sql.ts'
import { type SecretKind, secretKinds } from './signing.ts'

const events = Type.Array(oneOf(eventTypes, 'A type of event.'), {
  description: 'The types of events that it gets. In addition it gets `webhook.test`.',
})
const url = Type.String({
  maxLength: 2000,
  description: 'An `https` address whose host is public. Redirects are not followed.',
})
const description = Type.String({ maxLength: 200, description: 'For people. Empty: none.' })
const secretKind = Type.Unsafe<SecretKind>({
  type: 'string',
  enum: [...secretKinds],
  description:
    'What signs: `hmac`, a shared secret (default), or `ed25519`, a key whose public part is in the answer.',
})

const SigningSecret = Type.Object(
  {
    kind: oneOf(secretKinds, 'What signs.'),
    public_key: nullableText('Of `ed25519`: the public key, `whpk_…`.'),
    created_at: Type.String({ format: 'date-time', description: 'When it was created.' }),
    expires_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Until when it signs. Null: it is the newest one.',
    }),
  },
  { $id: 'SigningSecret', description: 'What signs deliveries. Never the secret itself.' },
)

const endpoint = {
  id: Type.String({ description: 'Identifies the endpoint.' }),
  url,
  events,
  description: nullableText('For people. Null: none.'),
  status: oneOf(['active', 'disabled'], 'The messages of a disabled endpoint wait.'),
  disabled_for: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    enum: ['failing', 'gone', 'partner', 'operator', null],
    description:
      '`failing`: no delivery succeeded for days. `gone`: the receiver answered 410. Otherwise who disabled it. Null: it is active.',
  }),
  failing_since: nullableInstant(
    'The first failed attempt since the last delivery. Null: it is not failing.',
  ),
  created_at: instant('When it was added.'),
  secrets: Type.Array(SigningSecret, { description: 'What signs now, newest first.' }),
  waiting: Type.Integer({ description: 'Messages that are not finished, at most 10,000.' }),
}

export const Endpoint = Type.Object(endpoint, {
  $id: 'Endpoint',
  description: 'An address that gets events.',
})

export const EndpointWithSecret = Type.Object(
  {
    ...endpoint,
    secret: Type.Optional(
      Type.String({
        description:
          'The new secret of kind `hmac`, `whsec_…`. It is shown only this once, and not to a repeated request.',
      }),
    ),
  },
  { $id: 'EndpointWithSecret', description: 'An endpoint, with its new secret.' },
)

export const NewEndpoint = closed(
  {
    url,
    events: Type.Optional(events),
    description: Type.Optional(description),
    secret_kind: Type.Optional(secretKind),
  },
  { $id: 'NewEndpoint', description: `An endpoint to add. There can be ${mostEndpoints}.` },
)

export const EndpointChanges = closed(
  { url: Type.Optional(url), events: Type.Optional(events), description: Type.Optional(description) },
  { $id: 'EndpointChanges', description: 'Settings to change. An absent one stays as it is.' },
)

export const NewWebhookSecret = closed(
  {
    secret_kind: Type.Optional(secretKind),
    end_others: Type.Optional(
      Type.Boolean({
        description: 'Ends all other secrets at once, after a leak. Default: the newest signs for a day.',
      }),
    ),
  },
  { $id: 'NewWebhookSecret', description: 'How the secret changes.' },
)

export const Replay = closed(
  {
    since: Type.String({
      format: 'date-time',
      description: 'Messages that were written at or after this instant.',
    }),
  },
  { $id: 'Replay', description: 'What is delivered again.' },
)

export const Replayed = Type.Object(
  { messages: Type.Integer({ description: 'How many messages are delivered again.' }) },
  { $id: 'Replayed', description: 'What is delivered again.' },
)

const message = {
  id: Type.String({ description: 'The header `webhook-id` of every delivery of this message.' }),
  endpoint_id: Type.String({ description: 'The endpoint.' }),
  type: Type.String({ description: 'The type of the event.' }),
  grant_id: nullableText('The grant that it is about. Null: it is about none.'),
  created_at: instant('When the event was written.'),
  state: oneOf(messageStates, 'Whether it was delivered.'),
  attempts: Type.Integer({ description: 'Attempts that have begun.' }),
  next_attempt_at: nullableInstant('When it is tried again at the latest. Null: it is finished.'),
  finished_at: nullableInstant('When it was delivered or given up. Null: it waits.'),
  last_status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The HTTP status of the last attempt. Null: there was no answer.',
  }),
  last_fault: nullableText('Why the last attempt failed. Null: it did not.'),
}

const Attempt = Type.Object(
  {
    number: Type.Integer({ description: 'Its number, from 1.' }),
    at: Type.String({ format: 'date-time', description: 'When it ended.' }),
    duration_ms: Type.Integer({ description: 'How long it took, in milliseconds.' }),
    status: message.last_status,
    fault: nullableText('Why it failed. Null: it delivered the message.'),
    response: nullableText('The beginning of the answer.'),
  },
  { $id: 'Attempt', description: 'One attempt to deliver a message.' },
)

export const Message = Type.Object(message, { $id: 'Message', description: 'An event for an endpoint.' })

export const MessageDetails = Type.Object(
  {
    ...message,
    data: Type.Unsafe<unknown>({ type: 'object', description: '`data` of the delivery.' }),
    attempts_made: Type.Array(Attempt, { description: 'The newest 100 attempts, oldest first.' }),
  },
  { $id: 'MessageDetails', description: 'A message with its attempts.' },
)

export const MessageName = Type.Object(
  { id: message.id },
  { $id: 'MessageName', description: 'The message that is delivered next.' },
)
