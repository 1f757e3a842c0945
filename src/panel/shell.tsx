import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Brand } from '../brand/brand.ts'
import type { Environment } from '../environment.ts'
import { imagePath } from '../web/assets.routes.ts'
import { Icon, type IconName } from '../web/icons.tsx'
import { BrandName } from '../web/layout.tsx'
import { HiddenFields } from '../web/parts.tsx'

/** What all pages share that have a navigation at the side. */
export type Frame = {
  environment: Environment
  brand: Brand
  /** The paths of the style sheet and of the scripts. */
  sheet: string
  scripts: string[]
  /** After the name of the brand in the title: `console`. */
  name: string
  /** The page to which the logo leads. All others are below it. */
  home: string
  search?: { action: string; label: string; placeholder: string }
}

type NavigationItem = { label: string; href: string; icon: IconName; isCurrent: boolean }

/** Who is logged in. */
export type Viewer = { name: string; email: string; role?: string; csrf: string }

export type ShellPage = {
  title: string
  navigation: NavigationItem[]
  body: ComponentChildren
  /** What was searched for. */
  query?: string
}

/** A complete page with the navigation. Preact escapes all text. There is no inline script or style. */
export function renderShell(frame: Frame, viewer: Viewer, page: ShellPage): string {
  const { environment, brand, sheet, scripts, name, home, search } = frame
  const { title, navigation, body, query } = page
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${brand.name} ${name}`}</title>
        <link rel="icon" type={brand.favicon.type} href={imagePath(brand.favicon)} />
        <link rel="stylesheet" href={sheet} />
        {scripts.map((path) => (
          <script type="module" src={path} key={path} />
        ))}
      </head>
      <body class="shell">
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="shell-head">
          <a class="brand" href={home}>
            <BrandName brand={brand} />
          </a>
          <span class={`badge ${environment}`}>{environment === 'sandbox' ? 'Sandbox' : 'Production'}</span>
          {search && <SearchForm {...search} query={query} />}
          <ViewerMenu {...viewer} home={home} />
        </header>
        <div class="shell-columns">
          <details class="shell-menu">
            <summary>
              <Icon name="menu" />
              <span>Menu</span>
            </summary>
            <Navigation items={navigation} label="Menu" />
          </details>
          <div class="shell-side">
            <Navigation items={navigation} label={`${name.charAt(0).toUpperCase()}${name.slice(1)}`} />
          </div>
          <main id="content">{body}</main>
        </div>
      </body>
    </html>
  )
  return `<!doctype html>${renderToString(document)}`
}

function Navigation({ items, label }: { items: NavigationItem[]; label: string }) {
  return (
    <nav aria-label={label}>
      <ul class="shell-nav">
        {items.map(({ label: name, href, icon, isCurrent }) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{name}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** In characters. */
const longestQuery = 200

function SearchForm(props: NonNullable<Frame['search']> & { query: string | undefined }) {
  const { action, label, placeholder, query = '' } = props
  return (
    <search class="shell-search">
      <form action={action}>
        <label>
          <span class="hidden">{label}</span>
          <Icon name="search" />
          <input
            type="search"
            name="q"
            value={query}
            maxLength={longestQuery}
            placeholder={placeholder}
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

function ViewerMenu({ name, email, role, csrf, home }: Viewer & { home: string }) {
  return (
    <details class="shell-who">
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
          {role && (
            <>
              <br />
              {role}
            </>
          )}
        </p>
        <a href={`${home}/account`}>Your account</a>
        <form method="post" action={`${home}/logout`}>
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
