import type { ComponentChildren } from 'preact'
import { Field, Filters, PostButton, Select } from '../panel/forms.tsx'
import { Done, Exact, Facts, Id, PageHead, Section, When } from '../panel/page-parts.tsx'
import { Status } from '../panel/request-table.tsx'
import { Table } from '../panel/table.tsx'
import type { Endpoint } from '../webhooks/endpoints.sql.ts'
import { eventTypes } from '../webhooks/event-types.ts'
import { type Message, type MessageDetails, messageStates } from '../webhooks/messages.sql.ts'
import { appAddress } from './shell.tsx'
import { MessageState, stateNames, webhookAddress } from './webhook-parts.tsx'

const messageAddress = (clientId: string, id: string) => webhookAddress(clientId, `messages/msg_${id}`)

/** Messages of webhooks. Each leads to its attempts. */
export function MessageTable(props: {
  clientId: string
  messages: Message[]
  empty: ComponentChildren
  next?: string | undefined
}) {
  const { clientId, messages, empty, next } = props
  return (
    <Table
      caption="Messages, the newest first"
      rows={messages}
      keyOf={({ id }) => id}
      next={next}
      empty={empty}
      columns={[
        { label: 'Time', cell: ({ created_at: at }) => <Exact at={at} seconds /> },
        { label: 'Event', cell: ({ type }) => <code class="whole">{type}</code> },
        { label: 'State', cell: ({ state }) => <MessageState state={state} /> },
        { label: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
        {
          label: 'Last answer',
          cell: ({ last_status: status, last_fault: fault }) =>
            status === null ? (fault ?? '–') : <Status of={status} />,
        },
        {
          label: 'Grant id',
          cell: ({ grant_id: grant }) =>
            grant === null ? '–' : <a href={appAddress({ clientId }, `/grants/${grant}`)}>{grant}</a>,
        },
        {
          label: 'Message id',
          cell: ({ id }) => (
            <a href={messageAddress(clientId, id)}>
              <Id>{`msg_${id}`}</Id>
            </a>
          ),
        },
      ]}
    />
  )
}

const states = {
  '': 'All',
  ...Object.fromEntries(messageStates.map((state) => [state, stateNames[state]])),
}
const types = { '': 'All', ...Object.fromEntries(eventTypes.map((type) => [type, type])) }

export function MessagesPage(props: {
  clientId: string
  endpoints: Endpoint[]
  filter: Record<'endpoint' | 'state' | 'type' | 'grantId', string | undefined>
  messages: Message[]
  next: string | undefined
}) {
  const { clientId, endpoints, filter, messages, next } = props
  const addresses = { '': 'All', ...Object.fromEntries(endpoints.map(({ id, url }) => [id, url])) }
  return (
    <>
      <PageHead
        title="Messages"
        back={{ label: 'Webhooks', href: webhookAddress(clientId) }}
        intro="Each event for each of your webhooks, with its attempts."
      />
      <Filters action={webhookAddress(clientId, 'messages')}>
        <Select name="endpoint" label="Webhook" value={filter.endpoint} choices={addresses} />
        <Select name="state" label="State" value={filter.state} choices={states} />
        <Select name="type" label="Event" value={filter.type} choices={types} />
        <Field name="grant_id" label="Grant id" value={filter.grantId} maxLength={20} />
      </Filters>
      <MessageTable
        clientId={clientId}
        messages={messages}
        next={next}
        empty="No message matches. Each event makes one message for each webhook that gets its type."
      />
    </>
  )
}

export function MessagePage(props: {
  clientId: string
  message: MessageDetails
  csrf: string
  mayWrite: boolean
  done: string | undefined
}) {
  const { clientId, message, csrf, mayWrite, done } = props
  const { id, type, grant_id: grant, endpoint_id: endpoint } = message
  return (
    <>
      <PageHead
        title={<code>{type}</code>}
        back={{ label: 'Messages', href: webhookAddress(clientId, 'messages') }}
      >
        {mayWrite && (
          <PostButton action={`${messageAddress(clientId, id)}/resend`} csrf={csrf} label="Send again" />
        )}
      </PageHead>
      {done && <Done>{done}</Done>}
      <section aria-label="Facts">
        <Facts
          items={{
            'Message id': <Id>{`msg_${id}`}</Id>,
            State: <MessageState state={message.state} />,
            Written: <Exact at={message.created_at} seconds />,
            'Next attempt':
              message.next_attempt_at === null ? undefined : <When at={message.next_attempt_at} />,
            Finished: message.finished_at === null ? undefined : <Exact at={message.finished_at} seconds />,
            Webhook: (
              <a href={webhookAddress(clientId, endpoint)}>
                <Id>{endpoint}</Id>
              </a>
            ),
            'Grant id':
              grant === null ? undefined : (
                <a href={appAddress({ clientId }, `/grants/${grant}`)}>
                  <Id>{grant}</Id>
                </a>
              ),
          }}
        />
      </section>
      <Section id="attempts" title="Attempts">
        <Attempts message={message} />
      </Section>
      <Section id="data" title="Data">
        <pre class="panel">
          <code>{JSON.stringify(message.data, null, 2)}</code>
        </pre>
      </Section>
    </>
  )
}

function Attempts({ message: { attempts_made: attempts } }: { message: MessageDetails }) {
  return (
    <Table
      caption="Attempts, the oldest first"
      rows={attempts}
      keyOf={({ number }) => String(number)}
      empty="There was no attempt yet. The first begins within seconds."
      columns={[
        { label: 'Attempt', cell: ({ number }) => `Attempt ${number}` },
        { label: 'Ended', cell: ({ at }) => <Exact at={at} seconds /> },
        {
          label: 'Status',
          cell: ({ status }) => (status === null ? 'no answer' : <Status of={status} />),
        },
        { label: 'Why it failed', cell: ({ fault }) => fault ?? '–' },
        {
          label: 'Answer',
          cell: ({ response }) => (response ? <code class="received">{response}</code> : '–'),
        },
        { label: 'ms', cell: ({ duration_ms: ms }) => ms, isNumber: true },
      ]}
    />
  )
}
