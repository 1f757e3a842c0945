import type { ComponentChildren } from 'preact'
import type { Language } from './languages/languages.ts'

/** The hidden fields of every form: the CSRF token, and the next page where it varies. */
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

/** A name in a title, where no markup can stand: the characters FSI and PDI do what `<bdi>` does on the page. */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`
}

/** The technical reason, for developers. It is in English on pages of every language. */
export function TechnicalLine({ children }: { children: string }) {
  return (
    <p lang="en">
      <small>{children}</small>
    </p>
  )
}

/**
 * Text that a stranger sent, for the developer who looks for the fault in it. Everything but printable ASCII is shown as
 * an escape, spaces too: control characters cannot rearrange the line, and a message cannot pass for ours.
 */
export function ReceivedText({ children }: { children: string }) {
  const shown = children
    .slice(0, longestReceivedText)
    .replace(/[^\x21-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`)
  return (
    <code class="received" dir="ltr">
      {shown}
      {children.length > longestReceivedText && '…'}
    </code>
  )
}

/** In UTF-16 code units. */
const longestReceivedText = 300

/** Why a form was rejected. The field in question refers to it by `aria-describedby`. */
export function FormFault({ id, children }: { id: string; children: ComponentChildren }) {
  return (
    // A live region is announced only when it changes, and this is a new page. Focus makes screen readers read it.
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
 * Date and time to the minute, in UTC: the server does not know the reader's time zone. On a page with `localTimes` the
 * script changes it to local time; with `relative` to a text like "2 hours ago".
 */
export function Moment(props: { at: Date; language: Language; relative?: boolean }) {
  const { at, language, relative = false } = props
  return (
    <time datetime={at.toISOString()} {...(relative && { 'data-relative': '' })}>
      {new Intl.DateTimeFormat(language, minute).format(at)}
    </time>
  )
}

export function Amount({ of, language }: { of: number; language: Language }) {
  return <>{new Intl.NumberFormat(language).format(of)}</>
}
