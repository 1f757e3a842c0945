import type { Texts } from '../web/languages/languages.ts'
import { Amount, HiddenFields, Moment } from '../web/parts.tsx'
import type { EndedGrant, LiveGrant } from '../grants/grants.sql.ts'

/** One card for each connected app: what it has read, how often, and the link to disconnect it. */
export function LiveGrants({ grants, texts }: { grants: LiveGrant[]; texts: Texts }) {
  const { intro, none, readsNote } = texts.connections
  if (grants.length === 0) return <p>{none}</p>
  return (
    <>
      <p>{intro}</p>
      {grants.map((grant) => (
        <LiveGrantCard key={grant.id} grant={grant} texts={texts} />
      ))}
      <p class="small">{readsNote}</p>
    </>
  )
}

function LiveGrantCard({ grant, texts }: { grant: LiveGrant; texts: Texts }) {
  const text = texts.connections
  const [name, link] = [`app-${grant.id}`, `disconnect-${grant.id}`]
  return (
    <article>
      <h2 id={name}>
        <bdi>{grant.partner_name}</bdi>
      </h2>
      <Facts grant={grant} texts={texts} />
      <h3>{text.reads}</h3>
      <Reads grant={grant} texts={texts} />
      <a
        class="button outline danger"
        href={`/connections/disconnect?${new URLSearchParams({ grant: grant.id })}`}
        id={link}
        aria-labelledby={`${link} ${name}`}
      >
        {text.disconnect}
      </a>
    </article>
  )
}

/** Asks the user to confirm, and says what the disconnect ends. */
export function DisconnectPage({ grant, csrf, texts }: { grant: LiveGrant; csrf: string; texts: Texts }) {
  const { disconnect, disconnectPage: text } = texts.connections
  const partner = <bdi>{grant.partner_name}</bdi>
  return (
    <>
      <h1>{text.heading(partner)}</h1>
      <p>{text.whatEnds(partner)}</p>
      <p>
        {text.whatStays} {text.connectAgain}
      </p>
      <Facts grant={grant} texts={texts} />
      <form method="post" action="/connections/disconnect">
        <HiddenFields csrf={csrf} />
        <input type="hidden" name="grant" value={grant.id} />
        <div class="actions">
          <a class="button outline" href="/connections">
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

function Facts({ grant, texts }: { grant: LiveGrant; texts: Texts }) {
  const { connections: text, language } = texts
  return (
    <dl class="facts">
      <div>
        <dt>{text.site}</dt>
        <dd>{new URL(grant.redirect_uri).host}</dd>
      </div>
      <div>
        <dt>{text.connected}</dt>
        <dd>
          <Moment at={grant.created_at} language={language} />
        </dd>
      </div>
      <div>
        <dt>{text.lastUsed}</dt>
        <dd>
          {grant.last_used_at ? (
            <Moment at={grant.last_used_at} language={language} relative />
          ) : (
            text.neverUsed
          )}
        </dd>
      </div>
    </dl>
  )
}

function Reads({ grant, texts }: { grant: LiveGrant; texts: Texts }) {
  const { connections: text, language } = texts
  const amounts = [
    [text.requests, grant.requests],
    [text.households, grant.households],
    [text.accounts, grant.accounts],
  ] as const
  return (
    <dl class="amounts">
      {amounts.map(([what, amount]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>
            <Amount of={amount} language={language} />
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
    <section>
      <h2 id="history">{text.history}</h2>
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
              <td>
                <Moment at={grant.created_at} language={language} />
              </td>
              <td>
                <Moment at={grant.revoked_at} language={language} />{' '}
                {grant.revoked_by && <span class="by">{text.endedBy[grant.revoked_by]}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
