import { formText } from '../panel/fields.ts'
import { Checkbox, Confirmation, Field, PostForm, Select } from '../panel/forms.tsx'
import { Faults, Id, NewSecret, PageHead } from '../panel/page-parts.tsx'
import Type, { type Static } from '../typebox.ts'
import { type Endpoint, overlapHours } from '../webhooks/endpoints.sql.ts'
import { eventDocs } from '../webhooks/event-types.ts'
import { webhookAddress } from './webhook-parts.tsx'

const eventText = Type.String({ maxLength: 40 })

/** The form that adds a webhook or changes its settings. */
export const EndpointFields = Type.Object({
  url: formText(2000),
  description: formText(400),
  /** One checked box is a text, several are a list. */
  events: Type.Optional(Type.Union([eventText, Type.Array(eventText, { maxItems: 50 })])),
  secret_kind: Type.Optional(Type.Union([Type.Literal('hmac'), Type.Literal('ed25519')])),
})
export type EndpointFields = Static<typeof EndpointFields>

/** The types of events whose boxes are checked. */
export function chosenEvents({ events = [] }: EndpointFields): string[] {
  return [events].flat()
}

const kinds = {
  hmac: 'Shared secret (HMAC-SHA256), for the Standard Webhooks libraries',
  ed25519: 'Key pair (ed25519): you keep no secret',
}

/** A new endpoint, or the settings of one. */
export function EndpointForm(props: {
  clientId: string
  /** Absent: a new one. */
  id?: string
  csrf: string
  fields: EndpointFields
  faults: string[]
}) {
  const { clientId, id, csrf, fields, faults } = props
  const list = { label: 'Webhooks', href: webhookAddress(clientId) }
  const back = id === undefined ? list : { label: 'The webhook', href: webhookAddress(clientId, id) }
  return (
    <>
      <PageHead title={id === undefined ? 'New webhook' : 'Change the webhook'} back={back} />
      <Faults faults={faults} />
      <PostForm action={webhookAddress(clientId, id === undefined ? 'new' : `${id}/edit`)} csrf={csrf}>
        <Field
          name="url"
          label="Address of your receiver"
          hint="It must begin with https:// and be reachable from the internet."
          value={fields.url}
          maxLength={2000}
          required
        />
        <Field
          name="description"
          label="Description"
          hint="Optional, for your team."
          value={fields.description}
          maxLength={200}
        />
        <EventChoice chosen={chosenEvents(fields)} />
        {id === undefined && (
          <Select
            name="secret_kind"
            label="How deliveries are signed"
            value={fields.secret_kind}
            choices={kinds}
          />
        )}
        <button type="submit">{id === undefined ? 'Add the webhook' : 'Save'}</button>
      </PostForm>
    </>
  )
}

function EventChoice({ chosen }: { chosen: string[] }) {
  return (
    <fieldset>
      <legend>Events</legend>
      {eventDocs
        .filter(({ type }) => type !== 'webhook.test')
        .map(({ type, summary }) => (
          <Checkbox
            key={type}
            name="events"
            value={type}
            checked={chosen.includes(type)}
            label={
              <>
                <code>{type}</code> <span class="muted">{summary}</span>
              </>
            }
          />
        ))}
    </fieldset>
  )
}

/** After the endpoint was added, or its secret rotated. */
export function SigningSecretPage(props: {
  clientId: string
  endpoint: Endpoint
  /** Null: the endpoint has a key pair. */
  secret: string | null
  isNew: boolean
  /** Whether the secret before it has ended. */
  endsOthers?: boolean
}) {
  const { clientId, endpoint, secret, isNew, endsOthers = false } = props
  const publicKey = endpoint.secrets[0]?.public_key
  return (
    <>
      <PageHead
        title={isNew ? 'The webhook is added' : 'The new signing secret is live'}
        back={{ label: 'Webhooks', href: webhookAddress(clientId) }}
      />
      {secret !== null && <NewSecret what="signing secret">{secret}</NewSecret>}
      {publicKey && (
        <p>
          Deliveries are signed with a key pair. Verify them with its public key: <Id>{publicKey}</Id>
        </p>
      )}
      {!isNew && (
        <p>
          {endsOthers
            ? 'The old secret no longer signs.'
            : `For ${overlapHours} hours, each delivery is signed with the old one and the new one. Put the new one into your receiver before that.`}
        </p>
      )}
      <p>
        <a class="button" href={webhookAddress(clientId, endpoint.id)}>
          Open the webhook
        </a>
      </p>
    </>
  )
}

export function RotationForm({
  clientId,
  endpoint,
  csrf,
}: {
  clientId: string
  endpoint: Endpoint
  csrf: string
}) {
  const { id, secrets } = endpoint
  return (
    <>
      <PageHead
        title="New signing secret"
        back={{ label: 'The webhook', href: webhookAddress(clientId, id) }}
        intro={<bdi>{endpoint.url}</bdi>}
      />
      <PostForm action={webhookAddress(clientId, `${id}/secret`)} csrf={csrf}>
        <Select name="secret_kind" label="Kind" value={secrets[0]?.kind} choices={kinds} />
        <fieldset>
          <legend>The secret that it has now</legend>
          <label class="check">
            <input type="radio" name="end_others" value="false" checked />
            <span>
              It signs for {overlapHours} hours more, next to the new one: your receiver can verify every
              delivery meanwhile.
            </span>
          </label>
          <label class="check">
            <input type="radio" name="end_others" value="true" />
            <span>
              It ends at once, because it leaked: your receiver refuses events until it has the new one.
            </span>
          </label>
        </fieldset>
        <button type="submit">Make a new secret</button>
      </PostForm>
    </>
  )
}

export function RemovalForm({
  clientId,
  endpoint,
  csrf,
}: {
  clientId: string
  endpoint: Endpoint
  csrf: string
}) {
  const { id, url, waiting } = endpoint
  const page = { label: 'The webhook', href: webhookAddress(clientId, id) }
  return (
    <>
      <PageHead title="Remove the webhook?" back={page} />
      <Confirmation
        action={webhookAddress(clientId, `${id}/remove`)}
        csrf={csrf}
        button="Remove the webhook"
        isDangerous
        cancel={{ label: 'Keep it', href: page.href }}
      >
        <p>
          <bdi>{url}</bdi> gets no more events, and its messages are deleted, {waiting} of which wait. To stop
          deliveries for a time, disable it instead.
        </p>
      </Confirmation>
    </>
  )
}
