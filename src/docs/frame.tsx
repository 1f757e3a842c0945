import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Environment } from '../config.ts'
import type { Heading } from './article.ts'

/** Pages with a common title in the contents. */
export type ContentsGroup = { title: string; pages: { slug: string; title: string; summary: string }[] }

/** What all pages of a deployment share. */
export type Frame = {
  environment: Environment
  /** The name of the platform. */
  brandName: string
  /** The path of the docs, such as `/service-open-api/docs`. */
  root: string
  sheet: string
  script: string
  /** The contents, which are the same on every page. */
  groups: ContentsGroup[]
}

export type DocsPage = {
  /** The page in the contents. Absent if the contents do not lead to it. */
  slug?: string
  /** The page in the contents that this page belongs to. */
  parent?: string
  title: string
  summary?: string
  /** The sections of the page, which the contents list below its title. */
  headings?: Heading[]
  /** What was searched for. */
  query?: string
  body: ComponentChildren
}

/** A complete HTML document. There is no inline script or style, and nothing is loaded from another host. */
export function renderDocsPage(frame: Frame, page: DocsPage): string {
  const { environment, brandName, root, sheet, script } = frame
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${page.title} · ${brandName} docs`}</title>
        {page.summary && <meta name="description" content={page.summary} />}
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={sheet} />
        <script src={script} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the text
        </a>
        <header class="top">
          <a class="brand" href={root}>
            <strong>
              <bdi>{brandName}</bdi>
            </strong>{' '}
            <span>Docs</span>
          </a>
          {environment === 'sandbox' && <span class="badge">Sandbox</span>}
          <SearchForm root={root} query={page.query} />
        </header>
        <div class="columns">
          <details class="contents narrow">
            <summary>Contents</summary>
            <Contents frame={frame} page={page} label="Contents" />
          </details>
          <div class="contents side">
            <Contents frame={frame} page={page} label="Contents of the docs" />
          </div>
          <main id="content">{page.body}</main>
        </div>
      </body>
    </html>
  )
  return `<!doctype html>${renderToString(document)}`
}

function SearchForm({ root, query = '' }: { root: string; query?: string | undefined }) {
  return (
    <search class="search">
      <form action={`${root}/search`}>
        <label>
          <span class="hidden">Search the docs</span>
          <input
            type="search"
            name="q"
            value={query}
            maxLength={longestQuery}
            placeholder="Search the docs"
            autocomplete="off"
          />
        </label>
        <button type="submit">Search</button>
      </form>
    </search>
  )
}

/** In characters. */
export const longestQuery = 200

function Contents({ frame, page, label }: { frame: Frame; page: DocsPage; label: string }) {
  return (
    <nav aria-label={label}>
      {frame.groups.map((group) => (
        <section key={group.title}>
          <p class="group">{group.title}</p>
          <ul>
            {group.pages.map(({ slug, title }) => (
              <li key={slug}>
                <a href={`${frame.root}/${slug}`} aria-current={currentOf(slug, page)}>
                  {title}
                </a>
                {currentOf(slug, page) && <OnThisPage headings={page.headings ?? []} />}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

function currentOf(slug: string, page: DocsPage): 'page' | 'true' | undefined {
  if (slug === page.slug) return 'page'
  return slug === page.parent ? 'true' : undefined
}

function OnThisPage({ headings }: { headings: Heading[] }) {
  if (headings.length === 0) return null
  return (
    <ul class="on-this-page">
      {headings.map(({ id, text }) => (
        <li key={id}>
          <a href={`#${id}`}>{text}</a>
        </li>
      ))}
    </ul>
  )
}

/** HTML that the docs made themselves from Markdown or code. Text from a request never comes here. */
export function OwnHtml({ html, class: name }: { html: string; class?: string }) {
  return <div class={name} dangerouslySetInnerHTML={{ __html: html }} />
}
