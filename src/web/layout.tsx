import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Environment } from '../config.ts'
import type { StyleSheet } from './assets.routes.ts'
import type { Texts } from './languages/languages.ts'

type Document = {
  environment: Environment
  sheets: StyleSheet[]
  texts: Texts
  title: ComponentChildren
  body: ComponentChildren
  wide: boolean
}

/** A whole HTML document. Everything in it is escaped by default; there is no script on any page. */
export function renderPage({ environment, sheets, texts, title, body, wide }: Document): string {
  const document = (
    <html lang={texts.language}>
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
        <main class={wide ? 'wide' : undefined}>
          <header class="brand">
            <span>Latchkey</span>
            {environment === 'sandbox' && <span class="badge">{texts.frame.sandbox}</span>}
          </header>
          {body}
        </main>
      </body>
    </html>
  )
  return `<!doctype html>${renderToString(document)}`
}
