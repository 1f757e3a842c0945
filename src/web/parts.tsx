import type { ComponentChildren } from 'preact'
import type { Language } from './languages/languages.ts'

/** What every form of ours carries: the CSRF token, and where it leads where that is not always the same. */
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

/** Whose login this is. */
export function UserName({ children }: { children: string }) {
  return (
    <strong>
      <bdi>{children}</bdi>
    </strong>
  )
}

/** The reason in the wire's words, for a developer: English on a page of any language. */
export function TechnicalLine({ children }: { children: string }) {
  return (
    <p lang="en">
      <small>{children}</small>
    </p>
  )
}

/** What kept a form from being done, told at once to who cannot see it: a field names it in `aria-describedby`. */
export function FormFault({ id, children }: { id: string; children: ComponentChildren }) {
  return (
    // The page is a new one, and a live region speaks only when it changes: so the focus is here.
    <p class="fault" role="alert" id={id} tabIndex={-1} autofocus>
      {children}
    </p>
  )
}

const day = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const
const minute = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** To the minute, in UTC, and it says so: the server does not know where the reader is. */
export function Moment({ at, language }: { at: Date; language: Language }) {
  return <time datetime={at.toISOString()}>{new Intl.DateTimeFormat(language, minute).format(at)}</time>
}

/** The day in UTC. */
export function Day({ at, language }: { at: Date; language: Language }) {
  return <time datetime={at.toISOString()}>{new Intl.DateTimeFormat(language, day).format(at)}</time>
}

export function Amount({ of, language }: { of: number; language: Language }) {
  return <>{new Intl.NumberFormat(language).format(of)}</>
}
