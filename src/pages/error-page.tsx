import type { ComponentChildren } from 'preact'
import type { Texts } from '../languages/languages.ts'

export type RecoveryLink = { label: string; href: string }

/** The link of an error page that has no better one. */
export function connectedAppsLink({ errors }: Texts): RecoveryLink {
  return { label: errors.toConnectedApps, href: '/connections' }
}

/** Says what went wrong and what to do, and shows the request id for support. */
export function ErrorPage(props: {
  heading: string
  children: ComponentChildren
  recoveryLink?: RecoveryLink
  requestId: string
  texts: Texts
}) {
  return (
    <>
      <h1>{props.heading}</h1>
      <div class="fault">{props.children}</div>
      {props.recoveryLink && (
        <p>
          <a class="button" href={props.recoveryLink.href}>
            {props.recoveryLink.label}
          </a>
        </p>
      )}
      <p class="small">
        {props.texts.frame.supportReference} <code>{props.requestId}</code>
      </p>
    </>
  )
}
