import type { ComponentChildren } from 'preact'
import type { ListedFirm } from '../directory/requirements.sql.ts'
import { Field, Filters, Select } from '../panel/forms.tsx'
import { Done, Id, Name, PageHead, State } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import type { FoundUser } from './search.sql.ts'

export function UserList(props: {
  users: FoundUser[]
  next: string | undefined
  firms: ListedFirm[]
  filter: { q: string | undefined; firmId: string | undefined; status: string | undefined }
  mayWrite: boolean
  done: string | undefined
}) {
  const { users, next, firms, filter, mayWrite, done } = props
  const choices = { '': 'Any firm', ...Object.fromEntries(firms.map(({ id, name }) => [id, name])) }
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <>
      <PageHead title="Users" intro="People with credentials of the platform, who can connect partners.">
        {mayWrite && (
          <a class="button" href="/admin/users/new">
            New user
          </a>
        )}
      </PageHead>
      {done && <Done>{done}</Done>}
      <Filters action="/admin/users">
        <Field name="q" label="Id, email address or name" value={filter.q} maxLength={200} />
        <Select name="firm_id" label="Firm" value={filter.firmId} choices={choices} />
        <Select
          name="status"
          label="Status"
          value={filter.status}
          choices={{ '': 'Any status', active: 'Active', disabled: 'Disabled' }}
        />
      </Filters>
      <UserTable
        users={users}
        next={next}
        empty={
          isFiltered ? (
            <>
              No user matches. <a href="/admin/users">Show all users</a>
            </>
          ) : (
            <>
              There are no users yet. Import them with <code>latchkey import DIR</code>, or by the directory
              API.
            </>
          )
        }
      />
    </>
  )
}

export function UserTable(props: {
  users: FoundUser[]
  next?: string | undefined
  empty: ComponentChildren
}) {
  return (
    <Table
      caption="Users"
      rows={props.users}
      keyOf={({ id }) => id}
      next={props.next}
      empty={props.empty}
      columns={[
        {
          label: 'Name',
          cell: ({ id, name }) => (
            <a href={`/admin/users/${encodeURIComponent(id)}`}>
              <Name>{name}</Name>
            </a>
          ),
        },
        { label: 'Id', cell: ({ id }) => <Id>{id}</Id> },
        { label: 'Email address', cell: ({ email }) => <bdi>{email}</bdi> },
        { label: 'Firm', cell: ({ firm_id: firm }) => <Id>{firm}</Id> },
        { label: 'Role', cell: ({ role }) => <bdi>{role}</bdi> },
        { label: 'Status', cell: (user) => <UserState {...user} /> },
      ]}
    />
  )
}

export function UserState({
  status,
  disabled_by_operator_at: byOperator,
}: Pick<FoundUser, 'status' | 'disabled_by_operator_at'>) {
  if (status === 'active') return <State tone="ok">active</State>
  return <State tone="danger">{byOperator ? 'disabled by operator' : 'disabled'}</State>
}
