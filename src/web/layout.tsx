import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Environment } from '../config.ts'
import type { Assets } from './assets.routes.ts'
import type { Texts } from './languages/languages.ts'

type Document = {
  environment: Environment
  assets: Assets
  texts: Texts
  title: ComponentChildren
  body: ComponentChildren
  wide: boolean
  localTimes: boolean
}

/** A complete HTML document. Preact escapes all text. There is no inline script. */
export function renderPage({ environment, assets, texts, title, body, wide, localTimes }: Document): string {
  const document = (
    <html lang={texts.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        {assets.sheets.map(({ path }) => (
          <link rel="stylesheet" href={path} key={path} />
        ))}
        {localTimes && <script type="module" src={assets.localTimes.path} />}
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
