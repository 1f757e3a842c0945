import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import { findPartner, type Partner } from '../partners/partners.sql.ts'
import type { Session } from '../sessions/sessions.sql.ts'
import { liveSession } from '../sessions/sessions.ts'
import type { Web } from '../web/edge.tsx'
import type { RecoveryLink } from '../web/error-page.tsx'
import type { Texts } from '../web/languages/languages.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { answerUrl, connect } from './connect.ts'
import { ConnectPage } from './connect-page.tsx'
import { nextStep } from './next-step.ts'
import { seal, type Unsealed, unseal } from './sealed-request.ts'

const ConnectQuery = Type.Object({ request: Type.String() })
const ConnectForm = Type.Object({
  request: Type.String(),
  decision: Type.Union([Type.Literal('connect'), Type.Literal('cancel')]),
})

export function connectRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const step = async (request: FastifyRequest, reply: FastifyReply) =>
    new ConnectStep(context, web, await web.texts(request), request, reply)

  app.get<{ Querystring: Static<typeof ConnectQuery> }>(
    '/connect',
    { schema: { querystring: ConnectQuery } },
    async (request, reply) => (await step(request, reply)).show(request.query.request),
  )
  app.post<{ Body: Static<typeof ConnectForm> }>(
    '/connect',
    { schema: { body: ConnectForm }, preValidation: web.ownForm },
    async (request, reply) =>
      (await step(request, reply)).decide(request.body.request, request.body.decision),
  )
}

/** One visit to the connect page. */
class ConnectStep {
  readonly #context: Context
  readonly #web: Web
  readonly #texts: Texts
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor(context: Context, web: Web, texts: Texts, request: FastifyRequest, reply: FastifyReply) {
    this.#context = context
    this.#web = web
    this.#texts = texts
    this.#request = request
    this.#reply = reply
  }

  async show(sealed: string): Promise<FastifyReply> {
    const { database, keys, now } = this.#context
    const opened = await unseal(sealed, keys.seal, now())
    if (opened.kind !== 'open') return this.#outOfDate(opened)
    const asked = opened.request
    const partner = await database.maybe(findPartner, [asked.clientId])
    if (partner?.status !== 'active') return this.#errorPage(403, this.#texts.connect.suspended)
    const step = nextStep(asked, await liveSession(this.#request, this.#context, asked.clientId), now())
    switch (step.kind) {
      case 'login':
        return this.#reply.redirect(`/login?${new URLSearchParams({ request: sealed })}`, 303)
      case 'answer':
        return this.#goBack(asked, { error: step.error, error_description: step.explanation })
      case 'issue':
        return this.#issue(sealed, asked, step.session)
      case 'connect':
        return this.#showPage(asked, partner, step.session)
    }
  }

  async decide(sealed: string, decision: 'connect' | 'cancel'): Promise<FastifyReply> {
    const { keys, now } = this.#context
    const opened = await unseal(sealed, keys.seal, now())
    if (opened.kind !== 'open') return this.#outOfDate(opened)
    const asked = opened.request
    const session = await liveSession(this.#request, this.#context, asked.clientId)
    if (!session || session.user_id !== opened.userId) {
      return this.#errorPage(403, this.#texts.connect.differentUser, this.#startAgain(asked))
    }
    if (decision === 'cancel') {
      return this.#goBack(asked, {
        error: 'access_denied',
        error_description: 'The user denied the request.',
      })
    }
    return this.#issue(sealed, asked, session)
  }

  #goBack(asked: AuthorizationRequest, answer: Record<string, string>): FastifyReply {
    const address = answerUrl(asked, this.#context.config.authUrl, answer)
    return this.#reply.header('cache-control', 'no-store').redirect(address, 303)
  }

  async #issue(sealed: string, asked: AuthorizationRequest, session: Session): Promise<FastifyReply> {
    const { user_id: userId, auth_time: authTime } = session
    const outcome = await connect(this.#context, asked, { id: userId, authTime })
    this.#request.log.info({
      event: 'connect',
      outcome: outcome.kind,
      client_id: asked.clientId,
      user_id: userId,
    })
    switch (outcome.kind) {
      case 'connected':
        return this.#goBack(asked, { code: outcome.code })
      case 'used':
        return this.#errorPage(409, this.#texts.connect.alreadyUsed, this.#startAgain(asked))
      case 'unavailable':
        // Since it was looked at, something ended: the partner, the user or the grant. What is next is decided anew.
        return this.show(sealed)
    }
  }

  async #showPage(asked: AuthorizationRequest, partner: Partner, session: Session): Promise<FastifyReply> {
    const { keys, now } = this.#context
    const { protocol, host } = new URL(asked.redirectUri)
    const page = (
      <ConnectPage
        texts={this.#texts}
        csrf={this.#web.csrfToken(this.#reply)}
        request={await seal(asked, keys.seal, now(), session.user_id)}
        partner={partner}
        userName={session.user_name}
        redirectHost={host}
      />
    )
    // No markup can stand in a title: the characters FSI and PDI do what <bdi> does on the page.
    const title = this.#texts.connect.heading(`\u2068${partner.name}\u2069`)
    // The scheme, not the origin: Chromium checks every further redirect of the partner's callback too, and one that
    // goes on to another host of the partner's would leave a button that does nothing.
    return this.#web.page(this.#reply, this.#texts, 200, title, page, { formAction: protocol })
  }

  #outOfDate(opened: Exclude<Unsealed, { kind: 'open' }>): FastifyReply {
    const { expired, invalid } = this.#texts.connect
    if (opened.kind === 'invalid') return this.#errorPage(400, invalid)
    return this.#errorPage(400, expired, this.#startAgain(opened.request))
  }

  #errorPage(
    status: number,
    said: { heading: string; text: string },
    recoveryLink?: RecoveryLink,
  ): FastifyReply {
    return this.#web.errorPage(
      this.#reply,
      this.#texts,
      status,
      said.heading,
      <p>{said.text}</p>,
      recoveryLink,
    )
  }

  /** Not a request for a certain user: its hint is not kept, and without it anybody could answer. */
  #startAgain(asked: AuthorizationRequest): RecoveryLink | undefined {
    if (asked.subject !== undefined) return undefined
    return { label: this.#texts.connect.startAgain, href: sameRequest(asked) }
  }
}

/** The same authorization request once more. */
function sameRequest(asked: AuthorizationRequest): string {
  const parameters = new URLSearchParams({
    response_type: 'code',
    scope: 'openid',
    client_id: asked.clientId,
    redirect_uri: asked.redirectUri,
    ...(asked.state && { state: asked.state }),
    ...(asked.nonce && { nonce: asked.nonce }),
    ...(asked.codeChallenge && { code_challenge: asked.codeChallenge, code_challenge_method: 'S256' }),
    ...(asked.prompt.length > 0 && { prompt: asked.prompt.join(' ') }),
    ...(asked.maxAge !== undefined && { max_age: String(asked.maxAge) }),
    ...(asked.loginHint && { login_hint: asked.loginHint }),
    ...(asked.uiLocales && { ui_locales: asked.uiLocales }),
  })
  return `/api/oauth2/authorize?${parameters}`
}
