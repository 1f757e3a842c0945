import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { type Form, parametersOf, parseForm, rawQuery } from '../http/parameters.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import { findPartner } from '../partners/partners.sql.ts'
import { liveSession, logOut } from '../sessions/sessions.ts'
import { readIdTokenHint } from '../tokens/id-token.ts'
import Type, { type Static } from '../typebox.ts'
import { connectedAppsLink } from '../web/error-page.tsx'
import type { Texts } from '../web/languages/languages.ts'
import type { Web } from '../web/page-edge.tsx'
import { TechnicalLine } from '../web/parts.tsx'
import { LoggedOutPage, LogoutPage } from './logout-pages.tsx'
import { checkLogout, type LogoutRequest, returnAddress, sealLogout } from './logout-request.ts'
import { openPageRequest } from './page-request.ts'
import { continuedLogout, logOutAtProvider, providerLogoutRoutes } from './provider-logout.tsx'
import { Destination, nextPage } from './sealed-request.ts'

const LogoutQuery = Type.Object({ logout: Type.Optional(Type.String()) })
const LogoutForm = Type.Object({ ...Destination.properties, ...LogoutQuery.properties })

/** RP-Initiated Logout 1.0: a partner sends its user here by `GET` or `POST`. Our own pages have a logout form. */
export function logoutRoutes(
  app: FastifyInstance,
  context: Context,
  web: Web,
  providers: ProviderClients,
): void {
  const services = { context, web, providers }
  app.get('/api/oauth2/logout', (request, reply) => receiveLogout({ ...services, request, reply, form: {} }))
  app.post<{ Body: Form | null }>('/api/oauth2/logout', (request, reply) =>
    receiveLogout({ ...services, request, reply, form: request.body ?? {} }),
  )
  app.get<{ Querystring: Static<typeof LogoutQuery> }>(
    '/logout',
    { schema: { querystring: LogoutQuery } },
    (request, reply) => showLogout({ ...services, request, reply, sealed: request.query.logout ?? '' }),
  )
  app.post<{ Body: Static<typeof LogoutForm> }>(
    '/logout',
    { schema: { body: LogoutForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const ended = await logOut(request, reply, context)
      if (ended) return logOutAtProvider({ ...services, request, reply, ended, carried: request.body })
      const { logout, ...destination } = request.body
      return reply.redirect(logout === undefined ? nextPage(destination) : continuedLogout(logout), 303)
    },
  )
  providerLogoutRoutes(app, context, web)
}

type Exchange = {
  context: Context
  web: Web
  providers: ProviderClients
  request: FastifyRequest
  reply: FastifyReply
}

async function receiveLogout({
  context,
  web,
  request,
  reply,
  form,
}: Exchange & { form: Form }): Promise<FastifyReply> {
  const { database, keys, now } = context
  const checked = await checkLogout(
    parametersOf(parseForm(rawQuery(request.url)), form),
    (idToken) => readIdTokenHint(context, idToken),
    (clientId) => database.maybe(findPartner, [clientId]),
  )
  if (checked.kind === 'refused') {
    const { texts } = openPageRequest(context, request)
    const { heading, text: explanation } = texts.logout.refused
    const text = (
      <>
        <p>{explanation}</p>
        <TechnicalLine>{checked.explanation}</TechnicalLine>
      </>
    )
    const recoveryLink = connectedAppsLink(texts)
    return web.errorPage({ reply, texts, status: 400, heading, text, recoveryLink })
  }
  // As in authorize.routes.tsx: browsers send the session cookie with this GET, but not with a cross-site POST.
  const sealed = sealLogout(checked.request, keys.current.seal, now())
  return reply.redirect(`/logout?${new URLSearchParams({ logout: sealed })}`, 303)
}

async function showLogout({
  context,
  web,
  providers,
  request,
  reply,
  sealed,
}: Exchange & { sealed: string }): Promise<FastifyReply> {
  const { logout, texts } = openPageRequest(context, request)
  const session = await liveSession(request, context, logout.clientId)
  const isUsersOwnRequest = logout.subject !== undefined && logout.subject === session?.subject
  if (session && !isUsersOwnRequest) {
    return sendLogoutPage({ context, web, reply, sealed, logout, texts, userName: session.user_name })
  }
  const ended = session && (await logOut(request, reply, context))
  if (ended)
    return logOutAtProvider({ context, web, providers, request, reply, ended, carried: { logout: sealed } })
  const address = returnAddress(logout)
  if (address !== undefined) return reply.header('cache-control', 'no-store').redirect(address, 303)
  const title = texts.logout.done.heading
  return web.page({ reply, texts, title, body: <LoggedOutPage texts={texts} /> })
}

async function sendLogoutPage(content: {
  context: Context
  web: Web
  reply: FastifyReply
  sealed: string
  logout: LogoutRequest
  texts: Texts
  userName: string
}): Promise<FastifyReply> {
  const { context, web, reply, logout, texts } = content
  const partner = logout.clientId ? await context.database.maybe(findPartner, [logout.clientId]) : undefined
  const body = (
    <LogoutPage
      texts={texts}
      csrf={web.csrfToken(reply)}
      logout={content.sealed}
      userName={content.userName}
      partnerName={partner?.name}
    />
  )
  // The response to the form redirects to the partner, and Chromium checks that redirect too.
  const formAction = logout.returnTo ? new URL(logout.returnTo).protocol : ''
  return web.page({ reply, texts, title: texts.logout.heading, body, formAction })
}
