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
  passkeys: boolean
}

/** A complete HTML document. Preact escapes all text. There is no inline script. */
export function renderPage(content: Document): string {
  const { environment, assets, texts, title, body, wide, localTimes, passkeys } = content
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
        {passkeys && assets.passkeys.map(({ path }) => <script type="module" src={path} key={path} />)}
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
