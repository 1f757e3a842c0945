import type { Texts } from '../web/languages/languages.ts'
import { Amount, Day, HiddenFields, Moment } from '../web/parts.tsx'
import type { EndedGrant, LiveGrant } from './grants.sql.ts'

/** One card for each connected app: what it reads, how often, and the button to disconnect it. */
export function LiveGrants({ grants, csrf, texts }: { grants: LiveGrant[]; csrf: string; texts: Texts }) {
  const { intro, none, readsNote } = texts.connections
  if (grants.length === 0) return <p>{none}</p>
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
  const [name, button] = [`app-${grant.id}`, `disconnect-${grant.id}`]
  return (
    <article>
      <h2 id={name}>
        <bdi>{grant.partner_name}</bdi>
      </h2>
      <Facts grant={grant} texts={texts} />
      <h3>{text.reads}</h3>
      <Reads grant={grant} texts={texts} />
      <form method="post" action="/connections/disconnect">
        <HiddenFields csrf={csrf} />
        <input type="hidden" name="grant" value={grant.id} />
        <button type="submit" id={button} aria-labelledby={`${button} ${name}`}>
          {text.disconnect}
        </button>
      </form>
    </article>
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
          {grant.last_used_at ? <Moment at={grant.last_used_at} language={language} /> : text.neverUsed}
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
                <Day at={grant.created_at} language={language} />
              </td>
              <td>
                <Day at={grant.revoked_at} language={language} />{' '}
                {grant.revoked_by && <span class="by">{text.endedBy[grant.revoked_by]}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
