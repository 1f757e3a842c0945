import { type ComponentChildren, Fragment } from 'preact'
import type { Brand } from '../brand/brand.ts'
import type { SharedData } from '../households/user-households.sql.ts'
import type { Partner } from '../partners/partners.sql.ts'
import { Count } from '../web/counted.tsx'
import { Icon, type IconName } from '../web/icons.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { Amount, Day, HiddenFields, PartnerLogo, PlatformLogo, UserName } from '../web/parts.tsx'

export function ConnectPage(props: {
  texts: Texts
  csrf: string
  /** The sealed request. */
  request: string
  brand: Brand
  partner: Partner
  userName: string
  /** Whether the user has connected the application before, and it still is. */
  isConnected: boolean
  redirectHost: string
  shared: SharedData
  /** How long the consent will be valid. Absent: it has no end. */
  life: { days: number; until: Date } | undefined
}) {
  const { texts, csrf, request, partner } = props
  const { connect } = texts
  const name = <bdi>{partner.name}</bdi>
  return (
    <>
      <Question {...props} />
      {props.isConnected && <p class="notice">{connect.again}</p>}
      <section class="panel">
        <h2>{connect.sees(name)}</h2>
        <Sees texts={texts} shared={props.shared} request={request} />
        <h2>{connect.cannot}</h2>
        <ul class="icons">
          <Line icon="cross">{connect.see}</Line>
          <Line icon="cross">{connect.change}</Line>
        </ul>
      </section>
      <section class="panel">
        <ul class="icons">
          <Line icon="clock">
            <Duration texts={texts} life={props.life} />
          </Line>
          <Line icon="shield">{connect.howToEnd('/connections')}</Line>
        </ul>
      </section>
      <p class="returning small">
        <span>{connect.returnTo(<strong>{props.redirectHost}</strong>)}</span>
        {partner.privacy_url && <a href={partner.privacy_url}>{connect.privacyPolicy(name)}</a>}
      </p>
      <form method="post" action="/connect">
        <HiddenFields csrf={csrf} request={request} />
        <div class="actions">
          <button type="submit" name="decision" value="cancel" class="secondary">
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

/** Both logos, the question, and the user who is asked. */
function Question(props: {
  texts: Texts
  csrf: string
  request: string
  brand: Brand
  partner: Partner
  userName: string
}) {
  const { texts, csrf, request, brand, partner } = props
  const { account, connect } = texts
  return (
    <div class="question">
      <div class="flow">
        <PlatformLogo brand={brand} />
        <Icon name="arrow-right" />
        <PartnerLogo name={partner.name} logo={partner.logo} />
      </div>
      <h1>{connect.heading(<bdi>{partner.name}</bdi>, <bdi>{brand.name}</bdi>)}</h1>
      {partner.description && (
        <p>
          <bdi>{partner.description}</bdi>
        </p>
      )}
      <form method="post" action="/logout">
        <HiddenFields csrf={csrf} request={request} />
        <span>{account.loggedInAs(<UserName>{props.userName}</UserName>)}</span>
        <button type="submit" class="aside">
          {connect.switchUser}
        </button>
      </form>
    </div>
  )
}

function Line({ icon, children }: { icon: IconName; children: ComponentChildren }) {
  return (
    <li>
      <Icon name={icon} />
      <div>{children}</div>
    </li>
  )
}

/** What the application would see now, with the first names as an example. */
function Sees({ texts, shared, request }: { texts: Texts; shared: SharedData; request: string }) {
  const { connect, language } = texts
  const { households, accounts, more_accounts: moreAccounts } = shared
  return (
    <>
      <ul class="icons sees">
        <Line icon="house">
          <strong id="households">
            <Count of={households} text={connect.households} language={language} />
          </strong>
          {households > 0 && (
            <p class="small">
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
        </Line>
        <Line icon="wallet">
          <strong>
            {moreAccounts ? (
              connect.moreAccounts(<Amount of={Math.max(accounts - 1, 0)} language={language} />)
            ) : (
              <Count of={accounts} text={connect.accounts} language={language} />
            )}
          </strong>
          <p class="small">{connect.fields}</p>
        </Line>
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
  return <>{connect.ends(<Day at={life.until} language={language} />, days)}</>
}
