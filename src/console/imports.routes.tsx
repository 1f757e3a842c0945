import type { FastifyInstance } from 'fastify'
import type { ListedRecord } from '../audit/list.sql.ts'
import { listAudit, placeOf } from '../audit/list.ts'
import type { Context } from '../context.ts'
import { amount, Exact, PageHead, Section } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import { Actor, recordAddress } from './audit-table.tsx'
import type { ConsoleWeb } from './edge.ts'
import { operatorPage } from './operator-page.ts'

/** Records of each kind on the page. The audit log has all. */
const shown = 25

/** How the directory changed: imports of files, and changes by API. Both are records of the audit log. */
export function importRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  operatorPage(app, context, web, { url: '/admin/imports', scope: 'directory:read' }, async ({ show }) => {
    const [imports, refused, changes] = await Promise.all([
      listAudit(context.database, { event: 'directory.imported' }, { limit: shown }),
      listAudit(context.database, { event: 'directory.import_refused' }, { limit: shown }),
      listAudit(context.database, { event: 'directory.changed' }, { limit: shown }),
    ])
    const body = (
      <>
        <PageHead
          title="Imports and directory changes"
          intro="Firms, roles, users, households, accounts and access come from the platform. The last import or change by API wins."
        />
        <Section
          id="imports"
          title="Imports"
          more={{ label: 'All imports', href: '/admin/audit?event=directory.imported' }}
        >
          <ChangeTable
            caption="Imports, the newest first"
            records={imports.records}
            summaryOf={filesOf}
            empty="Nothing was imported yet. Import CSV files with latchkey import DIR."
          />
        </Section>
        {refused.records.length > 0 && (
          <Section
            id="refused"
            title="Imports that changed nothing"
            more={{ label: 'All of them', href: '/admin/audit?event=directory.import_refused' }}
          >
            <ChangeTable
              caption="Imports that changed nothing, the newest first"
              records={refused.records}
              summaryOf={({ details }) => [reasonOf(details)]}
              empty=""
            />
          </Section>
        )}
        <Section
          id="changes"
          title="Changes by API"
          more={{ label: 'All changes', href: '/admin/audit?event=directory.changed' }}
        >
          <ChangeTable
            caption="Changes by API, the newest first"
            records={changes.records}
            summaryOf={({ details }) => countsOf(details.counts)}
            empty="The directory API was not used yet. It takes changes at POST /admin/v1/directory/changes."
          />
        </Section>
      </>
    )
    return show({ title: 'Imports', section: 'imports', body })
  })
}

function ChangeTable(props: {
  caption: string
  records: ListedRecord[]
  summaryOf: (record: ListedRecord) => string[]
  empty: string
}) {
  return (
    <Table
      caption={props.caption}
      rows={props.records}
      keyOf={placeOf}
      empty={props.empty}
      columns={[
        {
          label: 'When',
          cell: (record) => (
            <a href={recordAddress(record)}>
              <Exact at={record.at} />
            </a>
          ),
        },
        { label: 'Who', cell: (record) => <Actor {...record} /> },
        {
          label: 'What changed',
          cell: (record) =>
            props.summaryOf(record).map((line) => (
              <span class="line" key={line}>
                {line}
              </span>
            )),
        },
      ]}
    />
  )
}

/** `users.csv: 3 added, 2 changed`. Digests are on the page of the record. */
function filesOf({ details }: ListedRecord): string[] {
  return members(details.files).map(([file, counts]) => {
    const texts = members(counts).flatMap(([name, count]) =>
      typeof count === 'number' && count > 0 ? [`${amount(count)} ${name}`] : [],
    )
    return `${file}: ${texts.length > 0 ? texts.join(', ') : 'no rows'}`
  })
}

const reasons: Record<string, string> = {
  too_many_removals: 'It would have removed more rows than --at-most allows.',
  busy: 'Another import or change was running.',
  interrupted: 'It was interrupted.',
}

function reasonOf({ reason, faults }: ListedRecord['details']): string {
  if (reason === 'refused')
    return `The files have ${amount(Number(faults))} faults. The command has named them.`
  return reasons[String(reason)] ?? String(reason)
}

function countsOf(counts: unknown): string[] {
  const lines = members(counts).map(([name, count]) => `${name}: ${textOf(count)}`)
  return lines.length > 0 ? lines : ['no rows']
}

function textOf(count: unknown): string {
  if (typeof count === 'number') return amount(count)
  return members(count)
    .map(([name, value]) => `${String(value)} ${name}`)
    .join(', ')
}

function members(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}
