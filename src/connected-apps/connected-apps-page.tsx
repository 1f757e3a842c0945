import type { ComponentChildren } from 'preact'
import { Count } from '../web/counted.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { Amount, HiddenFields, Moment, PartnerLogo } from '../web/parts.tsx'
import { type EndedGrant, type LiveGrant, shownDays } from './connected-apps.sql.ts'
import { ReadsChart } from './reads-chart.tsx'

/** One card for each connected app: what it has read, until when it may read, and the link to disconnect it. */
export function LiveGrants(props: { grants: LiveGrant[]; csrf: string; texts: Texts }) {
  const { grants, csrf, texts } = props
  const { intro, none, howToConnect, readsNote } = texts.connections
  if (grants.length === 0) {
    return (
      <div class="empty">
        <p>
          <strong>{none}</strong>
        </p>
        <p>{howToConnect}</p>
      </div>
    )
  }
  return (
    <>
      <p>{intro}</p>
      {grants.map((grant) => (
        <LiveGrantCard key={grant.id} grant={grant} csrf={csrf} texts={texts} />
      ))}
      <p class="small">{readsNote}</p>
    </>
  )
}

function LiveGrantCard({ grant, csrf, texts }: { grant: LiveGrant; csrf: string; texts: Texts }) {
  const text = texts.connections
  const [name, link, reads] = [`app-${grant.id}`, `disconnect-${grant.id}`, `reads-${grant.id}`]
  return (
    <article class="app">
      <AppHead grant={grant} id={name} />
      {grant.description && (
        <p>
          <bdi>{grant.description}</bdi>
        </p>
      )}
      <Facts grant={grant} texts={texts} />
      {grant.unused_until === null && <p class="notice">{text.noAccess}</p>}
      {grant.renewable && grant.ends_soon && <p class="notice warning">{text.endsSoon}</p>}
      <h3>{text.reads(<Amount of={shownDays} language={texts.language} />)}</h3>
      <TotalReads grant={grant} texts={texts} />
      <ReadsChart grant={grant} texts={texts} />
      <p>
        <a
          href={`/connections/reads?${new URLSearchParams({ grant: grant.id })}`}
          id={reads}
          aria-labelledby={`${reads} ${name}`}
        >
          {text.householdReads.link}
        </a>
      </p>
      <div class="app-actions">
        {grant.renewable && <RenewForm grant={grant} csrf={csrf} texts={texts} />}
        <a
          class="button secondary danger"
          href={`/connections/disconnect?${new URLSearchParams({ grant: grant.id })}`}
          id={link}
          aria-labelledby={`${link} ${name}`}
        >
          {text.disconnect}
        </a>
      </div>
    </article>
  )
}

function AppHead({ grant, id }: { grant: LiveGrant; id: string }) {
  const { partner_name: name, logo } = grant
  return (
    <div class="app-head">
      <PartnerLogo name={name} logo={logo} size="list" />
      <div>
        <h2 id={id}>
          <bdi>{name}</bdi>
        </h2>
        <Site grant={grant} />
      </div>
    </div>
  )
}

function RenewForm({ grant, csrf, texts }: { grant: LiveGrant; csrf: string; texts: Texts }) {
  const { connections: text, language } = texts
  const [name, button] = [`app-${grant.id}`, `renew-${grant.id}`]
  return (
    <form method="post" action="/connections/renew">
      <HiddenFields csrf={csrf} />
      <input type="hidden" name="grant" value={grant.id} />
      <button type="submit" class="secondary" id={button} aria-labelledby={`${button} ${name}`}>
        {grant.lifetime_days === null ? (
          text.renewWithoutEnd
        ) : (
          <Count of={grant.lifetime_days} text={text.renew} language={language} />
        )}
      </button>
    </form>
  )
}

/** Asks the user to confirm, and says what the disconnect ends. */
export function DisconnectPage({ grant, csrf, texts }: { grant: LiveGrant; csrf: string; texts: Texts }) {
  const { disconnect, disconnectPage: text } = texts.connections
  const partner = <bdi>{grant.partner_name}</bdi>
  return (
    <>
      <h1>{text.heading(partner)}</h1>
      <Site grant={grant} />
      <p>{text.whatEnds(partner)}</p>
      <p>
        {text.whatStays} {text.connectAgain}
      </p>
      <Facts grant={grant} texts={texts} />
      <form method="post" action="/connections/disconnect">
        <HiddenFields csrf={csrf} />
        <input type="hidden" name="grant" value={grant.id} />
        <div class="actions">
          <a class="button secondary" href="/connections">
            {texts.connect.cancel}
          </a>
          <button type="submit" class="danger">
            {disconnect}
          </button>
        </div>
      </form>
    </>
  )
}

/** The application's web site, or else the host to which the user returned. */
function Site({ grant: { site, redirect_uri: redirectUri } }: { grant: LiveGrant }) {
  const { host } = new URL(site ?? redirectUri)
  return <p class="site small">{site === null ? host : <a href={site}>{host}</a>}</p>
}

function Facts({ grant, texts }: { grant: LiveGrant; texts: Texts }) {
  const { connections: text, language } = texts
  const { created_at: connected, last_used_at: used, expires_at: end } = grant
  return (
    <dl class="facts">
      <Fact term={text.connected}>
        <Moment at={connected} language={language} />
      </Fact>
      <Fact term={text.lastUsed}>
        {used ? <Moment at={used} language={language} relative /> : text.neverUsed}
      </Fact>
      <Fact term={text.ends}>
        {end ? <Moment at={end} language={language} /> : text.noEnd}
        {isSooner(grant) && (
          <small>{text.endsUnused(<Moment at={grant.unused_until} language={language} />)}</small>
        )}
      </Fact>
    </dl>
  )
}

function Fact({ term, children }: { term: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Whether the connection ends before the consent if the application does not use it. */
function isSooner(grant: LiveGrant): grant is LiveGrant & { unused_until: Date } {
  const { unused_until: unused, expires_at: end } = grant
  return unused !== null && (end === null || unused < end)
}

function TotalReads({ grant: { reads }, texts }: { grant: LiveGrant; texts: Texts }) {
  const { connections: text, language } = texts
  const total = (what: 'requests' | 'households' | 'accounts') =>
    reads.reduce((sum, day) => sum + day[what], 0)
  return (
    <dl class="amounts">
      {(['requests', 'households', 'accounts'] as const).map((what) => (
        <div key={what}>
          <dt>{text[what]}</dt>
          <dd>
            <Amount of={total(what)} language={language} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Grants that have ended, and who ended them. */
export function EndedGrants({ grants, texts }: { grants: EndedGrant[]; texts: Texts }) {
  const { connections: text, language } = texts
  if (grants.length === 0) return null
  return (
    <details class="history">
      <summary id="history">{text.history}</summary>
      <table class="quiet" aria-labelledby="history">
        <thead>
          <tr>
            <th scope="col">{text.app}</th>
            <th scope="col">{text.connected}</th>
            <th scope="col">{text.ended}</th>
          </tr>
        </thead>
        <tbody>
          {grants.map((grant) => (
            <tr key={grant.id}>
              <th scope="row">
                <bdi>{grant.partner_name}</bdi>
              </th>
              <td data-label={text.connected}>
                <Moment at={grant.created_at} language={language} />
              </td>
              <td data-label={text.ended}>
                <Moment at={grant.ended_at} language={language} />{' '}
                {grant.ended_by && <span class="by">{text.endedBy[grant.ended_by]}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
