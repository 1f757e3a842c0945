import type { ComponentChildren } from 'preact'
import { amount, Id } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import type { ReadRow } from '../read-log/reads.sql.ts'
import { placeOfRead } from '../read-log/reads.ts'

/** Which application has read on which day. */
export function ReadTable(props: { reads: ReadRow[]; empty: ComponentChildren; next?: string | undefined }) {
  return (
    <Table
      caption="Reads by day and grant, the newest first"
      rows={props.reads}
      keyOf={placeOfRead}
      next={props.next}
      empty={props.empty}
      columns={[
        { label: 'Application', cell: ({ partner_name: name }) => <bdi>{name}</bdi> },
        { label: 'Day (UTC)', cell: ({ day }) => day },
        {
          label: 'For the user',
          cell: ({ user_id: id }) => (
            <a href={`/admin/users/${encodeURIComponent(id)}`}>
              <Id>{id}</Id>
            </a>
          ),
        },
        { label: 'Households', cell: ({ households }) => amount(households), isNumber: true },
        { label: 'Reads', cell: ({ reads }) => amount(reads), isNumber: true },
        {
          label: 'Grant',
          cell: ({ grant_id: id }) => (
            <a href={`/admin/reads/${id}`}>
              Which households<span class="hidden"> of grant {id}</span>
            </a>
          ),
        },
      ]}
    />
  )
}
