import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'
import type { SandboxApplication } from '../sandbox/application.ts'
import { type Article, readArticle } from './article.ts'

/** The order of the guides in the contents. Each is a file in docs/partners/. The errors are shown with the catalogue. */
const guideGroups = {
  'Get started': ['quick-start', 'connect-button', 'libraries', 'testing'],
  'Read data': ['refreshing', 'paging-and-sync', 'limits'],
  Webhooks: ['webhooks', 'events'],
  'Your application': ['developer-pages', 'developer-api'],
  'Go live': ['security', 'going-live'],
  Reference: ['contract', 'errors'],
}

export type Guide = Article & { slug: string; group: string }

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
