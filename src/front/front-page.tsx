import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from '../web/icons.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { Moment, PartnerLogo } from '../web/parts.tsx'
import type { ConnectedApp } from './front.sql.ts'

type User = { name: string; apps: ConnectedApp[] }

/** What this service is, and where users, developers and operators go from here. */
export function FrontPage(props: {
  texts: Texts
  docs: string
  /** Absent: the console has a separate address, which strangers need not know. */
  console: string | undefined
  user: User | undefined
}) {
  const { texts, docs, console, user } = props
  const { developers, operators } = texts.front
  return (
    <>
      {user ? <Greeting texts={texts} user={user} /> : <Invitation texts={texts} />}
      <div class="cards">
        <Place icon="code" heading={developers.heading} text={developers.text}>
          <p>
            <a href={docs}>{developers.link}</a>
          </p>
          <p>
            <a href="/developers">{developers.pages}</a>
          </p>
        </Place>
        <Place icon="gear" id="operators" heading={operators.heading} text={operators.text}>
          {console && (
            <p>
              <a href={console}>{operators.link}</a>
            </p>
          )}
        </Place>
      </div>
    </>
  )
}

function Invitation({ texts }: { texts: Texts }) {
  const { heading, purpose } = texts.front
  return (
    <section class="hero">
      <h1>{heading}</h1>
      <p>{purpose}</p>
      <a class="button" href="/login">
        {texts.login.submit}
      </a>
    </section>
  )
}

function Greeting({ texts, user: { name, apps } }: { texts: Texts; user: User }) {
  const { front, connections } = texts
  return (
    <section class="hero">
      <h1>{front.greeting(<bdi>{name}</bdi>)}</h1>
      <article>
        <h2>{connections.heading}</h2>
        {apps.length === 0 ? (
          <p>
            {connections.none} {connections.howToConnect}
          </p>
        ) : (
          <ul class="rows">
            {apps.map((app) => (
              <AppRow key={app.id} app={app} texts={texts} />
            ))}
          </ul>
        )}
        <a class="button" href="/connections">
          {front.allApps}
        </a>
      </article>
    </section>
  )
}

function AppRow({ app, texts }: { app: ConnectedApp; texts: Texts }) {
  const { front, language } = texts
  return (
    <li>
      <PartnerLogo name={app.name} logo={app.logo} size="list" />
      <div>
        <strong>
          <bdi>{app.name}</bdi>
        </strong>
        <p class="small">
          {app.last_used_at
            ? front.lastUsed(<Moment at={app.last_used_at} language={language} relative />)
            : front.notUsed}
        </p>
      </div>
    </li>
  )
}

function Place(props: {
  icon: IconName
  heading: string
  text: string
  id?: string
  children?: ComponentChildren
}) {
  return (
    <article id={props.id}>
      <h2>
        <Icon name={props.icon} />
        {props.heading}
      </h2>
      <p>{props.text}</p>
      {props.children}
    </article>
  )
}
