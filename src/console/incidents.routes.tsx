import type { FastifyInstance } from 'fastify'
import type { ListedRecord } from '../audit/list.sql.ts'
import { listAudit } from '../audit/list.ts'
import type { Context } from '../context.ts'
import { type LeakedCredential, mostCredentials, reportLeak } from '../incidents/leaked-credentials.ts'
import { may } from '../operators/scopes.ts'
import { formText } from '../panel/fields.ts'
import { Field, PostForm, TextArea } from '../panel/forms.tsx'
import { counted, Id, PageHead, Section, State, type Tone } from '../panel/page-parts.tsx'
import { filled } from '../panel/paging.ts'
import { Table } from '../panel/table.tsx'
import Type, { type Static } from '../typebox.ts'
import { AuditTable } from './audit-table.tsx'
import type { ConsoleWeb } from './edge.ts'
import { operatorPage } from './operator-page.ts'

const url = '/admin/incidents'

/** Characters of a report, and bytes of the form: each character may take three. */
const maxReport = 100_000
const bodyLimit = 3 * maxReport + 4096

const Report = Type.Object({ text: formText(maxReport), source: formText(500) })

/** What leaked is pasted here, and ends. */
export function incidentRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database, config, keys } = context
  const latest = () => listAudit(database, { event: 'credential.leaked' }, { limit: 10 })
  operatorPage(app, context, web, { url, scope: 'incidents:read' }, async ({ operator, csrf, show }) => {
    const { records } = await latest()
    const body = <IncidentsPage csrf={csrf} records={records} mayWrite={may(operator, 'incidents:write')} />
    return show({ title: 'Incidents', section: 'incidents', body })
  })
  operatorPage<{ Body: Static<typeof Report> }>(
    app,
    context,
    web,
    { method: 'POST', url, scope: 'incidents:write', schema: { body: Report }, bodyLimit },
    async ({ request, origin, csrf, show }) => {
      const { text = '', source } = request.body
      const found = await reportLeak({ database, config, keys }, origin, { text, source: filled(source) })
      const { records } = await latest()
      const body = <IncidentsPage csrf={csrf} records={records} found={found} mayWrite />
      return show({ title: 'Incidents', section: 'incidents', body })
    },
  )
}

function IncidentsPage(props: {
  csrf: string
  records: ListedRecord[]
  found?: LeakedCredential[]
  mayWrite: boolean
}) {
  const { csrf, records, found, mayWrite } = props
  return (
    <>
      <PageHead
        title="Incidents"
        intro="If a token, secret or key leaked, paste what you found. Credentials that still work end at once, and users get a mail."
      />
      {found && <Outcome found={found} />}
      {mayWrite ? (
        <PostForm action={url} csrf={csrf}>
          <TextArea
            name="text"
            label="What was found"
            hint={`A log, a file, a list: anything around the credentials is ignored, up to ${mostCredentials} of them are looked at, and the text is not stored.`}
            rows={8}
            maxLength={maxReport}
            required
          />
          <Field
            name="source"
            label="Where it was found"
            hint="For the audit log, for example an address. Never a credential."
            maxLength={500}
          />
          <button type="submit">End what leaked</button>
        </PostForm>
      ) : (
        <p>Your role cannot end credentials. Ask an owner or support.</p>
      )}
      <Section
        id="latest"
        title="Leaks so far"
        more={{ label: 'All in the audit log', href: '/admin/audit?event=credential.leaked' }}
      >
        <AuditTable records={records} empty="No leaked credential was ended here yet." />
      </Section>
    </>
  )
}

const states: Record<LeakedCredential['state'], { tone: Tone; word: string; next: string }> = {
  revoked: {
    tone: 'danger',
    word: 'ended now',
    next: 'It worked until now. It is refused from the next request on.',
  },
  not_live: { tone: 'ok', word: 'had ended before', next: 'Nothing to do: it no longer worked.' },
  unknown: { tone: 'plain', word: 'unknown', next: 'It was never issued here, or was deleted long ago.' },
  other_environment: {
    tone: 'warning',
    word: 'of the other deployment',
    next: 'Report it there: this server does not know it.',
  },
}

function Outcome({ found }: { found: LeakedCredential[] }) {
  const ended = found.filter(({ state }) => state === 'revoked').length
  return (
    <Section id="outcome" title="What became of it">
      <div class={found.length === 0 ? 'notice' : 'done'} role="status">
        <p>
          {found.length === 0
            ? 'The text has no credential of Latchkey. They begin with lk_ and end with a checksum: a part of one is not enough.'
            : `${counted(found.length, 'credential was', 'credentials were')} found, and ${counted(ended, 'was', 'were')} ended now.`}
        </p>
      </div>
      {found.length > 0 && (
        <Table
          caption="Credentials in the text"
          rows={found}
          keyOf={({ hint, credential }) => `${credential} ${hint}`}
          empty=""
          columns={[
            { label: 'Credential', cell: ({ hint }) => <Id>{hint}</Id> },
            { label: 'What it is', cell: ({ credential }) => credential.replaceAll('_', ' ') },
            {
              label: 'State',
              cell: ({ state }) => <State tone={states[state].tone}>{states[state].word}</State>,
            },
            { label: 'Whose', cell: (one) => <Owner {...one} /> },
            { label: 'What next', cell: (one) => nextStep(one) },
          ]}
        />
      )}
    </Section>
  )
}

function nextStep({ credential, state, liveSecrets }: LeakedCredential): string {
  const { next } = states[state]
  return credential === 'client_secret' && liveSecrets === 0
    ? `${next} The partner has no secret left: give it a new one.`
    : next
}

function Owner({ clientId, userId, apiKeyId }: LeakedCredential) {
  return (
    <>
      {clientId !== undefined && (
        <a href={`/admin/partners/${encodeURIComponent(clientId)}`}>
          <Id>{clientId}</Id>
        </a>
      )}
      {userId !== undefined && (
        <span class="sub">
          for <a href={`/admin/users/${encodeURIComponent(userId)}`}>{userId}</a>
        </span>
      )}
      {apiKeyId !== undefined && (
        <a href="/admin/api-keys">
          <Id>{apiKeyId}</Id>
        </a>
      )}
      {clientId === undefined && apiKeyId === undefined && '–'}
    </>
  )
}
