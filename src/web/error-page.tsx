import type { FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Texts } from './languages/languages.ts'

export type RecoveryLink = { label: string; href: string }

/** Where nothing better is known. */
export function connectedAppsLink({ errors }: Texts): RecoveryLink {
  return { label: errors.toConnections, href: '/connections' }
}

/** What went wrong in plain words, what to do now, and what to quote to whoever helps. */
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
        {props.texts.frame.quoteNumber} <code>{props.requestId}</code>
      </p>
    </>
  )
}

/** What our forms carry on to the next page; nothing else is taken from a form that is not believed. */
const Carried = Type.Object({
  request: Type.Optional(Type.String()),
  logout: Type.Optional(Type.String()),
  page: Type.Optional(Type.String()),
})
type Carried = Static<typeof Carried>
const carried = Compile(Carried)

/** The page that a form stood on, made anew. */
export function retryLink({ url, body }: FastifyRequest, texts: Texts): RecoveryLink {
  const href = pageOf(url, carried.Check(body) ? body : {})
  return href === undefined ? connectedAppsLink(texts) : { label: texts.errors.tryAgain, href }
}

function pageOf(url: string, { request, logout, page }: Carried): string | undefined {
  if (request) return `/connect?${new URLSearchParams({ request })}`
  if (logout) return `/logout?${new URLSearchParams({ logout })}`
  const [path] = /^\/(login|sessions|password|connections)\b/.exec(url) ?? []
  return path === '/login' && page ? `${path}?${new URLSearchParams({ page })}` : path
}
