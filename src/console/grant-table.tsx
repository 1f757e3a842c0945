import type { ComponentChildren } from 'preact'
import type { Grant } from '../grants/grants.sql.ts'
import { Exact, Id, State } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'

const endings = { user: 'ended by the user', operator: 'ended by an operator', expiry: 'expired' }

export function GrantState({ grant }: { grant: Grant }) {
  if (grant.revoked_at === null) return <State tone="ok">live</State>
  return <State tone="plain">{grant.revoked_by === null ? 'ended' : endings[grant.revoked_by]}</State>
}

/** Which user lets which partner read. */
export function GrantTable(props: {
  grants: Grant[]
  empty: ComponentChildren
  next?: string | undefined
  /** Whether all are of one user, whom the page names. */
  ofUser?: boolean
}) {
  const { grants, empty, next, ofUser = false } = props
  return (
    <Table
      caption="Grants"
      rows={grants}
      keyOf={({ id }) => id}
      next={next}
      empty={empty}
      columns={[
        {
          label: 'Grant',
          cell: ({ id }) => (
            <a href={`/admin/grants/${id}`}>
              <Id>{id}</Id>
            </a>
          ),
        },
        {
          label: 'Partner',
          cell: ({ client_id: id, partner_name: name }) => (
            <a href={`/admin/partners/${encodeURIComponent(id)}`}>
              <bdi>{name}</bdi>
            </a>
          ),
        },
        ...(ofUser
          ? []
          : [
              {
                label: 'User',
                cell: ({ user_id: id, email }: Grant) => (
                  <>
                    <a href={`/admin/users/${encodeURIComponent(id)}`}>
                      <bdi>{email}</bdi>
                    </a>
                    <span class="sub">
                      <Id>{id}</Id>
                    </span>
                  </>
                ),
              },
            ]),
        { label: 'State', cell: (grant) => <GrantState grant={grant} /> },
        { label: 'Connected', cell: ({ created_at: at }) => <Exact at={at} /> },
        {
          label: 'Ends',
          cell: ({ revoked_at: ended, expires_at: at }) => <Exact at={ended ?? at} none="no end" />,
        },
      ]}
    />
  )
}
