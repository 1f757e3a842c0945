import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Environment } from '../config.ts'
import type { StyleSheet } from './assets.routes.ts'
import type { Texts } from './languages/languages.ts'

export type PageFrame = { environment: Environment; sheets: StyleSheet[] }

/** A whole HTML document. Everything in it is escaped by default; there is no script on any page. */
export function renderPage(
  { environment, sheets }: PageFrame,
  { language, frame }: Texts,
  title: ComponentChildren,
  body: ComponentChildren,
  options: { wide?: boolean } = {},
): string {
  const document = (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        {sheets.map(({ path }) => (
          <link rel="stylesheet" href={path} key={path} />
        ))}
      </head>
      <body>
        <main class={options.wide ? 'wide' : undefined}>
          <header class="brand">
            <span>Latchkey</span>
            {environment === 'sandbox' && <span class="badge">{frame.sandbox}</span>}
          </header>
          {body}
        </main>
      </body>
    </html>
  )
  return `<!doctype html>${renderToString(document)}`
}
