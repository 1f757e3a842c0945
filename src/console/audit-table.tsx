import type { ComponentChildren } from 'preact'
import type { ListedRecord } from '../audit/list.sql.ts'
import { placeOf } from '../audit/list.ts'
import { Exact, Id } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'

/** Records of the audit log. Each leads to its page. */
export function AuditTable(props: {
  records: ListedRecord[]
  empty: ComponentChildren
  next?: string | undefined
}) {
  return (
    <Table
      caption="Records, the newest first"
      rows={props.records}
      keyOf={placeOf}
      next={props.next}
      empty={props.empty}
      columns={[
        {
          label: 'What',
          cell: (record) => (
            <a href={recordAddress(record)}>
              <code>{record.event}</code>
            </a>
          ),
        },
        { label: 'When', cell: ({ at }) => <Exact at={at} /> },
        { label: 'Who', cell: (record) => <Actor {...record} /> },
        {
          label: 'Target',
          cell: ({ target_kind: kind, target_id: id }) => (
            <>
              {kind} <Id>{id}</Id>
            </>
          ),
        },
      ]}
    />
  )
}

export function recordAddress(record: Pick<ListedRecord, 'at' | 'id'>): string {
  return `/admin/audit/${record.id}?at=${encodeURIComponent(record.at)}`
}

export const actorKinds: Record<string, string> = {
  operator: 'Operator',
  api_key: 'API key',
  os_user: 'Command by',
  user: 'User',
  partner: 'Partner',
  developer: 'Developer',
  developer_key: 'Key of developers',
  provider: 'Identity provider',
  secret_scanner: 'Secret scanner',
  system: 'Latchkey',
}

/** Who made a change. */
export function Actor({
  actor_kind: kind,
  actor_id: id,
  actor_name: name,
}: Pick<ListedRecord, 'actor_kind' | 'actor_id' | 'actor_name'>) {
  const who = name ?? id
  return (
    <>
      {actorKinds[kind] ?? kind}
      {who !== null && (
        <>
          {' '}
          <bdi>{who}</bdi>
        </>
      )}
    </>
  )
}
