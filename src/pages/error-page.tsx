import type { ComponentChildren } from 'preact'
import type { Texts } from '../languages/languages.ts'

export type WayOn = { label: string; href: string }

/** Where nothing better is known. */
export function yourApps({ errors }: Texts): WayOn {
  return { label: errors.toConnections, href: '/connections' }
}

/** What went wrong in plain words, what to do now, and what to quote to whoever helps. */
export function ErrorPage(props: {
  heading: string
  children: ComponentChildren
  wayOn?: WayOn
  requestId: string
  texts: Texts
}) {
  return (
    <>
      <h1>{props.heading}</h1>
      <div class="fault">{props.children}</div>
      {props.wayOn && (
        <p>
          <a class="button" href={props.wayOn.href}>
            {props.wayOn.label}
          </a>
        </p>
      )}
      <p class="small">
        {props.texts.frame.quoteNumber} <code>{props.requestId}</code>
      </p>
    </>
  )
}
