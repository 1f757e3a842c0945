import { endings } from '../errors/endings.ts'
import type { PartnerConnection, PartnerGrant } from '../grants/partner-grants.sql.ts'
import { Exact, Facts, Id, PageHead, Section, State, When } from '../panel/page-parts.tsx'
import { RequestTable } from '../panel/request-table.tsx'
import { Table } from '../panel/table.tsx'
import type { PartnerRequest } from '../request-log/partner-requests.ts'
import { appAddress } from './shell.tsx'

type Cause = NonNullable<PartnerGrant['cause']>

/** In the words of a list. `endings` explains them. */
const causes: Record<Cause, string> = {
  ended_by_user: 'disconnected by the user',
  ended_by_operator: 'ended by the operator',
  ended_by_firm_change: 'user moved to another firm',
  ended_by_expiry: 'consent expired',
  ended_by_partner: 'revoked by you',
  ended_by_code_replay: 'code used twice',
  ended_by_code_misuse: 'code used wrongly',
  ended_by_refresh_replay: 'old refresh token used',
  ended_by_leak: 'token leaked',
  ended: 'ended',
  user_disabled: 'user disabled',
}

function LiveOrEnded({ cause }: { cause: Cause | null }) {
  if (cause === null) return <State tone="ok">live</State>
  return <State tone="plain">{causes[cause]}</State>
}

export function GrantTable(props: {
  clientId: string
  grants: PartnerGrant[]
  next: string | undefined
  isFiltered: boolean
}) {
  const { clientId, grants, next, isFiltered } = props
  return (
    <Table
      caption="Grants, the newest first"
      rows={grants}
      keyOf={({ id }) => id}
      next={next}
      empty={
        isFiltered ? (
          <>
            No grant matches. <a href={appAddress({ clientId }, '/grants?state=all')}>Show all</a>
          </>
        ) : (
          <>
            No user is connected now. A grant appears here when a user presses Connect.{' '}
            <a href={appAddress({ clientId }, '/grants?state=ended')}>Show those that have ended</a>
          </>
        )
      }
      columns={[
        {
          label: 'Grant id',
          cell: ({ id }) => (
            <a href={appAddress({ clientId }, `/grants/${id}`)}>
              <Id>{id}</Id>
            </a>
          ),
        },
        { label: 'User (sub)', cell: ({ subject }) => <Id>{subject}</Id> },
        { label: 'State', cell: ({ cause }) => <LiveOrEnded cause={cause} /> },
        { label: 'Connected', cell: ({ created_at: at }) => <Exact at={at} /> },
        { label: 'Last call', cell: ({ last_used_at: at }) => <When at={at} /> },
        {
          label: 'End',
          cell: ({ ended_at: ended, expires_at: at }) => <Exact at={ended ?? at} none="no end" />,
        },
      ]}
    />
  )
}

export function GrantPage(props: {
  clientId: string
  grant: PartnerGrant
  connections: PartnerConnection[]
  calls: PartnerRequest[]
}) {
  const { clientId, grant, connections, calls } = props
  const { id, cause } = grant
  return (
    <>
      <PageHead title={`Grant ${id}`} back={{ label: 'Grants', href: appAddress({ clientId }, '/grants') }} />
      {cause !== null && <Ending cause={cause} />}
      <section aria-label="Facts">
        <GrantFacts clientId={clientId} grant={grant} />
      </section>
      <Section
        id="connections"
        title="Connections"
        intro="Each time the user connects, one authorization code starts a connection of the grant. Refresh only the newest refresh token of a connection."
      >
        <Connections connections={connections} />
      </Section>
      <Section
        id="calls"
        title="Latest calls"
        more={{
          label: 'All calls of this grant',
          href: appAddress({ clientId }, `/requests?grant_id=${id}`),
        }}
      >
        <RequestTable
          requests={calls}
          address={({ request_id }) =>
            appAddress({ clientId }, `/requests?request_id=${encodeURIComponent(request_id)}`)
          }
          parties={[]}
          empty="The request log has no call of this grant. A call appears within five seconds."
        />
      </Section>
    </>
  )
}

function GrantFacts({ clientId, grant }: { clientId: string; grant: PartnerGrant }) {
  const { id, subject, cause } = grant
  return (
    <Facts
      items={{
        'Grant id': <Id>{id}</Id>,
        State: <LiveOrEnded cause={cause} />,
        'User (sub)': (
          <a href={appAddress({ clientId }, `/grants?subject=${encodeURIComponent(subject)}`)}>
            <Id>{subject}</Id>
          </a>
        ),
        Connected: <Exact at={grant.created_at} />,
        'Last call': <When at={grant.last_used_at} />,
        [grant.ended_at === null ? 'Consent ends' : 'Ended']: (
          <Exact at={grant.ended_at ?? grant.expires_at} none="no end" />
        ),
      }}
    />
  )
}

/** Why it has ended, and what to do. */
function Ending({ cause }: { cause: Cause }) {
  const { cause: reason, remedy } = endings[cause]
  return (
    <div class="verdict danger">
      <p class="answer">{reason}</p>
      <p>
        <strong>What to do:</strong> {remedy}
      </p>
    </div>
  )
}

function Connections({ connections }: { connections: PartnerConnection[] }) {
  return (
    <Table
      caption="Connections, the newest first"
      rows={connections}
      keyOf={({ id }) => id}
      empty="Nothing is kept about its tokens: they ended some time ago."
      columns={[
        { label: 'Connection id', cell: ({ id }) => <Id>{id}</Id> },
        { label: 'Began', cell: ({ created_at: at }) => <Exact at={at} /> },
        { label: 'Last refresh', cell: ({ refreshed_at: at }) => <When at={at} none="code not redeemed" /> },
        { label: 'State', cell: ({ cause }) => <LiveOrEnded cause={cause} /> },
        { label: 'Ended', cell: ({ ended_at: at }) => <Exact at={at} none="–" /> },
      ]}
    />
  )
}
