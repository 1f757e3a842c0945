import type { ListedOperator } from '../operators/operators.sql.ts'
import { roles } from '../operators/scopes.ts'
import { Field, PostButton, PostForm, Select } from '../panel/forms.tsx'
import { Done, Exact, Facts, Faults, Id, Name, PageHead, Section, State, When } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import type { SetupLink } from '../people/accounts.ts'
import { roleNames } from './shell.tsx'

const url = '/admin/operators'
const back = { label: 'Operators', href: url }
const addressOf = (id: string) => `${url}/${encodeURIComponent(id)}`

export function OperatorList(props: {
  operators: ListedOperator[]
  mayWrite: boolean
  done: string | undefined
}) {
  const { operators, mayWrite, done } = props
  return (
    <>
      <PageHead title="Operators" intro="The people who use this console.">
        {mayWrite && (
          <a class="button" href={`${url}/new`}>
            New operator
          </a>
        )}
      </PageHead>
      {done && <Done>{done}</Done>}
      <Table
        caption="Operators"
        rows={operators}
        keyOf={({ id }) => id}
        empty=""
        columns={[
          {
            label: 'Name',
            cell: ({ id, name }) => (
              <a href={addressOf(id)}>
                <Name>{name}</Name>
              </a>
            ),
          },
          { label: 'Email address', cell: ({ email }) => <bdi>{email}</bdi> },
          { label: 'Role', cell: ({ role }) => roleNames[role] },
          { label: 'Status', cell: ({ status }) => <OperatorState status={status} /> },
          { label: 'Signs in with', cell: waysOf },
          { label: 'Last signed in', cell: ({ last_login_at: at }) => <When at={at} /> },
        ]}
      />
    </>
  )
}

function OperatorState({ status }: Pick<ListedOperator, 'status'>) {
  return <State tone={status === 'active' ? 'ok' : 'plain'}>{status}</State>
}

function waysOf({ has_password: hasPassword, providers }: ListedOperator): string {
  return [...(hasPassword ? ['password and app'] : []), ...providers].join(', ') || 'nothing yet'
}

type OperatorFields = { email?: string | undefined; name?: string | undefined; role?: string | undefined }

export function OperatorForm(props: { csrf: string; fields: OperatorFields; faults: string[] }) {
  const { csrf, fields, faults } = props
  return (
    <>
      <PageHead
        title="New operator"
        back={back}
        intro="You get a link with which the operator sets a password and a second factor."
      />
      <Faults faults={faults} />
      <PostForm action={`${url}/new`} csrf={csrf}>
        <Fields fields={fields} />
        <button type="submit">Add the operator</button>
      </PostForm>
    </>
  )
}

function Fields({ fields }: { fields: OperatorFields }) {
  return (
    <>
      <Field
        name="email"
        label="Email address"
        hint="The operator signs in with it."
        value={fields.email}
        maxLength={254}
        required
      />
      <Field name="name" label="Name" hint="The audit log shows it." value={fields.name} required />
      <Select
        name="role"
        label="Role"
        hint="An owner may do everything. Support reads everything and helps users. Read-only reads everything."
        value={fields.role ?? 'read_only'}
        choices={Object.fromEntries(roles.map((role) => [role, roleNames[role]]))}
      />
    </>
  )
}

export function OperatorPage(props: {
  operator: ListedOperator
  /** What the form shows. */
  fields: OperatorFields
  csrf: string
  mayWrite: boolean
  done?: string | undefined
  faults: string[]
}) {
  const { operator, fields, csrf, mayWrite, done, faults } = props
  const { id, name, status } = operator
  return (
    <>
      <PageHead title={<bdi>{name}</bdi>} back={back} />
      {done && <Done>{done}</Done>}
      <Faults faults={faults} />
      <Section
        id="account"
        title="Account"
        more={{
          label: 'What this operator did',
          href: `/admin/audit?actor=operator&actor_id=${encodeURIComponent(id)}`,
        }}
      >
        <Facts
          items={{
            Id: <Id>{id}</Id>,
            'Email address': <bdi>{operator.email}</bdi>,
            Role: roleNames[operator.role],
            Status: <OperatorState status={status} />,
            'Signs in with': waysOf(operator),
            Sessions: String(operator.live_sessions),
            'Last signed in': <Exact at={operator.last_login_at} />,
            Added: <Exact at={operator.created_at} />,
            'Setup link works until': operator.link_expires_at ? (
              <Exact at={operator.link_expires_at} />
            ) : undefined,
          }}
        />
      </Section>
      {mayWrite && (
        <Section id="change" title="Change" intro="A new role ends the sessions of the operator.">
          <PostForm action={`${addressOf(id)}/edit`} csrf={csrf}>
            <Fields fields={fields} />
            <button type="submit">Save</button>
          </PostForm>
        </Section>
      )}
      {mayWrite && <Danger operator={operator} csrf={csrf} />}
    </>
  )
}

function Danger({ operator: { id, status }, csrf }: { operator: ListedOperator; csrf: string }) {
  const isActive = status === 'active'
  return (
    <section class="danger-zone" aria-labelledby="access">
      <div class="section-head">
        <h2 id="access">Access</h2>
      </div>
      <p>
        A disabled operator cannot sign in, and can be enabled again. An operator who has lost the password or
        the second factor gets a new link.
      </p>
      <div class="form-row">
        <PostButton
          action={`${addressOf(id)}/${isActive ? 'disable' : 'enable'}`}
          csrf={csrf}
          label={isActive ? 'Disable' : 'Enable'}
          tone={isActive ? 'secondary danger' : 'secondary'}
        />
        <a class="button secondary danger" href={`${addressOf(id)}/reset`}>
          New setup link…
        </a>
        <a class="button secondary danger" href={`${addressOf(id)}/remove`}>
          Remove…
        </a>
      </div>
    </section>
  )
}

/** The link to set up an account, which is shown only this once. */
export function SetupLinkPage({ name, link, expiresAt, isMailed }: SetupLink & { name: string }) {
  return (
    <>
      <PageHead title="The link is ready" back={back} />
      <div class="notice new-secret" role="status">
        <p>
          <strong>
            Give this link to <bdi>{name}</bdi> now.
          </strong>{' '}
          It is shown only this once, and works once, until <Exact at={expiresAt} />. Anyone who has it can
          set up the account.{isMailed && ' It was mailed too.'}
        </p>
        <p>
          <Id>{link}</Id>
        </p>
      </div>
    </>
  )
}
