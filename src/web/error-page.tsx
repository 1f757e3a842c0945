import type { FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import Type, { Compile } from '../typebox.ts'
import type { Texts } from './languages/languages.ts'

export type RecoveryLink = { label: string; href: string }

/** The default link of an error page. */
export function connectedAppsLink({ errors }: Texts): RecoveryLink {
  return { label: errors.toConnectedApps, href: '/connections' }
}

/** Says what went wrong and what to do, and shows the request id for support. */
export function ErrorPage(props: {
  heading: string
  children: ComponentChildren
  recoveryLink: RecoveryLink | undefined
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

/** The fields that name the next page. Nothing else is read from a form that failed its checks. */
const DestinationFields = Type.Object({
  request: Type.Optional(Type.String()),
  logout: Type.Optional(Type.String()),
  page: Type.Optional(Type.String()),
})
const destinationFields = Compile(DestinationFields)

/** The address that shows this page again. A form that is shown again after an error has the address of its page. */
export function hereOf(request: FastifyRequest): string {
  const { method, url } = request
  // The contract's authorization request is a POST whose parameters are in the query.
  if (method === 'GET' || url.startsWith('/api/')) return url
  return formPage(request) ?? '/'
}

/** Pages that need a parameter, which the form has under another name or not at all. */
const incompleteAlone = ['/connect', '/connections/disconnect']

/** The page of a form: at the address of the form, or above it. Undefined: it has none. */
function formPage({ url, body, server }: FastifyRequest): string | undefined {
  const { request, logout, page } = destinationFields.Check(body) ? body : {}
  if (request) return `/connect?${new URLSearchParams({ request })}`
  if (logout) return `/logout?${new URLSearchParams({ logout })}`
  const [path = ''] = url.split('?', 1)
  const address = [path, `/${path.split('/')[1]}`].find(
    (at) => server.hasRoute({ method: 'GET', url: at }) && !incompleteAlone.includes(at),
  )
  return address === '/login' && page ? `${address}?${new URLSearchParams({ page })}` : address
}

/** A link that opens the page of the form again, with a new CSRF token. Undefined: the form has no such page. */
export function retryLink(request: FastifyRequest, texts: Texts): RecoveryLink | undefined {
  const href = formPage(request)
  return href === undefined ? undefined : { label: texts.errors.tryAgain, href }
}
