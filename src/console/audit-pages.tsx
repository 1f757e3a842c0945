import type { StoredCheckpoint } from '../audit/chain.sql.ts'
import { auditEvents } from '../audit/events.ts'
import type { ListedRecord } from '../audit/list.sql.ts'
import type { AuditFilter } from '../audit/list.ts'
import { Field, Filters, PostForm, Select } from '../panel/forms.tsx'
import { Exact, Facts, Faults, Id, PageHead, Section, When } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import type { Static } from '../typebox.ts'
import { Actor, AuditTable, actorKinds } from './audit-table.tsx'

export function AuditList(props: {
  records: ListedRecord[]
  next: string | undefined
  filter: AuditFilter
  faults: string[]
  /** The place of the last record in the chain. Undefined: there is none. */
  chained: string | undefined
  checkpoint: Static<typeof StoredCheckpoint> | undefined
}) {
  const { records, next, filter, faults, chained, checkpoint } = props
  return (
    <>
      <PageHead
        title="Audit"
        intro={
          checkpoint ? (
            <>
              {chained} records are chained. A signed checkpoint covers the first {checkpoint.place}, made{' '}
              <When at={checkpoint.at} />. <code>latchkey audit verify</code> finds what was changed.
            </>
          ) : (
            <>
              No checkpoint is signed yet: the server signs one after some seconds.{' '}
              <code>latchkey audit verify</code> finds what was changed.
            </>
          )
        }
      >
        <a class="button secondary" href="/admin/audit/export">
          Export
        </a>
      </PageHead>
      <Filters action="/admin/audit">
        <Select
          name="event"
          label="Event"
          value={filter.event}
          choices={{ '': 'Any event', ...Object.fromEntries(auditEvents.map((event) => [event, event])) }}
        />
        <Select name="actor" label="Who" value={filter.actorKind} choices={{ '': 'Anyone', ...actorKinds }} />
        <Field name="user" label="About the user: id" value={filter.user} maxLength={64} />
        <Field name="client" label="About the partner: client id" value={filter.client} maxLength={100} />
        <Field name="request" label="Request id" value={filter.requestId} maxLength={128} />
        <Field name="since" label="First day, as 2026-11-22" value={filter.since} maxLength={10} />
        <Field name="until" label="Last day" value={filter.until} maxLength={10} />
      </Filters>
      <Faults faults={faults} />
      <AuditTable
        records={records}
        next={next}
        empty={
          <>
            No record matches. <a href="/admin/audit">Show all records</a>
          </>
        }
      />
    </>
  )
}

type Change = { name: string; before: string | undefined; after: string | undefined }

export function RecordPage({ record }: { record: ListedRecord }) {
  const { details } = record
  const { before, after, ...others } = details
  const changes = changesOf(before, after)
  return (
    <>
      <PageHead title={<code>{record.event}</code>} back={{ label: 'Audit', href: '/admin/audit' }} />
      <section aria-label="Facts">
        <Facts
          items={{
            When: <Exact at={record.at} />,
            Who: <Actor {...record} />,
            'Id of who': record.actor_id ? <Id>{record.actor_id}</Id> : undefined,
            Through: viaNames[record.via] ?? record.via,
            Address: record.address ? <Id>{record.address}</Id> : undefined,
            Program: record.user_agent ? <bdi>{record.user_agent}</bdi> : undefined,
            Target: (
              <>
                {record.target_kind} <Id>{record.target_id}</Id>
              </>
            ),
            Partner: record.client_id ? (
              <a href={`/admin/partners/${encodeURIComponent(record.client_id)}`}>
                <Id>{record.client_id}</Id>
              </a>
            ) : undefined,
            User: record.user_id ? (
              <a href={`/admin/users/${encodeURIComponent(record.user_id)}`}>
                <Id>{record.user_id}</Id>
              </a>
            ) : undefined,
            Firm: record.firm_id ? <Id>{record.firm_id}</Id> : undefined,
            'Request id': record.request_id ? (
              <a href={`/admin/audit?request=${encodeURIComponent(record.request_id)}`}>
                <Id>{record.request_id}</Id>
              </a>
            ) : undefined,
            'Place in the chain': record.place ?? 'not chained yet, which takes some seconds',
          }}
        />
      </section>
      {changes.length > 0 && (
        <Section id="changes" title="Before and after">
          <Table
            caption="Changed settings"
            rows={changes}
            keyOf={({ name }) => name}
            empty=""
            columns={[
              { label: 'Setting', cell: ({ name }) => <code>{name}</code> },
              { label: 'Before', cell: ({ before }) => <Value>{before}</Value> },
              { label: 'After', cell: ({ after }) => <Value>{after}</Value> },
            ]}
          />
        </Section>
      )}
      {Object.keys(others).length > 0 && (
        <Section id="details" title="Details">
          <Facts
            items={Object.fromEntries(
              Object.entries(others).map(([name, value]) => [name, <Json key={name} of={value} />]),
            )}
          />
        </Section>
      )}
    </>
  )
}

const viaNames: Record<string, string> = {
  cli: 'the command line',
  admin_api: 'the admin API',
  console: 'the console',
  page: 'a page of users',
  api: 'the API',
  job: 'a job of the server',
}

function Value({ children }: { children: string | undefined }) {
  return children === undefined ? <span class="muted">not set</span> : <bdi>{children}</bdi>
}

function Json({ of }: { of: unknown }) {
  return <bdi>{textOf(of)}</bdi>
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function changesOf(before: unknown, after: unknown): Change[] {
  const [old, now] = [membersOf(before), membersOf(after)]
  const names = [...new Set([...old.keys(), ...now.keys()])]
  return names.map((name) => ({ name, before: old.get(name), after: now.get(name) }))
}

function membersOf(value: unknown): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map()
  return new Map(Object.entries(value).map(([name, member]) => [name, textOf(member)]))
}

export function ExportPage({ csrf, faults }: { csrf: string; faults: string[] }) {
  return (
    <>
      <PageHead
        title="Export the audit log"
        back={{ label: 'Audit', href: '/admin/audit' }}
        intro="JSON lines, one OCSF event each, with a signed seal. The export itself is recorded."
      />
      <Faults faults={faults} />
      <PostForm action="/admin/audit/export" csrf={csrf}>
        <Field
          name="since"
          label="First day, as 2026-11-22"
          hint="Empty: from the beginning."
          maxLength={10}
        />
        <Field name="until" label="Last day" hint="Empty: until now." maxLength={10} />
        <button type="submit">Export</button>
      </PostForm>
    </>
  )
}
