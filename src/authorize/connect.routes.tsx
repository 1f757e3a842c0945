import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import type { Web } from '../http/web-edge.tsx'
import type { WayOn } from '../pages/error-page.tsx'
import { findPartner } from '../partners/partners.sql.ts'
import { sessionHash } from '../sessions/session-cookie.ts'
import { findSession, type Session } from '../sessions/sessions.sql.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { answerUrl, connect } from './connect.ts'
import { nextStep } from './next-step.ts'
import { ConnectPage } from './pages.tsx'
import { seal, unseal } from './sealed-request.ts'

const ConnectQuery = Type.Object({ request: Type.String() })
const ConnectForm = Type.Object({
  request: Type.String(),
  decision: Type.Union([Type.Literal('connect'), Type.Literal('cancel')]),
})

export function connectRoutes(app: FastifyInstance, context: Context, web: Web): void {
  app.get<{ Querystring: Static<typeof ConnectQuery> }>(
    '/connect',
    { schema: { querystring: ConnectQuery } },
    (request, reply) => new ConnectStep(context, web, request, reply).show(request.query.request),
  )
  app.post<{ Body: Static<typeof ConnectForm> }>(
    '/connect',
    { schema: { body: ConnectForm }, preValidation: web.ownForm },
    (request, reply) =>
      new ConnectStep(context, web, request, reply).decide(request.body.request, request.body.decision),
  )
}

/** One visit to the connect page. */
class ConnectStep {
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

  async show(sealed: string): Promise<FastifyReply> {
    const { keys, now } = this.#context
    const opened = await unseal(sealed, keys.seal, now())
    if (opened.kind !== 'open') return outOfDate(this.#web, this.#reply, opened)
    const asked = opened.request
    const step = nextStep(asked, await this.#session(asked.clientId), now())
    switch (step.kind) {
      case 'login':
        return this.#reply.redirect(`/login?${new URLSearchParams({ request: sealed })}`, 303)
      case 'answer':
        return this.#goBack(asked, { error: step.error, error_description: step.explanation })
      case 'issue':
        return this.#issue(asked, step.session)
      case 'connect':
        return this.#showPage(asked, step.session)
    }
  }

  async decide(sealed: string, decision: 'connect' | 'cancel'): Promise<FastifyReply> {
    const { keys, now } = this.#context
    const opened = await unseal(sealed, keys.seal, now())
    if (opened.kind !== 'open') return outOfDate(this.#web, this.#reply, opened)
    const asked = opened.request
    const session = await this.#session(asked.clientId)
    if (!session || session.user_id !== opened.userId) {
      const text = (
        <p>This page was made for another login than the one you have now. Nothing was connected.</p>
      )
      return this.#web.errorPage(
        this.#reply,
        await this.#web.texts(this.#request),
        403,
        'This page is not yours',
        text,
        startAgain(asked),
      )
    }
    if (decision === 'cancel') {
      return this.#goBack(asked, { error: 'access_denied', error_description: 'the user pressed Cancel' })
    }
    return this.#issue(asked, session)
  }

  async #session(clientId: string): Promise<Session | undefined> {
    const hash = sessionHash(this.#request, this.#context.config)
    return hash ? this.#context.database.maybe(findSession, [hash, clientId]) : undefined
  }

  #goBack(asked: AuthorizationRequest, answer: Record<string, string>): FastifyReply {
    const address = answerUrl(asked, this.#context.config.authUrl, answer)
    return this.#reply.header('cache-control', 'no-store').redirect(address, 303)
  }

  async #issue(asked: AuthorizationRequest, session: Session): Promise<FastifyReply> {
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
      case 'used': {
        const text = (
          <p>You pressed Connect on it before, and it counts only once. To connect again, start again.</p>
        )
        return this.#web.errorPage(
          this.#reply,
          await this.#web.texts(this.#request),
          409,
          'This page was already used',
          text,
          startAgain(asked),
        )
      }
      case 'unavailable':
        return this.#refuse(asked)
    }
  }

  /** Between the page and the press, something ended: the partner, or for `prompt=none` the grant. */
  async #refuse(asked: AuthorizationRequest): Promise<FastifyReply> {
    const partner = await this.#context.database.maybe(findPartner, [asked.clientId])
    if (partner?.status === 'active' && asked.prompt.includes('none')) {
      return this.#goBack(asked, consentRequired)
    }
    const text = <p>The application or your login is not active.</p>
    return this.#web.errorPage(
      this.#reply,
      await this.#web.texts(this.#request),
      403,
      'This cannot be connected',
      text,
    )
  }

  async #showPage(asked: AuthorizationRequest, session: Session): Promise<FastifyReply> {
    const { database, keys, now } = this.#context
    const partner = await database.maybe(findPartner, [asked.clientId])
    if (partner?.status !== 'active') {
      const text = <p>It cannot be connected for now.</p>
      return this.#web.errorPage(
        this.#reply,
        await this.#web.texts(this.#request),
        403,
        'This application is suspended',
        text,
      )
    }
    const { protocol, host } = new URL(asked.redirectUri)
    const page = (
      <ConnectPage
        csrf={this.#web.csrfToken(this.#reply)}
        request={await seal(asked, keys.seal, now(), session.user_id)}
        partner={partner}
        userName={session.user_name}
        redirectHost={host}
      />
    )
    // The scheme, not the origin: Chromium checks every further redirect of the partner's callback too, and one that
    // goes on to another host of the partner's would leave a button that does nothing.
    return this.#web.page(
      this.#reply,
      await this.#web.texts(this.#request),
      200,
      `Connect ${partner.name}?`,
      page,
      { formAction: protocol },
    )
  }
}

const consentRequired = {
  error: 'consent_required',
  error_description: 'the user has to agree on the connect page',
}

async function outOfDate(
  web: Web,
  reply: FastifyReply,
  opened: { kind: 'expired'; request: AuthorizationRequest } | { kind: 'invalid' },
) {
  if (opened.kind === 'invalid') {
    const text = <p>Go back to the application that you want to connect, and start again from there.</p>
    return web.errorPage(reply, await web.texts(reply.request), 400, 'This page is not complete', text)
  }
  const text = <p>It was open for more than ten minutes. Nothing was connected.</p>
  return web.errorPage(
    reply,
    await web.texts(reply.request),
    400,
    'This page is out of date',
    text,
    startAgain(opened.request),
  )
}

/** The same authorization request once more; not one for a certain user, whose hint is not kept. */
function startAgain(asked: AuthorizationRequest): WayOn | undefined {
  if (asked.subject !== undefined) return undefined
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
  })
  return { label: 'Start again', href: `/api/oauth2/authorize?${parameters}` }
}
