import type { Member } from '../developers/members.sql.ts'
import type { MemberApp } from '../developers/sessions.ts'
import { Confirmation, Field, PostForm, Select } from '../panel/forms.tsx'
import { Exact, Faults, PageHead, State, When } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import { appAddress, roleNames } from './shell.tsx'

/** What each role may do, for the people who choose one. */
const roleChoices = {
  viewer: 'Viewer: reads',
  developer: 'Developer: also changes the application',
  admin: 'Administrator: also decides about people and developer keys, and asks to go live',
}

const tones = { invited: 'plain', active: 'ok', disabled: 'warning' } as const

function MemberState({ status }: { status: Member['status'] }) {
  return <State tone={tones[status]}>{status}</State>
}

export function PeopleList(props: {
  app: MemberApp
  members: Member[]
  /** Absent: only the operator invites, because the server sends no mails. */
  invite: string | undefined
}) {
  const { app, members, invite } = props
  return (
    <>
      <PageHead title="People" intro="Who works on this application, and what they may do.">
        {invite && (
          <a class="button" href={invite}>
            Invite a developer
          </a>
        )}
      </PageHead>
      {!invite && (
        <p class="notice">This server sends no mails. Ask the operator of this API to invite developers.</p>
      )}
      <Table
        caption="Developers of the application"
        rows={members}
        keyOf={({ id }) => id}
        empty="There are no developers."
        columns={[
          {
            label: 'Developer',
            cell: ({ id, email, name }) => (
              <>
                <a href={appAddress(app, `/people/${id}`)}>
                  <bdi>{email}</bdi>
                </a>
                {name !== null && (
                  <span class="sub">
                    <bdi>{name}</bdi>
                  </span>
                )}
              </>
            ),
          },
          { label: 'Role', cell: ({ role }) => roleNames[role] },
          { label: 'State', cell: ({ status }) => <MemberState status={status} /> },
          { label: 'Invited', cell: ({ invited_at: at }) => <Exact at={at} /> },
          { label: 'Last seen here', cell: ({ last_seen_at: at }) => <When at={at} /> },
        ]}
      />
    </>
  )
}

export type InviteFields = {
  email?: string | undefined
  name?: string | undefined
  role?: string | undefined
}

export function InviteForm(props: { action: string; csrf: string; fields: InviteFields; faults: string[] }) {
  const { action, csrf, fields, faults } = props
  return (
    <>
      <Faults faults={faults} />
      <PostForm action={action} csrf={csrf}>
        <Field name="email" label="Email address" value={fields.email} required maxLength={254} />
        <Field
          name="name"
          label="Name"
          hint="For a new account. An account that exists keeps its name."
          value={fields.name}
          required
          maxLength={200}
        />
        <Select name="role" label="Role" value={fields.role ?? 'developer'} choices={roleChoices} />
        <button type="submit">Invite</button>
      </PostForm>
    </>
  )
}

export function MemberPage(props: {
  /** The address of the list of people. The pages of each are below it. */
  people: string
  member: Pick<Member, 'id' | 'email' | 'name' | 'role'>
  isSelf?: boolean
  csrf: string
  faults: string[]
}) {
  const { people, member, isSelf = false, csrf, faults } = props
  const address = `${people}/${member.id}`
  const back = { label: 'People', href: people }
  return (
    <>
      <PageHead
        title={<bdi>{member.name ?? member.email}</bdi>}
        back={back}
        intro={<bdi>{member.email}</bdi>}
      />
      <Faults faults={faults} />
      <PostForm action={address} csrf={csrf}>
        <Select name="role" label="Role" value={member.role} choices={roleChoices} />
        <button type="submit">Change role</button>
      </PostForm>
      <section class="danger-zone" aria-labelledby="remove">
        <h2 id="remove">Remove from the application</h2>
        <Confirmation
          action={`${address}/remove`}
          csrf={csrf}
          button={isSelf ? 'Leave the application' : 'Remove'}
          isDangerous
          cancel={back}
        >
          <p>
            {isSelf ? 'You lose' : 'The developer loses'} access to this application with the next request.
            The account and other applications stay. Client secrets and developer keys still work, including
            those that this developer made. Replace or revoke those that may have been copied, on the page
            Credentials.
          </p>
        </Confirmation>
      </section>
    </>
  )
}
