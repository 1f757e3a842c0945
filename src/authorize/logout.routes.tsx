import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import { type Form, parametersOf, parseForm, rawQuery } from '../http/parameters.ts'
import type { Web } from '../http/web-edge.tsx'
import { findPartner } from '../partners/partners.sql.ts'
import { logOut } from '../sessions/log-out.ts'
import { sessionHash } from '../sessions/session-cookie.ts'
import { findSession, type Session } from '../sessions/sessions.sql.ts'
import { readIdTokenHint } from '../tokens/id-token.ts'
import { LoggedOutPage, LogoutPage } from './logout-pages.tsx'
import { checkLogout, type LogoutRequest, returnAddress, sealLogout, unsealLogout } from './logout-request.ts'

const LogoutQuery = Type.Object({ logout: Type.Optional(Type.String()) })

/** RP-Initiated Logout 1.0: a partner sends its user here to log out, `GET` or `POST`. */
export function logoutRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { config, database, keys, now } = context

  const receive = async (request: FastifyRequest, reply: FastifyReply, body: Form) => {
    const checked = await checkLogout(
      parametersOf(parseForm(rawQuery(request.url)), body),
      (idToken) => readIdTokenHint(context, idToken),
      (clientId) => database.maybe(findPartner, [clientId]),
    )
    if (checked.kind === 'refused') return refuse(request, reply, checked.explanation)
    // As in authorize: the POST is cross-site and brings no cookie, the GET after it does.
    const sealed = await sealLogout(checked.request, keys.seal, now())
    return reply.redirect(`/logout?${new URLSearchParams({ logout: sealed })}`, 303)
  }

  app.get('/api/oauth2/logout', (request, reply) => receive(request, reply, {}))
  app.post<{ Body: Form | null }>('/api/oauth2/logout', (request, reply) =>
    receive(request, reply, request.body ?? {}),
  )

  app.get<{ Querystring: Static<typeof LogoutQuery> }>(
    '/logout',
    { schema: { querystring: LogoutQuery } },
    async (request, reply) => {
      const { logout: sealed = '' } = request.query
      const asked = await unsealLogout(sealed, keys.seal, now())
      const hash = sessionHash(request, config)
      const session = hash && (await database.maybe(findSession, [hash, asked.clientId ?? null]))
      if (!session) return leave(request, reply, asked)
      if (asked.subject !== undefined && asked.subject === session.subject) {
        await logOut(request, reply, context)
        return leave(request, reply, asked)
      }
      return ask(request, reply, { asked, sealed, session })
    },
  )

  async function refuse(request: FastifyRequest, reply: FastifyReply, explanation: string) {
    const texts = await web.texts(request)
    const { heading, text } = texts.logout.refused
    const body = (
      <>
        <p>{text}</p>
        <p lang="en">
          <small>{explanation}</small>
        </p>
      </>
    )
    const wayOn = { label: texts.errors.toConnections, href: '/connections' }
    return web.errorPage(reply, texts, 400, heading, body, wayOn)
  }

  async function leave(request: FastifyRequest, reply: FastifyReply, asked: LogoutRequest) {
    const address = returnAddress(asked)
    if (address !== undefined) return reply.header('cache-control', 'no-store').redirect(address, 303)
    const texts = await web.texts(request)
    return web.page(reply, texts, 200, texts.logout.done.heading, <LoggedOutPage texts={texts} />)
  }

  async function ask(
    request: FastifyRequest,
    reply: FastifyReply,
    { asked, sealed, session }: { asked: LogoutRequest; sealed: string; session: Session },
  ) {
    const texts = await web.texts(request)
    const partner = asked.clientId && (await database.maybe(findPartner, [asked.clientId]))
    const page = (
      <LogoutPage
        texts={texts}
        csrf={web.csrfToken(reply)}
        logout={sealed}
        userName={session.user_name}
        partnerName={partner ? partner.name : undefined}
      />
    )
    // The answer to the form leads on to the partner, and Chromium checks that too.
    const formAction = asked.returnTo && new URL(asked.returnTo).protocol
    return web.page(reply, texts, 200, texts.logout.heading, page, { ...(formAction && { formAction }) })
  }
}
