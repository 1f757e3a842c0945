import type { ComponentChildren } from 'preact'

export type WayOn = { label: string; href: string }

/** What went wrong in plain words, what to do now, and what to quote to whoever helps. */
export function ErrorPage(props: {
  heading: string
  children: ComponentChildren
  wayOn?: WayOn
  requestId: string
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
        Should you ask for help, quote this number: <code>{props.requestId}</code>
      </p>
    </>
  )
}
