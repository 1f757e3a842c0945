import fastifyCookie from '@fastify/cookie'
import fastifyCsrf from '@fastify/csrf-protection'
import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { classify } from '../http/faults.ts'
import { loadStyleSheets, type StyleSheet } from './assets.routes.ts'
import { cookieName, cookieOptions, sessionHash } from './cookies.ts'
import { connectedAppsLink, ErrorPage, type RecoveryLink, retryLink } from './error-page.tsx'
import { chooseTexts, type Texts } from './languages/languages.ts'
import { renderPage } from './layout.tsx'
import { TechnicalLine } from './parts.tsx'

type PageOptions = {
  /** What beside ourselves a form of this page may lead to; Chromium checks the redirects that answer a form. */
  formAction?: string
  wide?: boolean
}

/** The `ui_locales` of the authorization request that an HTTP request belongs to. */
type UiLocalesOf = (request: FastifyRequest, context: Context) => Promise<string | undefined>

/** How the slices with pages answer. */
export type Web = {
  sheets: StyleSheet[]
  /** The checks before a form of ours is believed, in order, and before anything in it is looked at. */
  ownForm: preValidationHookHandler[]
  /** For the hidden field of a form; belongs to this browser and to its session. */
  csrfToken(reply: FastifyReply): string
  /** In the language that the partner asked for, otherwise the browser's. */
  texts(request: FastifyRequest): Promise<Texts>
  page(
    reply: FastifyReply,
    texts: Texts,
    status: number,
    title: ComponentChildren,
    body: ComponentChildren,
    options?: PageOptions,
  ): FastifyReply
  errorPage(
    reply: FastifyReply,
    texts: Texts,
    status: number,
    heading: string,
    text: ComponentChildren,
    recoveryLink?: RecoveryLink,
  ): FastifyReply
}

/** The edge of everything a person looks at: cookies, CSRF, security headers, and errors as pages. */
export async function webEdge(
  app: FastifyInstance,
  context: Context,
  uiLocalesOf: UiLocalesOf,
): Promise<Web> {
  const { config, keys } = context
  const sheets = loadStyleSheets()
  app.removeContentTypeParser('application/json') // browsers send forms, and parseForm has checked those
  await app.register(fastifyCookie)
  await app.register(fastifyCsrf, {
    cookieKey: cookieName(config, 'latchkey-csrf'),
    cookieOpts: cookieOptions(config),
    csrfOpts: { hmacKey: keys.cookie.toString('base64url'), userInfo: true },
    getUserInfo: (request) => csrfOwner(request, config),
  })

  const fromOwnPage = async (request: FastifyRequest, reply: FastifyReply) =>
    isOwnPage(request, config.authUrl) ? undefined : answerCrossSiteForm(web, request, reply)
  const web: Web = {
    sheets,
    ownForm: [fromOwnPage, (request, reply, done) => app.csrfProtection(request, reply, done)],
    csrfToken: (reply) => reply.generateCsrf({ userInfo: csrfOwner(reply.request, config) }),
    texts: async (request) =>
      chooseTexts(await uiLocalesOf(request, context), request.headers['accept-language']),
    page(reply, texts, status, title, body, options = {}) {
      return reply
        .status(status)
        .header('content-security-policy', contentSecurityPolicy(options.formAction))
        .header('cache-control', 'no-store')
        .header('content-language', texts.language)
        .header('vary', 'accept-language')
        .type('text/html; charset=utf-8')
        .send(renderPage({ environment: config.environment, sheets }, texts, title, body, options))
    },
    errorPage(reply, texts, status, heading, text, recoveryLink) {
      const body = (
        <ErrorPage
          heading={heading}
          requestId={reply.request.id}
          texts={texts}
          {...(recoveryLink && { recoveryLink })}
        >
          {text}
        </ErrorPage>
      )
      return web.page(reply, texts, status, heading, body)
    },
  }
  app.setErrorHandler((error, request, reply) => answerError(web, error, request, reply))
  app.setNotFoundHandler((request, reply) => answerPageNotFound(web, request, reply))
  return web
}

/** A token belongs to the session as well as to the browser: it dies with the login it was made in. */
function csrfOwner(request: FastifyRequest, config: Config): string {
  return sessionHash(request, config)?.toString('base64url') ?? 'nobody'
}

async function answerCrossSiteForm(
  web: Web,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const texts = await web.texts(request)
  const { heading, text } = texts.errors.crossSiteForm
  return web.errorPage(reply, texts, 403, heading, <p>{text}</p>, retryLink(request, texts))
}

async function answerPageNotFound(
  web: Web,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const texts = await web.texts(request)
  const { heading, text } = texts.errors.pageNotFound
  return web.errorPage(reply, texts, 404, heading, <p>{text}</p>, connectedAppsLink(texts))
}

async function answerError(
  web: Web,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const texts = await web.texts(request)
  if (error instanceof Error && 'code' in error && /^FST_CSRF_/.test(String(error.code))) {
    const { heading, text } = texts.errors.staleForm
    return web.errorPage(reply, texts, 403, heading, <p>{text}</p>, retryLink(request, texts))
  }
  const fault = classify(error)
  if (fault.kind !== 'client') request.log.error(error)
  if (fault.kind === 'unavailable') reply.header('retry-after', '1')
  const heading = fault.kind === 'client' ? texts.errors.malformedRequest : texts.errors.serverError
  const text = (
    <>
      <p>{texts.errors.explanations[fault.kind]}</p>
      {fault.kind === 'client' && <TechnicalLine>{fault.explanation}</TechnicalLine>}
    </>
  )
  return web.errorPage(reply, texts, fault.status, heading, text)
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
