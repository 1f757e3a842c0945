import type { ComponentChildren } from 'preact'
import type { Brand } from '../brand/brand.ts'
import { imagePath } from './assets.routes.ts'
import type { Language } from './languages/languages.ts'

/** The hidden fields of every form: the CSRF token, and the next page if the form has more than one. */
export function HiddenFields(props: {
  csrf: string
  request?: string | undefined
  page?: string | undefined
}) {
  return (
    <>
      <input type="hidden" name="_csrf" value={props.csrf} />
      {props.request && <input type="hidden" name="request" value={props.request} />}
      {props.page && <input type="hidden" name="page" value={props.page} />}
    </>
  )
}

/** The name of the user who is logged in. */
export function UserName({ children }: { children: string }) {
  return (
    <strong>
      <bdi>{children}</bdi>
    </strong>
  )
}

/** How large a logo is shown: on its page, or in a list. */
type LogoSize = 'page' | 'list'

/** The application's picture, or its initials. Its name must be next to it: screen readers skip the picture. */
export function PartnerLogo(props: { name: string; logo: string | null; size?: LogoSize }) {
  const { name, logo, size = 'page' } = props
  const ofList = size === 'list' ? ' of-list' : ''
  if (logo === null) {
    return (
      <span class={`logo initials${ofList}`} aria-hidden="true">
        {initials(name)}
      </span>
    )
  }
  return (
    <span class={`logo${ofList}`}>
      <img src={`/assets/partners/${logo}`} alt="" />
    </span>
  )
}

/** The first letters of the first two words. */
function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('')
}

/** The platform's logo in the same form as that of an application. */
export function PlatformLogo({ brand }: { brand: Brand }) {
  return (
    <span class="logo platform">
      <LogoPicture brand={brand} alt="" />
    </span>
  )
}

/** The platform's logo, in dark mode the dark one if there is one. */
export function LogoPicture({ brand: { logo, logoDark }, alt }: { brand: Brand; alt: string }) {
  const { width, height } = logo
  return (
    <picture>
      {logoDark && <source media="(prefers-color-scheme: dark)" srcset={imagePath(logoDark)} />}
      <img src={imagePath(logo)} alt={alt} width={width} height={height} />
    </picture>
  )
}

/** Isolates the direction of a name in a title, which cannot contain `<bdi>`, with the characters FSI and PDI. */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`
}

/** The technical reason, for developers. It is in English in all languages of the page. */
export function TechnicalLine({ children }: { children: string }) {
  return (
    <p lang="en">
      <small>{children}</small>
    </p>
  )
}

/**
 * Shows untrusted text from the request, so that a developer can find the error in it. Spaces and all characters except
 * printable ASCII are shown as escapes. Control characters therefore cannot rearrange the line, and an attacker cannot
 * show a message that looks like ours.
 */
export function ReceivedText({ children }: { children: string }) {
  const shown = children
    .slice(0, maxReceivedText)
    .replace(/[^\x21-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`)
  return (
    <code class="received" dir="ltr">
      {shown}
      {children.length > maxReceivedText && '…'}
    </code>
  )
}

/** In UTF-16 code units. */
const maxReceivedText = 300

/** Says why a form was rejected. The invalid field refers to it with `aria-describedby`. */
export function FormFault({ id, children }: { id: string; children: ComponentChildren }) {
  return (
    // Screen readers announce a live region only when it changes. On a new page they read it because it has the focus.
    <p class="fault" role="alert" id={id} tabIndex={-1} autofocus>
      {children}
    </p>
  )
}

const minute = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const

/**
 * Date and time to the minute or second, in UTC, because the server does not know the reader's time zone. On a page with
 * `localTimes`, the script changes it to local time, or with `relative` to a text such as "2 hours ago".
 */
export function Moment(props: { at: Date; language: Language; relative?: boolean; seconds?: boolean }) {
  const { at, language, relative = false, seconds = false } = props
  const format = seconds ? { ...minute, second: '2-digit' as const } : minute
  const form = { ...(relative && { 'data-relative': '' }), ...(seconds && { 'data-seconds': '' }) }
  return (
    <time datetime={at.toISOString()} {...form}>
      {new Intl.DateTimeFormat(language, format).format(at)}
    </time>
  )
}

/** A day in UTC, such as "20 February 2027". */
export function Day({ at, language }: { at: Date; language: Language }) {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
  return <>{format.format(at)}</>
}

export function Amount({ of, language }: { of: number; language: Language }) {
  return <>{new Intl.NumberFormat(language).format(of)}</>
}
