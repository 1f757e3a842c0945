import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import { type Form, parametersOf, parseForm, rawQuery } from '../http/parameters.ts'
import type { Web } from '../http/web-edge.tsx'
import { connectedAppsLink } from '../pages/error-page.tsx'
import { TechnicalLine } from '../pages/parts.tsx'
import { findPartner } from '../partners/partners.sql.ts'
import { liveSession } from '../sessions/live-session.ts'
import { logOut } from '../sessions/log-out.ts'
import { readIdTokenHint } from '../tokens/id-token.ts'
import { Destination, nextPage } from './destination.ts'
import { LoggedOutPage, LogoutPage } from './logout-pages.tsx'
import { checkLogout, type LogoutRequest, returnAddress, sealLogout, unsealLogout } from './logout-request.ts'

const LogoutQuery = Type.Object({ logout: Type.Optional(Type.String()) })
const LogoutForm = Type.Object({ ...Destination.properties, ...LogoutQuery.properties })

/** RP-Initiated Logout 1.0: a partner sends its user here to log out, by `GET` or `POST`; our own pages have a form. */
export function logoutRoutes(app: FastifyInstance, context: Context, web: Web): void {
  app.get('/api/oauth2/logout', (request, reply) => new LogoutStep(context, web, request, reply).receive({}))
  app.post<{ Body: Form | null }>('/api/oauth2/logout', (request, reply) =>
    new LogoutStep(context, web, request, reply).receive(request.body ?? {}),
  )
  app.get<{ Querystring: Static<typeof LogoutQuery> }>(
    '/logout',
    { schema: { querystring: LogoutQuery } },
    (request, reply) => new LogoutStep(context, web, request, reply).show(request.query.logout ?? ''),
  )
  app.post<{ Body: Static<typeof LogoutForm> }>(
    '/logout',
    { schema: { body: LogoutForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { logout, ...destination } = request.body
      await logOut(request, reply, context)
      // Where nobody is logged in any more, a partner's logout request goes on.
      const next = logout === undefined ? nextPage(destination) : `/logout?${new URLSearchParams({ logout })}`
      return reply.redirect(next, 303)
    },
  )
}

/** One visit on the way out. */
class LogoutStep {
  readonly #context: Context
  readonly #web: Web
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor(context: Context, web: Web, request: FastifyRequest, reply: FastifyReply) {
    this.#context = context
    this.#web = web
    this.#request = request
    this.#reply = reply
  }

  async receive(body: Form): Promise<FastifyReply> {
    const { database, keys, now } = this.#context
    const checked = await checkLogout(
      parametersOf(parseForm(rawQuery(this.#request.url)), body),
      (idToken) => readIdTokenHint(this.#context, idToken),
      (clientId) => database.maybe(findPartner, [clientId]),
    )
    if (checked.kind === 'refused') return this.#refuse(checked.explanation)
    // As in authorize: the POST is cross-site and brings no cookie, the GET after it does.
    const sealed = await sealLogout(checked.request, keys.seal, now())
    return this.#reply.redirect(`/logout?${new URLSearchParams({ logout: sealed })}`, 303)
  }

  async show(sealed: string): Promise<FastifyReply> {
    const { keys, now } = this.#context
    const asked = await unsealLogout(sealed, keys.seal, now())
    const session = await liveSession(this.#request, this.#context, asked.clientId)
    if (!session) return this.#leave(asked)
    if (asked.subject !== undefined && asked.subject === session.subject) {
      await logOut(this.#request, this.#reply, this.#context)
      return this.#leave(asked)
    }
    return this.#ask(asked, sealed, session.user_name)
  }

  async #leave(asked: LogoutRequest): Promise<FastifyReply> {
    const address = returnAddress(asked)
    if (address !== undefined) return this.#reply.header('cache-control', 'no-store').redirect(address, 303)
    const texts = await this.#web.texts(this.#request)
    const page = <LoggedOutPage texts={texts} />
    return this.#web.page(this.#reply, texts, 200, texts.logout.done.heading, page)
  }

  async #ask(asked: LogoutRequest, sealed: string, userName: string): Promise<FastifyReply> {
    const texts = await this.#web.texts(this.#request)
    const { database } = this.#context
    const partner = asked.clientId ? await database.maybe(findPartner, [asked.clientId]) : undefined
    const page = (
      <LogoutPage
        texts={texts}
        csrf={this.#web.csrfToken(this.#reply)}
        logout={sealed}
        userName={userName}
        partnerName={partner?.name}
      />
    )
    // The answer to the form leads on to the partner, and Chromium checks that too.
    const leadsTo = asked.returnTo ? { formAction: new URL(asked.returnTo).protocol } : {}
    return this.#web.page(this.#reply, texts, 200, texts.logout.heading, page, leadsTo)
  }

  async #refuse(explanation: string): Promise<FastifyReply> {
    const texts = await this.#web.texts(this.#request)
    const { heading, text } = texts.logout.refused
    const body = (
      <>
        <p>{text}</p>
        <TechnicalLine>{explanation}</TechnicalLine>
      </>
    )
    return this.#web.errorPage(this.#reply, texts, 400, heading, body, connectedAppsLink(texts))
  }
}
