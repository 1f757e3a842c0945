import type { ComponentChildren } from 'preact'
import { roleNames } from '../developer-pages/shell.tsx'
import type { InvitedDeveloper, OpenedRequest } from '../going-live/open-request.ts'
import { type GoingLiveRequest, longestRequest, type RequestedCheck } from '../going-live/request.ts'
import { FileField, PostForm, TextArea } from '../panel/forms.tsx'
import { Exact, Facts, Faults, Id, Name, PageHead, Section, State } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import { partnerAddress } from './partners.routes.tsx'

type Opened = Extract<OpenedRequest, { kind: 'opened' }>

export const goingLiveUrl = '/admin/going-live'
const back = { label: 'Partners', href: '/admin/partners' }

export function RequestForm({ csrf, faults }: { csrf: string; faults: string[] }) {
  return (
    <>
      <PageHead
        title="Open a request to go live"
        back={back}
        intro="A partner makes it in the sandbox. You see what it would do before anything happens."
      />
      <Faults faults={faults} />
      <PostForm action={goingLiveUrl} csrf={csrf} hasFile>
        <FileField
          name="file"
          label="The file of the partner"
          accept="text/plain"
          hint="A text file of one line."
        />
        <TextArea
          name="request"
          label="Or its text"
          hint="The whole text, which begins with ey."
          maxLength={longestRequest}
          rows={6}
        />
        <button type="submit">Look at it</button>
      </PostForm>
    </>
  )
}

export function PreviewPage(props: {
  request: GoingLiveRequest
  warnings: string[]
  signed: string
  csrf: string
}) {
  const { request, warnings, signed, csrf } = props
  const { partner, developers, webhooks, checks } = request
  return (
    <>
      <PageHead title={<Name>{partner.name}</Name>} back={{ label: 'Another request', href: goingLiveUrl }} />
      <Warnings warnings={warnings} />
      <Partner request={request} />
      <Section id="developers" title="Who is invited">
        <Table
          caption="Developers"
          rows={developers}
          keyOf={({ email }) => email}
          empty="No one. Invite a developer after the partner is registered."
          columns={[
            { label: 'Name', cell: ({ name }) => <Name>{name}</Name> },
            { label: 'Address', cell: ({ email }) => <bdi>{email}</bdi> },
            { label: 'Role', cell: ({ role }) => roleNames[role] },
          ]}
        />
      </Section>
      {webhooks.length > 0 && (
        <Section id="webhooks" title="Webhook endpoints">
          <Table
            caption="Webhook endpoints"
            rows={webhooks}
            keyOf={({ url }) => url}
            empty="None."
            columns={[
              { label: 'Address', cell: ({ url }) => <Id>{url}</Id> },
              { label: 'Events', cell: ({ events }) => events.join(', ') || 'all' },
            ]}
          />
        </Section>
      )}
      <Checks checks={checks} />
      <PostForm action={`${goingLiveUrl}/open`} csrf={csrf} hasFile>
        <input type="hidden" name="request" value={signed} />
        <p>
          No secret is shown to you. A developer of the application makes it on the credentials page, after
          accepting the invitation.
        </p>
        <div class="form-row">
          <button type="submit">Register the partner</button>
          <a class="button secondary" href="/admin/partners">
            Cancel
          </a>
        </div>
      </PostForm>
    </>
  )
}

function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null
  return (
    <div class="notice warning" role="status">
      <p>
        <strong>Look at this first.</strong>
      </p>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>
            <bdi>{warning}</bdi>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Partner({ request }: { request: GoingLiveRequest }) {
  const { partner } = request
  return (
    <Section id="partner" title="What is registered">
      <Facts
        items={{
          'From the sandbox': (
            <>
              <Id>{request.sandbox_client_id}</Id> of <bdi>{request.iss}</bdi>
            </>
          ),
          'Asked by': <bdi>{request.requested_by}</bdi>,
          When: <Exact at={new Date(request.iat * 1000)} />,
          'Can be opened until': <Exact at={new Date(request.exp * 1000)} />,
          Contact: <bdi>{request.contact}</bdi>,
          'Expected volume': <bdi>{request.expected_volume}</bdi>,
          'Redirect URIs': <Lines texts={partner.redirect_uris} />,
          'Redirect URIs in the sandbox': <Lines texts={request.sandbox_redirect_uris} />,
          'After logout': optional(partner.post_logout_redirect_uris),
          'How it authenticates': partner.auth_methods.join(', '),
          PKCE: partner.require_pkce ? 'required' : 'supported',
          'Web site': optional(partner.site),
          'Privacy policy': optional(partner.privacy_url),
          Description: optional(partner.description),
          Logo: partner.logo === null ? 'none' : `${Math.ceil((partner.logo.length * 3) / 4 / 1000)} kB`,
          'Public keys': partner.jwks === null ? undefined : 'in the request',
        }}
      />
    </Section>
  )
}

function Lines({ texts }: { texts: string[] }) {
  return texts.map((text) => (
    <span class="line" key={text}>
      <bdi>{text}</bdi>
    </span>
  ))
}

function optional(value: string | string[] | null): ComponentChildren | undefined {
  const texts = [value ?? []].flat()
  return texts.length > 0 ? <Lines texts={texts} /> : undefined
}

function Checks({ checks }: { checks: RequestedCheck[] }) {
  return (
    <Section id="checks" title="What the sandbox has checked">
      <Table
        caption="Checks"
        rows={checks}
        keyOf={({ id }) => id}
        empty="Nothing."
        columns={[
          {
            label: 'State',
            cell: ({ done }) => <State tone={done ? 'ok' : 'warning'}>{done ? 'done' : 'not done'}</State>,
          },
          { label: 'Check', cell: ({ title }) => <bdi>{title}</bdi> },
          { label: 'Fact', cell: ({ found }) => <bdi>{found}</bdi> },
        ]}
      />
    </Section>
  )
}

export function AlreadyOpenedPage(props: { clientId: string; openedAt: Date; request: GoingLiveRequest }) {
  const { clientId, openedAt, request } = props
  return (
    <>
      <PageHead title="The request was opened before" back={back} />
      <p>
        It was opened on <Exact at={openedAt} />, and registered <Name>{request.partner.name}</Name> as{' '}
        <a href={partnerAddress(clientId)}>{clientId}</a>. A request is opened once. If the partner was
        deleted since, ask for a new one.
      </p>
    </>
  )
}

export function OpenedPage({ clientId, request, invited }: Opened) {
  return (
    <>
      <PageHead title="The partner is live" back={back} />
      <p>
        <Name>{request.partner.name}</Name> can send its users here as soon as one of its developers has made
        a secret. Its client id, which is not secret:
      </p>
      <p>
        <Id>{clientId}</Id>
      </p>
      <Section id="invited" title="Its developers">
        <Table
          caption="Developers"
          rows={invited}
          keyOf={({ email }) => email}
          empty="No one was invited. Invite a developer on the page of the partner."
          columns={[
            { label: 'Name', cell: ({ name }) => <Name>{name}</Name> },
            { label: 'Address', cell: ({ email }) => <bdi>{email}</bdi> },
            { label: 'Role', cell: ({ role }) => roleNames[role] },
            { label: 'Invitation', cell: ({ link }) => <Invitation link={link} /> },
          ]}
        />
      </Section>
      <p>
        <a class="button" href={partnerAddress(clientId)}>
          Open the partner
        </a>
      </p>
    </>
  )
}

function Invitation({ link }: { link: InvitedDeveloper['link'] | undefined }) {
  if (!link) return <>has an account</>
  if (link.isMailed) return <>mailed</>
  return (
    <>
      Pass this link on. It works once, until <Exact at={link.expiresAt} />: <Id>{link.link}</Id>
    </>
  )
}
