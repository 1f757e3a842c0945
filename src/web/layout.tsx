import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { type Brand, hasWordmark } from '../brand/brand.ts'
import type { Environment } from '../config.ts'
import { type Assets, imagePath } from './assets.routes.ts'
import { LanguageSwitch } from './language-switch.tsx'
import type { Texts } from './languages/languages.ts'
import { LogoPicture } from './parts.tsx'

type Document = {
  environment: Environment
  assets: Assets
  brand: Brand
  texts: Texts
  title: ComponentChildren
  body: ComponentChildren
  /** `narrow` for one form or message. */
  width: 'narrow' | 'account'
  localTimes: boolean
  passkeys: boolean
  /** The address that shows this page again, for the switch between languages. Undefined: there is only one language. */
  here: string | undefined
}

/** A complete HTML document. Preact escapes all text. There is no inline script or style. */
export function renderPage(page: Document): string {
  const { environment, assets, brand, texts, title, body, width, localTimes, passkeys } = page
  const document = (
    <html lang={texts.language} dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>
          {title}
          {` · ${brand.name}`}
        </title>
        <link rel="icon" type={brand.favicon.type} href={imagePath(brand.favicon)} />
        <link rel="stylesheet" href={assets.sheet.path} />
        {localTimes && <script type="module" src={assets.localTimes.path} />}
        {passkeys && assets.passkeys.map(({ path }) => <script type="module" src={path} key={path} />)}
      </head>
      <body class={`${width}-width`}>
        <header class="head">
          <a class="brand" href="/">
            <BrandName brand={brand} />
          </a>
          {environment === 'sandbox' && <span class="badge">{texts.frame.sandbox}</span>}
        </header>
        <main>{width === 'narrow' ? <div class="sheet">{body}</div> : body}</main>
        <footer class="foot">
          <FootLinks brand={brand} texts={texts} hasStatus={page.here !== undefined} />
          {page.here !== undefined && <LanguageSwitch texts={texts} here={page.here} />}
        </footer>
      </body>
    </html>
  )
  return `<!doctype html>${renderToString(document)}`
}

/** The brand's logo, with its name if the logo does not contain it. */
export function BrandName({ brand }: { brand: Brand }) {
  const { name } = brand
  if (hasWordmark(brand)) return <LogoPicture brand={brand} alt={name} />
  return (
    <>
      <LogoPicture brand={brand} alt="" />
      <bdi>{name}</bdi>
    </>
  )
}

/** `hasStatus`: on pages for users. The listener of the operators has no status page. */
function FootLinks(props: { brand: Brand; texts: Texts; hasStatus: boolean }) {
  const {
    brand,
    texts: { frame },
    hasStatus,
  } = props
  const links = [
    [frame.status, hasStatus && '/status'],
    [frame.support, brand.supportUrl],
    [frame.privacy, brand.privacyUrl],
    [frame.terms, brand.termsUrl],
  ].flatMap(([label, href]) => (label && href ? { label, href } : []))
  if (links.length === 0) return null
  return (
    <ul class="links">
      {links.map(({ label, href }) => (
        <li key={label}>
          <a href={href}>{label}</a>
        </li>
      ))}
    </ul>
  )
}
