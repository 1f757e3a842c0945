import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Texts } from '../languages/languages.ts'
import { type WayOn, yourApps } from '../pages/error-page.tsx'

/** What our forms carry on to the next page; nothing else is taken from a form that is not believed. */
const Carried = Type.Object({
  request: Type.Optional(Type.String()),
  logout: Type.Optional(Type.String()),
  page: Type.Optional(Type.String()),
})
type Carried = Static<typeof Carried>
const carried = Compile(Carried)

/** The page that a form stood on, made anew. */
export function wayBack({ url, body }: FastifyRequest, texts: Texts): WayOn {
  const href = pageOf(url, carried.Check(body) ? body : {})
  return href === undefined ? yourApps(texts) : { label: texts.errors.tryAgain, href }
}

function pageOf(url: string, { request, logout, page }: Carried): string | undefined {
  if (request) return `/connect?${new URLSearchParams({ request })}`
  if (logout) return `/logout?${new URLSearchParams({ logout })}`
  const [path] = /^\/(login|sessions|password|connections)\b/.exec(url) ?? []
  return path === '/login' && page ? `${path}?${new URLSearchParams({ page })}` : path
}
