import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import pLimit from 'p-limit'
import { pageOrigin } from '../audit/origin.ts'
import { openPageRequest } from '../authorize/page-request.ts'
import { Destination, withDestination } from '../authorize/sealed-request.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import type { PasswordOwner } from '../directory/new-password.ts'
import { browserOf, rememberBrowser } from '../login/known-browser.ts'
import { resetMinutes } from '../mail/mail-content.ts'
import { passwordFaultText } from '../sessions/new-password-field.tsx'
import Type, { type Static } from '../typebox.ts'
import { cookieName, cookieOptions } from '../web/cookies.ts'
import type { Web } from '../web/page-edge.tsx'
import {
  isLinkSecret,
  linkName,
  linkPath,
  ownerOfLink,
  requestPasswordLink,
  setPassword,
} from './recovery.ts'
import { NewPasswordForm, PasswordSet, Requested, RequestForm, Unavailable } from './recovery-pages.tsx'

const RequestBody = Type.Object({ email: Type.String({ maxLength: 320 }), ...Destination.properties })
const LinkQuery = Type.Object({ token: Type.Optional(Type.String()) })
const PasswordBody = Type.Object({ new_password: Type.String(), link: Type.Optional(Type.String()) })

/** Requests that run at once, and that wait: an import locks users, and requests for them must not hold all connections. */
const concurrentRequests = 2
const waitingRequests = 32

/**
 * Milliseconds after which a request is answered, at the earliest. To write a link and a mail takes the database a tenth of a
 * millisecond longer than to write nothing. The work ends before the answer, so the time does not tell who has an account.
 */
const answerAfterMs = 50

/** Passwords that are set one at a time, and that wait. An import locks all users until it ends. */
const waitingChanges = 16

/** Pages with which users set a password that they do not have: a forgotten one, or the first. */
export function recoveryRoutes(app: FastifyInstance, context: Context, web: Web): void {
  requestRoutes(app, context, web)
  linkRoutes(app, context, web)
}

function requestRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { config } = context
  const requests = pLimit(concurrentRequests)

  app.get<{ Querystring: Destination }>(
    '/password/forgotten',
    { schema: { querystring: Destination } },
    async (request, reply) => {
      const { texts } = openPageRequest(context, request)
      const loginPage = withDestination('/login', request.query)
      const body = config.mail ? (
        <RequestForm {...request.query} texts={texts} csrf={web.csrfToken(reply)} loginPage={loginPage} />
      ) : (
        <Unavailable texts={texts} supportUrl={config.brand.supportUrl} loginPage={loginPage} />
      )
      return web.page({ reply, texts, title: texts.recovery.forgotten, body })
    },
  )

  app.post<{ Body: Static<typeof RequestBody> }>(
    '/password/forgotten',
    { schema: { body: RequestBody }, preValidation: web.ownForm },
    async (request, reply) => {
      const { email, ...destination } = request.body
      if (config.mail) {
        if (requests.pendingCount >= waitingRequests)
          throw new DatabaseUnavailable('too many links are requested')
        await Promise.all([requests(() => requestLink(context, request, email)), sleep(answerAfterMs)])
      }
      return reply.redirect(withDestination('/password/forgotten/sent', destination), 303)
    },
  )

  app.get<{ Querystring: Destination }>(
    '/password/forgotten/sent',
    { schema: { querystring: Destination } },
    async (request, reply) => {
      const { texts } = openPageRequest(context, request)
      const body = <Requested texts={texts} loginPage={withDestination('/login', request.query)} />
      return web.page({ reply, texts, title: texts.recovery.requested.heading, body })
    },
  )
}

async function requestLink(context: Context, request: FastifyRequest, email: string): Promise<void> {
  const { language } = openPageRequest(context, request).texts
  const browser = browserOf(request, context.config)
  const input = { email, address: request.ip, browser, language }
  const { outcome, user_id } = await requestPasswordLink(context, pageOrigin(request, null), input)
  request.log.info({ event: 'request_link', outcome, ...(user_id && { user_id }) })
}

function linkRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { config } = context
  const changes = pLimit(1)

  // Moves the secret from the address into a cookie, so that it is not in the browser's history, in a referrer, or on a
  // screenshot. It changes nothing else: programs that check the links of a mail open them before the user does.
  app.get<{ Querystring: Static<typeof LinkQuery> }>(
    linkPath,
    { schema: { querystring: LinkQuery } },
    async (request, reply) => {
      const { token = '' } = request.query
      if (isLinkSecret(token)) setLinkCookie(reply, config, token)
      return reply.header('cache-control', 'no-store').redirect('/password/new', 303)
    },
  )

  app.get('/password/new', async (request, reply) => {
    const owner = await ownerOfLink(context, linkCookie(request, config))
    return owner
      ? sendNewPasswordForm({ context, web, request, reply, owner })
      : sendDeadLink({ context, web, request, reply })
  })

  app.post<{ Body: Static<typeof PasswordBody> }>(
    '/password/new',
    { schema: { body: PasswordBody }, preValidation: web.ownForm },
    async (request, reply) => {
      if (changes.pendingCount >= waitingChanges)
        throw new DatabaseUnavailable('too many passwords are being set')
      const browser = browserOf(request, config)
      const secret = linkCookie(request, config)
      const { new_password: password, link: formLink = '' } = request.body
      const origin = (userId: string) => pageOrigin(request, userId)
      const input = { secret, formLink, password, browser }
      const outcome = await changes(() => setPassword(context, origin, input))
      request.log.info({ event: 'set_password', outcome: outcome.kind })
      if (outcome.kind !== 'set') return sendNotSet({ context, web, request, reply }, outcome)
      clearLinkCookie(reply, config)
      rememberBrowser(reply, config, browser, outcome.proof)
      return reply.redirect('/password/set', 303)
    },
  )

  app.get('/password/set', (request, reply) => sendPasswordSet({ context, web, request, reply }))
}

type Exchange = { context: Context; web: Web; request: FastifyRequest; reply: FastifyReply }

function sendNotSet(
  exchange: Exchange,
  outcome: Exclude<Awaited<ReturnType<typeof setPassword>>, { kind: 'set' }>,
): FastifyReply {
  const { texts } = openPageRequest(exchange.context, exchange.request)
  switch (outcome.kind) {
    case 'unfit':
      return sendNewPasswordForm({
        ...exchange,
        owner: outcome.owner,
        fault: passwordFaultText(outcome.fault, texts),
      })
    case 'other_link':
      return sendNewPasswordForm({
        ...exchange,
        owner: outcome.owner,
        fault: texts.recovery.choose.otherLink,
      })
    case 'dead':
      return sendDeadLink(exchange)
  }
}

function sendNewPasswordForm(exchange: Exchange & { owner: PasswordOwner; fault?: string }): FastifyReply {
  const { context, web, request, reply, owner, fault } = exchange
  const { texts } = openPageRequest(context, request)
  const link = linkName(linkCookie(request, context.config))
  const body = (
    <NewPasswordForm texts={texts} csrf={web.csrfToken(reply)} link={link} owner={owner} fault={fault} />
  )
  return web.page({ reply, texts, status: fault ? 400 : 200, title: texts.recovery.choose.heading, body })
}

function sendPasswordSet({ context, web, request, reply }: Exchange): FastifyReply {
  const { texts } = openPageRequest(context, request)
  return web.page({ reply, texts, title: texts.recovery.done.heading, body: <PasswordSet texts={texts} /> })
}

function sendDeadLink({ context, web, request, reply }: Exchange): FastifyReply {
  const { texts } = openPageRequest(context, request)
  const { heading, text, again } = texts.recovery.dead
  clearLinkCookie(reply, context.config)
  const recoveryLink = { label: again, href: '/password/forgotten' }
  return web.errorPage({ reply, texts, status: 410, heading, text: <p>{text}</p>, recoveryLink })
}

const linkCookieName = 'latchkey-password-link'

/** Lax, not Strict: the browser comes from the mail, on another site, and follows our redirect. */
function setLinkCookie(reply: FastifyReply, config: Config, secret: string): void {
  const options = { ...cookieOptions(config), maxAge: resetMinutes * 60 }
  reply.setCookie(cookieName(config, linkCookieName), secret, options)
}

function clearLinkCookie(reply: FastifyReply, config: Config): void {
  reply.clearCookie(cookieName(config, linkCookieName), cookieOptions(config))
}

function linkCookie(request: FastifyRequest, config: Config): string {
  return request.cookies[cookieName(config, linkCookieName)] ?? ''
}
