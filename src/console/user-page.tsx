import type { UserFacts } from '../directory/users.sql.ts'
import type { Grant } from '../grants/grants.sql.ts'
import type { SharedData } from '../households/user-households.sql.ts'
import { PostButton } from '../panel/forms.tsx'
import { amount, counted, Done, Exact, Facts, Id, PageHead, Section, When } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import type { ReadRow } from '../read-log/reads.sql.ts'
import type { ListedSession } from '../sessions/sessions.sql.ts'
import { Moment } from '../web/parts.tsx'
import { GrantTable } from './grant-table.tsx'
import { ReadTable } from './read-table.tsx'
import { UserState } from './user-list.tsx'

export function UserPage(props: {
  user: UserFacts
  source: string | null
  sessions: ListedSession[]
  grants: Grant[]
  reads: ReadRow[]
  /** Undefined: the role shows nothing. */
  shared: SharedData | undefined
  done: string | undefined
  csrf: string
  mayWrite: boolean
  /** Whether the operator may change what the platform says about the user. */
  mayChange: boolean
}) {
  const { user, source, sessions, grants, reads, shared, done, csrf, mayWrite, mayChange } = props
  const address = `/admin/users/${encodeURIComponent(user.id)}`
  const filter = encodeURIComponent(user.id)
  return (
    <>
      <PageHead title={<bdi>{user.name}</bdi>} back={{ label: 'Users', href: '/admin/users' }}>
        {mayChange && (
          <a class="button secondary" href={`${address}/edit`}>
            Change
          </a>
        )}
        {mayWrite && <Actions user={user} address={address} csrf={csrf} />}
      </PageHead>
      {done && <Done>{done}</Done>}
      <Account user={user} source={source} />
      <Section
        id="sees"
        title="What this user can see"
        more={{ label: 'Why does the user see a household, or not?', href: `${address}/access` }}
      >
        <Visibility user={user} shared={shared} />
      </Section>
      <Section
        id="grants"
        title="Grants"
        intro="Applications that read for this user, also those that have ended."
      >
        <GrantTable grants={grants} empty="This user has not connected an application yet." ofUser />
      </Section>
      <Section
        id="reads"
        title="Latest reads of this user’s data"
        more={{ label: 'All reads', href: `/admin/reads?user_id=${filter}` }}
      >
        <ReadTable
          reads={reads}
          empty="No application has read anything for this user in the time of the read log."
        />
      </Section>
      <Sessions sessions={sessions} address={address} csrf={csrf} mayWrite={mayWrite} />
      <UserLinks userId={user.id} mayWrite={mayWrite} />
    </>
  )
}

/** How much the role and the access rows show. */
function Visibility({ user, shared }: { user: UserFacts; shared: SharedData | undefined }) {
  return (
    <Facts
      items={{
        Role: (
          <>
            <bdi>{user.role}</bdi>:{' '}
            {user.sees === 'firm' ? 'all households of the firm' : 'households with access to an account'}
          </>
        ),
        Households: shared ? counted(shared.households, 'household') : 'none',
        'Active accounts': shared
          ? `${amount(shared.accounts)}${shared.more_accounts ? ' or more' : ''}`
          : 'none',
        'For example': shared?.first_names.length ? <bdi>{shared.first_names.join(', ')}</bdi> : undefined,
      }}
    />
  )
}

function UserLinks({ userId, mayWrite }: { userId: string; mayWrite: boolean }) {
  const id = encodeURIComponent(userId)
  return (
    <p>
      <a href={`/admin/audit?user=${id}`}>Audit log of this user</a> ·{' '}
      <a href={`/admin/requests?user_id=${id}`}>Calls for this user</a>
      {mayWrite && (
        <>
          {' · '}
          <a href={`/admin/users/${id}/data`}>Export or erase the data of this person</a>
        </>
      )}
    </p>
  )
}

function Actions({ user, address, csrf }: { user: UserFacts; address: string; csrf: string }) {
  const isActive = user.status === 'active'
  return (
    <>
      {isActive && (
        <a class="button secondary" href={`${address}/invite`}>
          Invite
        </a>
      )}
      {(user.passkeys > 0 || user.has_totp) && (
        <a class="button secondary" href={`${address}/reset-factors`}>
          Reset second factors
        </a>
      )}
      <PostButton
        action={`${address}/${isActive ? 'disable' : 'enable'}`}
        csrf={csrf}
        label={isActive ? 'Disable' : 'Enable'}
        tone={isActive ? 'secondary danger' : 'secondary'}
      />
    </>
  )
}

function Account({ user, source }: { user: UserFacts; source: string | null }) {
  return (
    <Section id="account" title="Account">
      <Facts
        items={{
          Id: <Id>{user.id}</Id>,
          'Email address': <bdi>{user.email}</bdi>,
          Firm: (
            <>
              <bdi>{user.firm_name}</bdi> <Id>{user.firm_id}</Id>
            </>
          ),
          Status: <UserState {...user} />,
          'Where the status comes from': <StatusSource user={user} source={source} />,
          Password: user.has_password ? 'has one here' : 'none here',
          'Second factors': factorsText(user),
        }}
      />
    </Section>
  )
}

const sources: Record<string, string> = {
  import: 'an import',
  api: 'the directory API',
  operator: 'an operator',
  login: 'a first login through the identity provider',
}

/** Which source wins (docs/directory-api.md): an operator's disable, and otherwise the last import or change by API. */
function StatusSource({ user, source }: { user: UserFacts; source: string | null }) {
  const writer = source === null ? 'a source that is not recorded' : (sources[source] ?? source)
  if (user.disabled_by_operator_at) {
    return (
      <>
        An operator disabled the user on <Moment at={user.disabled_by_operator_at} language="en" />. This wins
        over imports and the directory API, until an operator enables the user.
      </>
    )
  }
  if (user.status === 'disabled') {
    return (
      <>
        Disabled by {writer}. If you enable the user here, the next import or change by API may disable it
        again.
      </>
    )
  }
  return (
    <>
      The row was last written by {writer}. The last import or change by API wins; an operator’s disable wins
      over both.
    </>
  )
}

function factorsText({ passkeys, has_totp: totp, recovery_codes: codes }: UserFacts): string {
  const factors = [
    passkeys > 0 ? counted(passkeys, 'passkey') : '',
    totp ? 'authenticator app' : '',
    codes > 0 ? counted(codes, 'recovery code') : '',
  ].filter((text) => text !== '')
  return factors.length > 0 ? factors.join(', ') : 'none'
}

function Sessions(props: { sessions: ListedSession[]; address: string; csrf: string; mayWrite: boolean }) {
  const { sessions, address, csrf, mayWrite } = props
  const end = `${address}/sessions/end`
  return (
    <Section id="sessions" title="Sessions">
      <Table
        caption="Live sessions"
        rows={sessions}
        keyOf={({ id }) => id}
        empty="The user is not signed in anywhere."
        columns={[
          {
            label: 'Browser',
            cell: ({ browser, system }) =>
              [browser, system].filter((name) => name !== null).join(' on ') || 'Unknown browser',
          },
          { label: 'Signed in', cell: ({ auth_time: at }) => <Exact at={at} /> },
          { label: 'Last seen', cell: ({ last_seen_at: at }) => <When at={at} /> },
          ...(mayWrite
            ? [
                {
                  label: 'Action',
                  cell: ({ id, browser }: ListedSession) => (
                    <PostButton
                      action={end}
                      csrf={csrf}
                      label="End"
                      about={`the session in ${browser ?? 'an unknown browser'}`}
                      fields={{ session: id }}
                      tone="secondary danger"
                    />
                  ),
                },
              ]
            : []),
        ]}
      />
      {mayWrite && sessions.length > 1 && (
        <div class="next">
          <PostButton action={end} csrf={csrf} label="End all sessions" tone="secondary danger" />
        </div>
      )}
    </Section>
  )
}
