import type { ComponentChildren } from 'preact'
import { Field, Filters, Select } from '../panel/forms.tsx'
import { Done, Exact, Id, Name, PageHead, State } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import type { FoundPartner } from './search.sql.ts'

const statuses = { '': 'Any status', active: 'Active', suspended: 'Suspended' }

export function PartnerList(props: {
  partners: FoundPartner[]
  next: string | undefined
  filter: { q: string | undefined; status: string | undefined }
  isDeleted: boolean
  mayWrite: boolean
  /** In production: partners come from a sandbox. */
  opensRequests: boolean
}) {
  const { partners, next, filter, isDeleted, mayWrite, opensRequests } = props
  const isFiltered = filter.q !== undefined || filter.status !== undefined
  return (
    <>
      <PageHead title="Partners" intro="Applications that users can connect to their accounts.">
        {mayWrite && opensRequests && (
          <a class="button secondary" href="/admin/going-live">
            Open a request to go live
          </a>
        )}
        {mayWrite && (
          <a class="button" href="/admin/partners/new">
            New partner
          </a>
        )}
      </PageHead>
      {isDeleted && (
        <Done>The partner is deleted. The audit log keeps its settings and who was connected.</Done>
      )}
      <Filters action="/admin/partners">
        <Field name="q" label="Name or client id" value={filter.q} maxLength={200} />
        <Select name="status" label="Status" value={filter.status} choices={statuses} />
      </Filters>
      <PartnerTable
        partners={partners}
        next={next}
        empty={
          isFiltered ? (
            <>
              No partner matches. <a href="/admin/partners">Show all partners</a>
            </>
          ) : (
            <>
              No partner is registered yet.{' '}
              {mayWrite ? <a href="/admin/partners/new">Register the first one</a> : null}
            </>
          )
        }
      />
    </>
  )
}

export function PartnerTable({
  partners,
  next,
  empty,
}: {
  partners: FoundPartner[]
  next?: string | undefined
  empty: ComponentChildren
}) {
  return (
    <Table
      caption="Partners"
      rows={partners}
      keyOf={({ client_id: id }) => id}
      next={next}
      empty={empty}
      columns={[
        {
          label: 'Name',
          cell: ({ client_id: id, name }) => (
            <a href={`/admin/partners/${encodeURIComponent(id)}`}>
              <Name>{name}</Name>
            </a>
          ),
        },
        { label: 'Client id', cell: ({ client_id: id }) => <Id>{id}</Id> },
        { label: 'Status', cell: ({ status }) => <PartnerState status={status} /> },
        { label: 'Registered', cell: ({ created_at: at }) => <Exact at={at} /> },
      ]}
    />
  )
}

export function PartnerState({ status }: { status: 'active' | 'suspended' }) {
  return status === 'active' ? <State tone="ok">active</State> : <State tone="danger">suspended</State>
}
