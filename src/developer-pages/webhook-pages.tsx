import { EndpointState } from '../panel/endpoint-state.tsx'
import { Field, PostButton, PostForm } from '../panel/forms.tsx'
import { amount, counted, Done, Exact, Facts, Faults, Id, PageHead, Section } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import type { Endpoint } from '../webhooks/endpoints.sql.ts'
import type { Message } from '../webhooks/messages.sql.ts'
import { MessageTable } from './message-pages.tsx'
import { webhookAddress } from './webhook-parts.tsx'

export function WebhooksPage(props: {
  clientId: string
  endpoints: Endpoint[]
  mayWrite: boolean
  done: string | undefined
}) {
  const { clientId, endpoints, mayWrite, done } = props
  return (
    <>
      <PageHead
        title="Webhooks"
        intro="We send an event to your addresses when a user connects or disconnects, and when data changes."
      >
        <a class="button secondary" href={webhookAddress(clientId, 'messages')}>
          Messages
        </a>
        {mayWrite && (
          <a class="button" href={webhookAddress(clientId, 'new')}>
            New webhook
          </a>
        )}
      </PageHead>
      {done && <Done>{done}</Done>}
      {endpoints.map((endpoint) => (
        <Trouble key={endpoint.id} endpoint={endpoint} href={webhookAddress(clientId, endpoint.id)} />
      ))}
      <Table
        caption="Webhooks"
        rows={endpoints}
        keyOf={({ id }) => id}
        empty="There is no webhook yet. Add the address of your receiver, and it gets an event at each change."
        columns={[
          {
            label: 'Address',
            cell: ({ id, url, description }) => (
              <>
                <a href={webhookAddress(clientId, id)}>
                  <bdi>{url}</bdi>
                </a>
                {description && (
                  <span class="sub">
                    <bdi>{description}</bdi>
                  </span>
                )}
              </>
            ),
          },
          { label: 'State', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
          { label: 'Events', cell: ({ events }) => counted(events.length, 'type'), isNumber: true },
          { label: 'Waiting', cell: ({ waiting }) => amount(waiting), isNumber: true },
          { label: 'Added', cell: ({ created_at: at }) => <Exact at={at} /> },
        ]}
      />
    </>
  )
}

const reasons = {
  failing: 'No delivery succeeded for five days, so it is disabled. Repair the receiver, then enable it.',
  gone: 'The receiver answered 410, so it is disabled. Enable it if the address is right.',
  partner: 'A developer of this application disabled it.',
  operator: 'The operator disabled it. Ask the operator to enable it.',
}

/** Why an endpoint gets no events. On a list, `href` is its page. */
function Trouble({ endpoint, href }: { endpoint: Endpoint; href?: string }) {
  const { url, disabled_for: cause, failing_since: since, waiting } = endpoint
  if (cause === null && since === null) return null
  return (
    <div class="notice warning">
      <p>
        {href && (
          <>
            <a href={href}>
              <bdi>{url}</bdi>
            </a>
            <br />
          </>
        )}
        {cause === null ? (
          <>
            Deliveries have failed since <Exact at={since} />. They are tried again for days; the messages say
            why they failed.
          </>
        ) : (
          reasons[cause]
        )}{' '}
        {waiting > 0 && `${counted(waiting, 'message waits', 'messages wait')}.`}
      </p>
    </div>
  )
}

export function WebhookPage(props: {
  clientId: string
  endpoint: Endpoint
  messages: Message[]
  csrf: string
  mayWrite: boolean
  done: string | undefined
  faults: string[]
}) {
  const { clientId, endpoint, messages, csrf, mayWrite, done, faults } = props
  const { id, url } = endpoint
  return (
    <>
      <PageHead title={<bdi>{url}</bdi>} back={{ label: 'Webhooks', href: webhookAddress(clientId) }}>
        {mayWrite && <Actions clientId={clientId} endpoint={endpoint} csrf={csrf} />}
      </PageHead>
      {done && <Done>{done}</Done>}
      <Faults faults={faults} />
      <Trouble endpoint={endpoint} />
      <Settings endpoint={endpoint} />
      <Section
        id="messages"
        title="Latest messages"
        more={{ label: 'All messages', href: webhookAddress(clientId, `messages?endpoint=${id}`) }}
      >
        <MessageTable
          clientId={clientId}
          messages={messages}
          empty="Nothing was sent to this address yet. Send a test event to see one here."
        />
      </Section>
      {mayWrite && <Replay clientId={clientId} id={id} csrf={csrf} />}
      {mayWrite && (
        <section class="danger-zone" aria-labelledby="remove">
          <div class="section-head">
            <h2 id="remove">Remove the webhook</h2>
          </div>
          <p>Its messages are deleted with it. You are asked again before.</p>
          <a class="button secondary danger" href={webhookAddress(clientId, `${id}/remove`)}>
            Remove…
          </a>
        </section>
      )}
    </>
  )
}

function Actions({ clientId, endpoint, csrf }: { clientId: string; endpoint: Endpoint; csrf: string }) {
  const { id, status } = endpoint
  const address = webhookAddress(clientId, id)
  return (
    <>
      {status === 'active' && <PostButton action={`${address}/test`} csrf={csrf} label="Send a test event" />}
      <a class="button secondary" href={`${address}/edit`}>
        Change settings
      </a>
      <a class="button secondary" href={`${address}/secret`}>
        New secret
      </a>
      {status === 'active' ? (
        <PostButton action={`${address}/disable`} csrf={csrf} label="Disable" />
      ) : (
        <PostButton action={`${address}/enable`} csrf={csrf} label="Enable" />
      )}
    </>
  )
}

function Settings({ endpoint }: { endpoint: Endpoint }) {
  return (
    <Section id="settings" title="Settings">
      <Facts
        items={{
          Id: <Id>{endpoint.id}</Id>,
          State: <EndpointState endpoint={endpoint} />,
          Description: endpoint.description === null ? undefined : <bdi>{endpoint.description}</bdi>,
          Added: <Exact at={endpoint.created_at} />,
          'Waiting messages': amount(endpoint.waiting),
          'Signed with': (
            <ul>
              {endpoint.secrets.map((secret) => (
                <li key={secret.created_at}>
                  <Signature secret={secret} />
                </li>
              ))}
            </ul>
          ),
          Events: endpoint.events.join(', '),
        }}
      />
    </Section>
  )
}

function Signature({ secret }: { secret: Endpoint['secrets'][number] }) {
  return (
    <>
      {secret.kind === 'hmac' ? 'a shared secret' : 'a key pair'}, made <Exact at={secret.created_at} />
      {secret.expires_at !== null && (
        <>
          , signs until <Exact at={secret.expires_at} />
        </>
      )}
      {secret.public_key !== null && (
        <>
          {': '}
          <Id>{secret.public_key}</Id>
        </>
      )}
    </>
  )
}

/** After an outage of the receiver. */
function Replay({ clientId, id, csrf }: { clientId: string; id: string; csrf: string }) {
  return (
    <Section
      id="replay"
      title="Send all messages again"
      intro="After your receiver lost messages: all since a time are delivered again, in their order and with the same ids. Your receiver recognises by the id what it has already."
    >
      <PostForm action={webhookAddress(clientId, `${id}/replay`)} csrf={csrf}>
        <Field
          name="since"
          label="Since"
          hint={
            <>
              In UTC, such as <code>2026-11-22T08:30Z</code>.
            </>
          }
          maxLength={40}
          required
        />
        <button type="submit" class="secondary">
          Send again
        </button>
      </PostForm>
    </Section>
  )
}
