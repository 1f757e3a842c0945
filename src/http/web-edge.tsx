import fastifyCookie from '@fastify/cookie'
import fastifyCsrf from '@fastify/csrf-protection'
import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { Context } from '../context.ts'
import { loadStyleSheets, type StyleSheet } from '../pages/assets.routes.ts'
import { ErrorPage, type WayOn } from '../pages/error-page.tsx'
import { renderPage } from '../pages/layout.tsx'
import { cookieName, cookieOptions, sessionHash } from '../sessions/session-cookie.ts'
import { classify } from './faults.ts'

type PageOptions = {
  /** What beside ourselves a form of this page may lead to; Chromium checks the redirects that answer a form. */
  formAction?: string
  wide?: boolean
}

/** How the slices with pages answer. */
export type Web = {
  sheets: StyleSheet[]
  /** The checks before a form of ours is believed, in order, and before anything in it is looked at. */
  ownForm: preValidationHookHandler[]
  /** For the hidden field of a form; belongs to this browser and to its session. */
  csrfToken(reply: FastifyReply): string
  page(
    reply: FastifyReply,
    status: number,
    title: string,
    body: ComponentChildren,
    options?: PageOptions,
  ): FastifyReply
  errorPage(
    reply: FastifyReply,
    status: number,
    heading: string,
    text: ComponentChildren,
    wayOn?: WayOn,
  ): FastifyReply
}

/** The edge of everything a person looks at: cookies, CSRF, security headers, and errors as pages. */
export async function webEdge(app: FastifyInstance, context: Context): Promise<Web> {
  const { config, keys } = context
  const sheets = loadStyleSheets()
  app.removeContentTypeParser('application/json') // browsers send forms, and parseForm has checked those
  // A token belongs to the session as well as to the browser: it dies with the login it was made in.
  const csrfOwner = (request: FastifyRequest) =>
    sessionHash(request, config)?.toString('base64url') ?? 'nobody'
  await app.register(fastifyCookie)
  await app.register(fastifyCsrf, {
    cookieKey: cookieName(config, 'latchkey-csrf'),
    cookieOpts: cookieOptions(config),
    csrfOpts: { hmacKey: keys.cookie.toString('base64url'), userInfo: true },
    getUserInfo: csrfOwner,
  })

  const fromOwnPage: preValidationHookHandler = (request, reply, done) => {
    if (isOwnPage(request, config.authUrl)) done()
    else web.errorPage(reply, 403, 'This form came from another site', refusedForm, wayBack(request))
  }
  const web: Web = {
    sheets,
    ownForm: [fromOwnPage, (request, reply, done) => app.csrfProtection(request, reply, done)],
    csrfToken: (reply) => reply.generateCsrf({ userInfo: csrfOwner(reply.request) }),
    page(reply, status, title, body, options = {}) {
      return reply
        .status(status)
        .header('content-security-policy', contentSecurityPolicy(options.formAction))
        .header('cache-control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(renderPage({ environment: config.environment, sheets }, title, body, options))
    },
    errorPage(reply, status, heading, text, wayOn) {
      const body = (
        <ErrorPage heading={heading} requestId={reply.request.id} {...(wayOn && { wayOn })}>
          {text}
        </ErrorPage>
      )
      return web.page(reply, status, heading, body)
    },
  }
  app.setErrorHandler((error, request, reply) => answerError(web, error, request, reply))
  app.setNotFoundHandler((_request, reply) =>
    web.errorPage(reply, 404, 'There is no such page', nothingHere, yourApps),
  )
  return web
}

const refusedForm = (
  <p>For your protection nothing was done. If it was you who pressed the button, please try again.</p>
)

const nothingHere = <p>The address may be mistyped, or the page may have moved.</p>

const yourApps: WayOn = { label: 'Go to your connected apps', href: '/connections' }

function answerError(web: Web, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Error && 'code' in error && /^FST_CSRF_/.test(String(error.code))) {
    const text = (
      <p>
        This page was open for too long, or was opened in another login. For your protection nothing was done;
        please try again.
      </p>
    )
    return web.errorPage(reply, 403, 'This page is out of date', text, wayBack(request))
  }
  const fault = classify(error)
  if (fault.kind !== 'client') request.log.error(error)
  if (fault.kind === 'unavailable') reply.header('retry-after', '1')
  const heading = fault.kind === 'client' ? 'This request cannot be read' : 'This did not work'
  return web.errorPage(reply, fault.status, heading, <p>{sentence(fault.explanation)}</p>)
}

/** The page the form stood on, made anew; the sealed request is the only thing taken from the form. */
function wayBack(request: FastifyRequest): WayOn {
  const body = request.body
  const sealed =
    typeof body === 'object' && body !== null && 'request' in body && typeof body.request === 'string'
      ? body.request
      : ''
  if (sealed) return { label: 'Try again', href: `/connect?${new URLSearchParams({ request: sealed })}` }
  return yourApps
}

/**
 * A second line behind the CSRF token. Our own forms carry `Origin: null`, because the pages ask for no referrer; the
 * browser's Sec-Fetch-Site then tells whose they are.
 */
function isOwnPage({ headers }: FastifyRequest, authUrl: string): boolean {
  if (headers.origin && headers.origin !== 'null') return headers.origin === authUrl
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin'
}

function contentSecurityPolicy(formAction = ''): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action 'self' ${formAction}`.trim(),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
