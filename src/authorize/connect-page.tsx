import { Fragment } from 'preact'
import type { SharedData } from '../households/user-households.sql.ts'
import type { Partner } from '../partners/partners.sql.ts'
import { Count } from '../web/counted.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { Amount, Day, HiddenFields, UserName } from '../web/parts.tsx'

export function ConnectPage(props: {
  texts: Texts
  csrf: string
  /** The sealed request. */
  request: string
  partner: Partner
  userName: string
  redirectHost: string
  shared: SharedData
  /** How long the consent will be valid. Absent: it has no end. */
  life: { days: number; until: Date } | undefined
}) {
  const { texts, csrf, request, partner } = props
  const { account, connect } = texts
  return (
    <>
      <h1>{connect.heading(<bdi>{partner.name}</bdi>)}</h1>
      <form method="post" action="/logout" class="who">
        <HiddenFields csrf={csrf} request={request} />
        {account.loggedInAs(<UserName>{props.userName}</UserName>)}{' '}
        <button type="submit" class="aside">
          {connect.switchUser}
        </button>
      </form>
      <section class="shared">
        <h2>{connect.sees(<bdi>{partner.name}</bdi>)}</h2>
        <Sees texts={texts} shared={props.shared} request={request} />
        <h2>{connect.seesNot}</h2>
        <ul class="never">
          <li>{connect.balances}</li>
          <li>{connect.identity}</li>
          <li>{connect.changesNothing}</li>
        </ul>
      </section>
      <section>
        <ul>
          <li>
            <Duration texts={texts} life={props.life} />
          </li>
          <li>{connect.howToEnd('/connections')}</li>
        </ul>
      </section>
      <p>{connect.returnTo(<strong>{props.redirectHost}</strong>)}</p>
      <form method="post" action="/connect">
        <HiddenFields csrf={csrf} request={request} />
        <div class="actions">
          <button type="submit" name="decision" value="cancel" class="secondary outline">
            {connect.cancel}
          </button>
          <button type="submit" name="decision" value="connect">
            {connect.submit}
          </button>
        </div>
      </form>
    </>
  )
}

/** What the application would see now, with the first names as an example. */
function Sees({ texts, shared, request }: { texts: Texts; shared: SharedData; request: string }) {
  const { connect, language } = texts
  const { accounts, more_accounts: moreAccounts } = shared
  return (
    <>
      <ul class="sees">
        <li>
          <strong id="households">
            <Count of={shared.households} text={connect.households} language={language} />
          </strong>
          {shared.households > 0 && (
            <p>
              <Names texts={texts} shared={shared} />{' '}
              <a
                href={`/connect/households?${new URLSearchParams({ request })}`}
                id="see-all"
                aria-labelledby="see-all households"
              >
                {connect.seeAll}
              </a>
            </p>
          )}
        </li>
        <li>
          <strong>
            {moreAccounts ? (
              connect.moreAccounts(<Amount of={Math.max(accounts - 1, 0)} language={language} />)
            ) : (
              <Count of={accounts} text={connect.accounts} language={language} />
            )}
          </strong>
          <p>{connect.fields}</p>
        </li>
      </ul>
      <p class="small">{connect.follows}</p>
    </>
  )
}

/** "Ashworth, Lefèvre, Nguyễn and 211 more", as the language lists things. */
function Names({ texts: { connect, language }, shared }: { texts: Texts; shared: SharedData }) {
  const rest = shared.households - shared.first_names.length
  const items = [
    ...shared.first_names.map((name) => <bdi key={name}>{name}</bdi>),
    ...(rest > 0 ? [<Count key="" of={rest} text={connect.more} language={language} />] : []),
  ]
  // The list is formatted with the places of the items: the items are elements, and a name may contain anything.
  const parts = new Intl.ListFormat(language).formatToParts(items.map((_, place) => String(place)))
  return (
    <>
      {parts.map(({ type, value }, place) => (
        <Fragment key={String(place)}>{type === 'element' ? items[Number(value)] : value}</Fragment>
      ))}
    </>
  )
}

function Duration({ texts, life }: { texts: Texts; life: { days: number; until: Date } | undefined }) {
  const { connect, language } = texts
  if (!life) return <>{connect.noEnd}</>
  const days = <Count of={life.days} text={connect.days} language={language} />
  return <>{connect.ends(days, <Day at={life.until} language={language} />)}</>
}
