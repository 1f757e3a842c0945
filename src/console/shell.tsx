import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Role } from '../admin/scopes.ts'
import type { Brand } from '../brand/brand.ts'
import type { Environment } from '../environment.ts'
import { imagePath } from '../web/assets.routes.ts'
import { Icon, type IconName } from '../web/icons.tsx'
import { BrandName } from '../web/layout.tsx'
import { HiddenFields } from '../web/parts.tsx'

/** The parts of the console, in the order of the navigation. */
const sections = {
  overview: { label: 'Overview', href: '/admin', icon: 'chart' },
  partners: { label: 'Partners', href: '/admin/partners', icon: 'wallet' },
  users: { label: 'Users', href: '/admin/users', icon: 'user' },
  connections: { label: 'Connections', href: '/admin/connections', icon: 'link' },
  requests: { label: 'Requests', href: '/admin/requests', icon: 'code' },
  reads: { label: 'Reads', href: '/admin/reads', icon: 'eye' },
  incidents: { label: 'Incidents', href: '/admin/incidents', icon: 'alert' },
  imports: { label: 'Imports', href: '/admin/imports', icon: 'upload' },
  keys: { label: 'Keys', href: '/admin/keys', icon: 'key' },
  audit: { label: 'Audit', href: '/admin/audit', icon: 'book' },
  settings: { label: 'Settings', href: '/admin/settings', icon: 'gear' },
} as const satisfies Record<string, { label: string; href: string; icon: IconName }>

export type Section = keyof typeof sections

/** What all pages of the console share. */
export type ConsoleFrame = {
  environment: Environment
  brand: Brand
  /** The paths of the style sheet and of the scripts. */
  sheet: string
  scripts: string[]
}

export type ConsolePage = {
  title: string
  /** The part of the console that the page belongs to. Absent for the operator's own account. */
  section?: Section
  body: ComponentChildren
  /** What was searched for. */
  query?: string
}

type Viewer = { name: string; email: string; role: Role; csrf: string }

export const roleNames: Record<Role, string> = { owner: 'Owner', support: 'Support', read_only: 'Read-only' }

/** A complete page of the console. Preact escapes all text. There is no inline script or style. */
export function renderConsolePage(frame: ConsoleFrame, viewer: Viewer, page: ConsolePage): string {
  const { environment, brand, sheet, scripts } = frame
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${page.title} · ${brand.name} console`}</title>
        <link rel="icon" type={brand.favicon.type} href={imagePath(brand.favicon)} />
        <link rel="stylesheet" href={sheet} />
        {scripts.map((path) => (
          <script type="module" src={path} key={path} />
        ))}
      </head>
      <body class="console">
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="console-head">
          <a class="brand" href="/admin">
            <BrandName brand={brand} />
          </a>
          <span class={`badge ${environment}`}>{environment === 'sandbox' ? 'Sandbox' : 'Production'}</span>
          <SearchForm query={page.query} />
          <ViewerMenu {...viewer} />
        </header>
        <div class="console-columns">
          <details class="console-menu">
            <summary>
              <Icon name="menu" />
              <span>Menu</span>
            </summary>
            <Navigation current={page.section} label="Menu" />
          </details>
          <div class="console-side">
            <Navigation current={page.section} label="Console" />
          </div>
          <main id="content">{page.body}</main>
        </div>
      </body>
    </html>
  )
  return `<!doctype html>${renderToString(document)}`
}

function Navigation({ current, label }: { current: Section | undefined; label: string }) {
  return (
    <nav aria-label={label}>
      <ul class="console-nav">
        {Object.entries(sections).map(([name, { label, href, icon }]) => (
          <li key={name}>
            <a href={href} aria-current={name === current ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{label}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** In characters. */
const longestQuery = 200

function SearchForm({ query = '' }: { query?: string | undefined }) {
  return (
    <search class="console-search">
      <form action="/admin/search">
        <label>
          <span class="hidden">Search the console</span>
          <Icon name="search" />
          <input
            type="search"
            name="q"
            value={query}
            maxLength={longestQuery}
            placeholder="Search partners, users, request ids"
            autocomplete="off"
            data-search=""
          />
          <span class="key" aria-hidden="true">
            /
          </span>
        </label>
      </form>
    </search>
  )
}

function ViewerMenu({ name, email, role, csrf }: Viewer) {
  return (
    <details class="console-who">
      <summary>
        <Icon name="user" />
        <span class="name">
          <bdi>{name}</bdi>
        </span>
        <Icon name="chevron-down" />
      </summary>
      <div>
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>
          <br />
          <bdi>{email}</bdi>
          <br />
          {roleNames[role]}
        </p>
        <a href="/admin/account">Your account</a>
        <form method="post" action="/admin/logout">
          <HiddenFields csrf={csrf} />
          <button type="submit" class="secondary">
            <Icon name="logout" />
            <span>Sign out</span>
          </button>
        </form>
      </div>
    </details>
  )
}
