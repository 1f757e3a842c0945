import type { ListedRecord } from '../audit/list.sql.ts'
import { limitNames } from '../limit-settings.ts'
import { PostButton } from '../panel/forms.tsx'
import { limitLabels } from '../panel/limit-labels.ts'
import { counted, Done, Exact, Facts, Id, PageHead, Section } from '../panel/page-parts.tsx'
import { RequestTable } from '../panel/request-table.tsx'
import type { Consequences } from '../partners/delete-partner.sql.ts'
import type { ListedPartner } from '../partners/partners.sql.ts'
import type { ExplainedRequest } from '../request-log/requests.ts'
import { PartnerLogo } from '../web/parts.tsx'
import type { Endpoint } from '../webhooks/endpoints.sql.ts'
import { AuditTable } from './audit-table.tsx'
import { acrChoices } from './partner-fields.ts'
import { PartnerState } from './partner-list.tsx'
import { callAddress, callUser } from './parts.tsx'
import { Webhooks } from './webhook-table.tsx'
import type { EndpointHealth } from './webhooks.sql.ts'

export function PartnerPage(props: {
  partner: ListedPartner
  live: Consequences
  endpoints: Endpoint[]
  health: EndpointHealth[]
  calls: ExplainedRequest[]
  changes: ListedRecord[]
  done: string | undefined
  csrf: string
  mayWrite: boolean
}) {
  const { partner, live, endpoints, health, calls, changes, done, csrf, mayWrite } = props
  const { client_id: id, name } = partner
  const filter = encodeURIComponent(id)
  return (
    <>
      <PageHead
        title={
          <span class="form-row">
            <PartnerLogo name={name} logo={partner.logo} size="list" />
            <bdi>{name}</bdi>
          </span>
        }
        back={{ label: 'Partners', href: '/admin/partners' }}
      >
        <a class="button secondary" href={`/admin/partners/${filter}/developers`}>
          Developers
        </a>
        {mayWrite && (
          <>
            <a class="button secondary" href={`/admin/partners/${filter}/logo`}>
              Logo
            </a>
            <a class="button secondary" href={`/admin/partners/${filter}/edit`}>
              Change settings
            </a>
          </>
        )}
      </PageHead>
      {done && <Done>{done}</Done>}
      <Settings partner={partner} live={live} mayWrite={mayWrite} />
      <Credentials partner={partner} csrf={csrf} mayWrite={mayWrite} />
      <Webhooks clientId={id} {...{ endpoints, health, csrf, mayWrite }} />
      <Section
        id="calls"
        title="Recent calls"
        more={{ label: 'All calls', href: `/admin/requests?client_id=${filter}` }}
      >
        <RequestTable
          requests={calls}
          address={callAddress}
          parties={[callUser]}
          empty="The request log has no calls of this partner. They appear here some seconds after the first one."
        />
      </Section>
      <Section
        id="changes"
        title="Latest changes"
        more={{ label: 'Audit log of this partner', href: `/admin/audit?client=${filter}` }}
      >
        <AuditTable records={changes} empty="Nothing is recorded about this partner yet." />
      </Section>
      {mayWrite && <Danger partner={partner} csrf={csrf} />}
    </>
  )
}

function Settings(props: { partner: ListedPartner; live: Consequences; mayWrite: boolean }) {
  const { partner, live, mayWrite } = props
  const { client_id: id, limits } = partner
  const filter = encodeURIComponent(id)
  const set = limitNames.filter((name) => limits[name] !== undefined)
  return (
    <Section
      id="settings"
      title="Settings"
      more={{ label: 'What it has read', href: `/admin/reads?client_id=${filter}` }}
    >
      <Facts
        items={{
          'Client id': <Id>{id}</Id>,
          Status: <PartnerState status={partner.status} />,
          'Connected users': (
            <a href={`/admin/grants?client_id=${filter}`}>
              {counted(live.connected_users, 'user')}, {counted(live.connections, 'connection')}
            </a>
          ),
          Registered: <Exact at={partner.created_at} />,
          'Redirect URIs': <Lines of={partner.redirect_uris} />,
          'Addresses after logout':
            partner.post_logout_redirect_uris.length > 0 ? (
              <Lines of={partner.post_logout_redirect_uris} />
            ) : undefined,
          PKCE: partner.require_pkce ? 'required' : 'optional',
          'Consent is valid for': (
            <>
              {partner.grant_lifetime_days === null
                ? 'the default of the deployment'
                : counted(partner.grant_lifetime_days, 'day')}
              {mayWrite && (
                <>
                  {' · '}
                  <a href={`/admin/partners/${filter}/apply-lifetime`}>Apply to existing consents</a>
                </>
              )}
            </>
          ),
          'Weakest login': acrName(partner.require_acr),
          id_token: `${partner.id_token_alg}${partner.id_token_on_refresh ? ', also with each refresh' : ''}`,
          Limits:
            set.length === 0 ? (
              'those of the deployment'
            ) : (
              <Lines of={set.map((name) => `${limitLabels[name]}: ${limits[name]}`)} />
            ),
          'Web site': partner.site ? <Lines of={[partner.site]} /> : undefined,
          'Privacy policy': partner.privacy_url ? <Lines of={[partner.privacy_url]} /> : undefined,
          Description: partner.description ? <bdi>{partner.description}</bdi> : undefined,
        }}
      />
    </Section>
  )
}

export function acrName(acr: string | null): string {
  return Object.entries(acrChoices).find(([value]) => value === (acr ?? ''))?.[1] ?? acr ?? ''
}

function Lines({ of }: { of: string[] }) {
  return (
    <ul>
      {of.map((line) => (
        <li key={line}>
          <bdi>{line}</bdi>
        </li>
      ))}
    </ul>
  )
}

function Credentials(props: { partner: ListedPartner; csrf: string; mayWrite: boolean }) {
  const { partner, csrf, mayWrite } = props
  const { client_id: id, key_ids: keys, live_secrets: secrets, auth_methods: methods } = partner
  const signs = methods.includes('private_key_jwt')
  const hasSecret = methods.some((method) => method !== 'private_key_jwt')
  const address = `/admin/partners/${encodeURIComponent(id)}`
  return (
    <Section id="credentials" title="Credentials">
      <Facts
        items={{
          'Authenticates with': methods.join(', '),
          'Client secrets': hasSecret ? secretsText(secrets) : undefined,
          'Public keys': signs ? <Lines of={keys} /> : undefined,
        }}
      />
      {mayWrite && (
        <div class="form-row">
          {hasSecret && (
            <a class="button secondary" href={`${address}/secret`}>
              New secret
            </a>
          )}
          {secrets > 1 && (
            <PostButton
              action={`${address}/end-old-secrets`}
              csrf={csrf}
              label="End the old secret"
              tone="secondary danger"
            />
          )}
          {signs && (
            <a class="button secondary" href={`${address}/keys`}>
              Replace keys
            </a>
          )}
        </div>
      )}
    </Section>
  )
}

function secretsText(live: number): string {
  if (live === 0) return 'none is accepted: give the partner a new one'
  if (live === 1) return '1 is accepted'
  return `${live} are accepted, until the next rotation`
}

function Danger({ partner, csrf }: { partner: ListedPartner; csrf: string }) {
  const address = `/admin/partners/${encodeURIComponent(partner.client_id)}`
  const isSuspended = partner.status === 'suspended'
  return (
    <section class="danger-zone" aria-labelledby="stop">
      <div class="section-head">
        <h2 id="stop">Stop the partner</h2>
      </div>
      <p>
        A suspension refuses all requests and can be undone. A deletion ends all grants for good, and you
        first see how many.
      </p>
      <div class="form-row">
        <PostButton
          action={`${address}/${isSuspended ? 'resume' : 'suspend'}`}
          csrf={csrf}
          label={isSuspended ? 'End the suspension' : 'Suspend'}
          tone={isSuspended ? 'secondary' : 'secondary danger'}
        />
        <a class="button secondary danger" href={`${address}/delete`}>
          Delete…
        </a>
      </div>
    </section>
  )
}
