import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import pLimit, { type LimitFunction } from 'p-limit'
import { pageOrigin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import { findSharedData } from '../households/user-households.sql.ts'
import { findPartner, type Partner } from '../partners/partners.sql.ts'
import type { Session } from '../sessions/sessions.sql.ts'
import { liveSession } from '../sessions/sessions.ts'
import Type, { type Static } from '../typebox.ts'
import type { Texts } from '../web/languages/languages.ts'
import type { Web } from '../web/page-edge.tsx'
import { isolated } from '../web/parts.tsx'
import { acrRequestOf } from './acr-request.ts'
import { type AuthorizationRequest, authorizationFault } from './authorization-request.ts'
import { answerUrl, connect, faultUrl } from './connect.ts'
import { ConnectPage } from './connect-page.tsx'
import { nextStep } from './next-step.ts'
import { sendOutdated, startAgainLink } from './outdated-request.tsx'
import { openPageRequest } from './page-request.ts'
import { seal } from './sealed-request.ts'

const ConnectQuery = Type.Object({ request: Type.String() })
const ConnectForm = Type.Object({
  request: Type.String(),
  decision: Type.Union([Type.Literal('connect'), Type.Literal('cancel')]),
})

/**
 * Consents that are recorded at once. An import locks the users that it changes until it ends, and consents of these users wait
 * for it: without this limit they would hold all connections that tokens need.
 */
const concurrentConsents = 4

/**
 * How many counts of what an application would see run at once. For a user with many accounts, a count costs as much as 20
 * pages of the API.
 */
const concurrentCounts = 2

/** Work of one kind that waits. More is refused. */
const mostWaiting = 64

export function connectRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const places = { consents: pLimit(concurrentConsents), counts: pLimit(concurrentCounts) }
  app.get<{ Querystring: Static<typeof ConnectQuery> }>(
    '/connect',
    { schema: { querystring: ConnectQuery } },
    (request, reply) => showConnect({ context, web, places, request, reply, sealed: request.query.request }),
  )
  app.post<{ Body: Static<typeof ConnectForm> }>(
    '/connect',
    { schema: { body: ConnectForm }, preValidation: web.ownForm },
    (request, reply) => {
      const { request: sealed, decision } = request.body
      return decide({ context, web, places, request, reply, sealed, decision })
    },
  )
}

/** `sealed` is the sealed authorization request. */
type Exchange = {
  context: Context
  web: Web
  places: Record<'consents' | 'counts', LimitFunction>
  request: FastifyRequest
  reply: FastifyReply
  sealed: string
}

/** An exchange whose authorization request has been unsealed. */
type ConnectStep = Exchange & { authorization: AuthorizationRequest; texts: Texts }

async function showConnect(exchange: Exchange): Promise<FastifyReply> {
  const { context, web, request, reply, sealed } = exchange
  const { authorization: opened, texts } = openPageRequest(context, request)
  if (opened.kind !== 'open') return sendOutdated({ web, reply, texts, opened })
  const authorization = opened.request
  const partner = await context.database.maybe(findPartner, [authorization.clientId])
  if (partner?.status !== 'active') {
    const { heading, text } = texts.connect.suspended
    return web.errorPage({ reply, texts, status: 403, heading, text: <p>{text}</p> })
  }
  // Every connect page renews the ten minutes: without this check, a redirect URI that was given up would work without end.
  if (!partner.redirect_uris.includes(authorization.redirectUri)) {
    return sendOutdated({ web, reply, texts, opened: { kind: 'expired', request: authorization } })
  }
  const session = await liveSession(request, context, authorization.clientId)
  const next = nextStep(authorization, session, acrRequestOf(authorization, partner), context.now())
  const step = { ...exchange, authorization, texts }
  switch (next.kind) {
    case 'login':
      return reply.redirect(`/login?${new URLSearchParams({ request: sealed })}`, 303)
    case 'step-up':
      return reply.redirect(`/step-up?${new URLSearchParams({ request: sealed })}`, 303)
    case 'answer':
      return sendBack(reply, faultUrl(authorization, context.config, next.fault))
    case 'issue':
      return issueCode({ ...step, session: next.session })
    case 'connect':
      return sendConnectPage({ ...step, partner, session: next.session })
  }
}

async function decide(exchange: Exchange & { decision: 'connect' | 'cancel' }): Promise<FastifyReply> {
  const { context, web, request, reply, decision } = exchange
  const { authorization: opened, texts } = openPageRequest(context, request)
  if (opened.kind !== 'open') return sendOutdated({ web, reply, texts, opened })
  const authorization = opened.request
  const session = await liveSession(request, context, authorization.clientId)
  if (!session || session.user_id !== opened.userId) {
    const { heading, text } = texts.connect.differentUser
    const recoveryLink = startAgainLink(authorization, texts)
    return web.errorPage({ reply, texts, status: 403, heading, text: <p>{text}</p>, recoveryLink })
  }
  const step = { ...exchange, authorization, texts }
  if (decision === 'cancel' || context.sandbox?.cancelsConsent(session.user_id)) {
    return sendBack(reply, faultUrl(authorization, context.config, authorizationFault('user_denied')))
  }
  return issueCode({ ...step, session })
}

async function issueCode(step: ConnectStep & { session: Session }): Promise<FastifyReply> {
  const { context, web, places, request, reply, authorization, texts, session } = step
  const outcome = await inTurn(places.consents, () =>
    connect(context, pageOrigin(request, session.user_id), authorization, session, texts.language),
  )
  request.log.info({
    event: 'connect',
    outcome: outcome.kind,
    client_id: authorization.clientId,
    user_id: session.user_id,
  })
  switch (outcome.kind) {
    case 'connected':
      return sendBack(reply, answerUrl(authorization, context.config.authUrl, { code: outcome.code }))
    case 'used': {
      const { heading, text } = texts.connect.alreadyUsed
      const recoveryLink = startAgainLink(authorization, texts)
      return web.errorPage({ reply, texts, status: 409, heading, text: <p>{text}</p>, recoveryLink })
    }
    case 'unavailable':
      // The partner, the user or the grant has ended since the session was read. Read them again and decide again.
      return showConnect(step)
  }
}

/** @throws {DatabaseUnavailable} if too much work of this kind waits */
function inTurn<T>(places: LimitFunction, work: () => Promise<T>): Promise<T> {
  if (places.pendingCount >= mostWaiting)
    throw new DatabaseUnavailable('too many requests of this kind are waiting')
  return places(work)
}

/** Redirects the browser back to the partner. */
function sendBack(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(address, 303)
}

async function sendConnectPage(
  step: ConnectStep & { partner: Partner; session: Session },
): Promise<FastifyReply> {
  const { context, web, places, reply, authorization, texts, partner, session } = step
  const count = () => context.database.listing.one(findSharedData, [session.user_id])
  const { protocol, host } = new URL(authorization.redirectUri)
  const days = partner.grant_lifetime_days ?? context.config.grantLifetimeDays
  const body = (
    <ConnectPage
      texts={texts}
      csrf={web.csrfToken(reply)}
      request={seal(authorization, context.keys.current.seal, context.now(), session.user_id)}
      brand={context.config.brand}
      partner={partner}
      userName={session.user_name}
      isConnected={session.has_grant}
      redirectHost={host}
      shared={await inTurn(places.counts, count)}
      life={days === undefined ? undefined : { days, until: daysAfter(context.now(), days) }}
    />
  )
  const title = texts.connect.heading(isolated(partner.name), isolated(context.config.brand.name))
  // The policy allows the scheme of the redirect URI, not only its origin. Chromium also checks the redirects that the
  // partner's callback sends. If the callback redirects to another host, a stricter policy blocks the form silently.
  return web.page({ reply, texts, title, body, formAction: protocol })
}

/** For display only: the database sets the end by its own clock. */
function daysAfter(at: Date, days: number): Date {
  return new Date(at.getTime() + days * 24 * 3600 * 1000)
}
