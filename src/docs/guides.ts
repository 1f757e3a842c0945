import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'
import type { SandboxApplication } from '../sandbox/application.ts'
import { eventDocs } from '../webhooks/event-types.ts'
import { type Article, readArticle } from './article.ts'

/** The order of the guides in the contents. Each is a file in docs/partners/. The errors are shown with the catalogue. */
const guideGroups = {
  'Get started': ['quick-start', 'connect-button', 'libraries', 'testing'],
  'Read data': ['refreshing', 'paging-and-sync', 'limits'],
  Webhooks: ['webhooks', 'events'],
  'Your application': ['developer-pages'],
  'Go live': ['security', 'going-live'],
  Reference: ['contract', 'errors'],
}

export type Guide = Article & { slug: string; group: string }

/** What the guide about webhooks says about each event. */
function eventTable(): string {
  const rows = eventDocs.map(({ type, summary, advice, data }) => {
    const fields = Object.keys(data.properties).map((name) => `\`${name}\``)
    return `| \`${type}\` | ${summary} | ${fields.join(', ')} | ${advice} |`
  })
  return ['| `type` | When | `data` | What to do |', '|---|---|---|---|', ...rows].join('\n')
}

const folder = new URL('../../docs/partners/', import.meta.url)

/**
 * Reads all guides, with the addresses of this deployment in place of `{base_url}` and `{auth_url}`, and with the credentials
 * of the application that a sandbox publishes.
 */
export function readGuides(
  { baseUrl, authUrl }: Config,
  application: SandboxApplication | undefined,
  pathOf: (slug: string) => string,
): Guide[] {
  const values = {
    '{base_url}': baseUrl,
    '{auth_url}': authUrl,
    '{events}': eventTable(),
    ...(application && {
      '<CLIENT_ID>': application.clientId,
      '<CLIENT_SECRET>': application.clientSecret,
    }),
  }
  return Object.entries(guideGroups).flatMap(([group, slugs]) =>
    slugs.map((slug) => {
      let markdown = readFileSync(new URL(`${slug}.md`, folder), 'utf8')
      for (const [name, value] of Object.entries(values)) markdown = markdown.replaceAll(name, value)
      return { slug, group, ...readArticle(markdown, pathOf) }
    }),
  )
}
