import { type InviteFields, InviteForm } from '../developer-pages/people-pages.tsx'
import { roleNames } from '../developer-pages/shell.tsx'
import type { DeveloperOfPartner } from '../developers/developers.ts'
import type { InviteOutcome } from '../developers/members.ts'
import { Done, Exact, NewSecret, PageHead, State, When } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import type { ListedPartner } from '../partners/partners.sql.ts'

const done: Record<string, string> = {
  role: 'The role is changed. It applies with the next request.',
  removed: 'The developer no longer has access to this partner. The account stays.',
}

export function DeveloperList(props: {
  /** Of this page. */
  address: string
  partner: ListedPartner
  developers: DeveloperOfPartner[]
  mayWrite: boolean
  done: string | undefined
}) {
  const { address, partner, developers, mayWrite } = props
  const text = done[props.done ?? '']
  return (
    <>
      <PageHead
        title="Developers"
        back={{ label: partner.name, href: address.slice(0, address.lastIndexOf('/')) }}
        intro={
          <>
            The people who use the developer pages of <bdi>{partner.name}</bdi>.
          </>
        }
      >
        {mayWrite && (
          <a class="button" href={`${address}/invite`}>
            Invite a developer
          </a>
        )}
      </PageHead>
      {text && <Done>{text}</Done>}
      <Table
        caption="Developers of the partner"
        rows={developers}
        keyOf={({ id }) => id}
        empty="No one uses the developer pages of this partner. Invite the first administrator, who can invite others."
        columns={[
          {
            label: 'Developer',
            cell: ({ id, email, name }) => (
              <>
                {mayWrite ? (
                  <a href={`${address}/${id}`}>
                    <bdi>{email}</bdi>
                  </a>
                ) : (
                  <bdi>{email}</bdi>
                )}
                <span class="sub">
                  <bdi>{name}</bdi>
                </span>
              </>
            ),
          },
          { label: 'Role', cell: ({ role }) => roleNames[role] },
          { label: 'State', cell: (developer) => <AccountState developer={developer} /> },
          { label: 'Last sign-in', cell: ({ last_login_at: at }) => <When at={at} /> },
        ]}
      />
    </>
  )
}

function AccountState({ developer }: { developer: DeveloperOfPartner }) {
  const { status, has_password: hasPassword, providers, link_expires_at: until } = developer
  if (status === 'disabled') return <State tone="warning">disabled</State>
  if (hasPassword || providers.length > 0) return <State tone="ok">active</State>
  return (
    <>
      <State tone="plain">invited</State>
      {until && (
        <span class="sub">
          link until <Exact at={until} />
        </span>
      )}
    </>
  )
}

export function InvitePage(props: { address: string; csrf: string; fields: InviteFields; faults: string[] }) {
  const { address, ...form } = props
  return (
    <>
      <PageHead title="Invite a developer" back={{ label: 'Developers', href: address }} />
      <InviteForm action={`${address}/invite`} {...form} />
    </>
  )
}

/** With the link, if the developer must still set up the account. */
export function InvitedPage(props: {
  address: string
  email: string
  outcome: Extract<InviteOutcome, { kind: 'invited' | 'was_member' }>
}) {
  const { address, email, outcome } = props
  const { link } = outcome
  return (
    <>
      <PageHead
        title={outcome.kind === 'invited' ? 'The developer is invited' : 'This is a developer already'}
        back={{ label: 'Developers', href: address }}
        intro={<bdi>{email}</bdi>}
      />
      {link ? (
        <>
          <NewSecret what="link">{link.link}</NewSecret>
          <p>
            With it, the developer sets a password and a second factor. It works once, until{' '}
            <Exact at={link.expiresAt} />. {link.isMailed && 'It was mailed too.'}
          </p>
        </>
      ) : (
        <p>The account is set up already: the developer signs in with it.</p>
      )}
    </>
  )
}
