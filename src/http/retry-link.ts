import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Texts } from '../languages/languages.ts'
import { connectedAppsLink, type RecoveryLink } from '../pages/error-page.tsx'

/** The fields that name the next page. Nothing else is read from a form that failed its checks. */
const Carried = Type.Object({
  request: Type.Optional(Type.String()),
  logout: Type.Optional(Type.String()),
  page: Type.Optional(Type.String()),
})
type Carried = Static<typeof Carried>
const carried = Compile(Carried)

/** A link to a fresh copy of the page that the form was on. */
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
