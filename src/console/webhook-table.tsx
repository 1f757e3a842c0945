import { EndpointState } from '../panel/endpoint-state.tsx'
import { PostButton } from '../panel/forms.tsx'
import { amount, Exact, Section, When } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import type { Endpoint } from '../webhooks/endpoints.sql.ts'
import type { EndpointHealth } from './webhooks.sql.ts'

/** The endpoints of a partner. Developers change them; operators can disable and enable one. */
export function Webhooks(props: {
  clientId: string
  endpoints: Endpoint[]
  health: EndpointHealth[]
  csrf: string
  mayWrite: boolean
}) {
  const { clientId, endpoints, health, csrf, mayWrite } = props
  const healthOf = ({ id }: Endpoint) => health.find((each) => each.id === id)
  const action = {
    label: 'Change',
    cell: (endpoint: Endpoint) => <EnableOrDisable {...{ clientId, endpoint, csrf }} />,
  }
  return (
    <Section id="webhooks" title="Webhooks">
      <Table
        caption="Webhooks"
        rows={endpoints}
        keyOf={({ id }) => id}
        empty="The partner has no webhook. Its developers add one on the developer pages."
        columns={[
          { label: 'Address', cell: (endpoint) => <Address endpoint={endpoint} /> },
          { label: 'State', cell: (endpoint) => <StateAndCause endpoint={endpoint} /> },
          {
            label: 'Last delivery',
            cell: (endpoint) => <When at={healthOf(endpoint)?.delivered_at ?? null} none="–" />,
          },
          { label: 'Last failure', cell: (endpoint) => <Failure health={healthOf(endpoint)} /> },
          { label: 'Waiting', cell: ({ waiting }) => amount(waiting), isNumber: true },
          ...(mayWrite ? [action] : []),
        ]}
      />
    </Section>
  )
}

function Address({ endpoint: { url, description } }: { endpoint: Endpoint }) {
  return (
    <>
      <bdi>{url}</bdi>
      {description && (
        <span class="sub">
          <bdi>{description}</bdi>
        </span>
      )}
    </>
  )
}

const causes = {
  failing: 'nothing was delivered for five days',
  gone: 'the receiver answered 410',
  partner: 'by a developer',
  operator: 'by an operator',
}

function StateAndCause({ endpoint }: { endpoint: Endpoint }) {
  const { disabled_for: cause, failing_since: since } = endpoint
  return (
    <>
      <EndpointState endpoint={endpoint} />
      {cause !== null && <span class="sub">{causes[cause]}</span>}
      {cause === null && since !== null && (
        <span class="sub">
          since <Exact at={since} />
        </span>
      )}
    </>
  )
}

function Failure({ health }: { health: EndpointHealth | undefined }) {
  return (
    <>
      <When at={health?.failed_at ?? null} none="–" />
      {health?.fault && (
        <span class="sub">
          <bdi>{health.fault}</bdi>
        </span>
      )}
    </>
  )
}

function EnableOrDisable({
  clientId,
  endpoint,
  csrf,
}: {
  clientId: string
  endpoint: Endpoint
  csrf: string
}) {
  const { id, url, status } = endpoint
  const address = `/admin/partners/${encodeURIComponent(clientId)}/webhooks/${id}`
  const button =
    status === 'active'
      ? { action: `${address}/disable`, label: 'Disable', tone: 'secondary danger' as const }
      : { action: `${address}/enable`, label: 'Enable' }
  return <PostButton {...button} csrf={csrf} about={url} />
}
