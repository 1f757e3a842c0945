import fastifyCookie from '@fastify/cookie'
import fastifyCsrf from '@fastify/csrf-protection'
import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { Brand } from '../brand/brand.ts'
import type { Context } from '../context.ts'
import { classify } from '../http/faults.ts'
import { type Assets, loadAssets } from './assets.routes.ts'
import { cookieName, cookieOptions, sessionHash } from './cookies.ts'
import { csrfCheck, csrfOptions, csrfOwner, type FormAudience, isOwnPage } from './csrf.ts'
import { connectedAppsLink, ErrorPage, hereOf, type RecoveryLink, retryLink } from './error-page.tsx'
import type { Texts } from './languages/languages.ts'
import { renderPage } from './layout.tsx'
import { pageTexts } from './page-texts.ts'
import { TechnicalLine } from './parts.tsx'
import { sendDocument } from './send-document.ts'

type PageContent = {
  reply: FastifyReply
  texts: Texts
  /** 200 by default. */
  status?: number
  title: ComponentChildren
  body: ComponentChildren
  /** A CSP source that forms may lead to, in addition to 'self'. Chromium also checks the redirects after a form. */
  formAction?: string
  /** As wide as the account pages. */
  wide?: boolean
  /** Whether the page loads the script that shows times in the reader's time zone. */
  localTimes?: boolean
  /** Whether the page loads the scripts for passkeys. */
  passkeys?: boolean
  /** The address that shows this page again, if that of the request works only once. */
  here?: string | undefined
}

type ErrorPageContent = {
  reply: FastifyReply
  texts: Texts
  status: number
  heading: string
  text: ComponentChildren
  recoveryLink?: RecoveryLink | undefined
  here?: string | undefined
}

/** How the pages of users and those of operators differ. */
type Audience = FormAudience & {
  /** The texts for an error page, in the language of the flow that the HTTP request belongs to. */
  textsOf(request: FastifyRequest): Texts
  /** The default link of an error page. */
  home(texts: Texts): RecoveryLink
  hasLanguages: boolean
}

/** Pages for users, in their language. */
export function forUsers({ config }: Context, textsOf: Audience['textsOf']): Audience {
  const sessionOf = (request: FastifyRequest) => sessionHash(request, config)
  return { textsOf, sessionOf, csrfCookie: 'latchkey-csrf', home: connectedAppsLink, hasLanguages: true }
}

/** How the routes send pages. */
export type Web = {
  assets: Assets
  brand: Brand
  /** The texts for a page, in the language that fits the request best. */
  texts(request: FastifyRequest, uiLocales?: string): Texts
  /** Refuses forms of other sites. */
  sameOrigin: preValidationHookHandler
  /** The checks of a form from our own pages: same origin, then CSRF token. They run before the schema's checks. */
  ownForm: preValidationHookHandler[]
  /** For the hidden field of a form. The token is bound to this browser and to its session. */
  csrfToken(reply: FastifyReply): string
  page(content: PageContent): FastifyReply
  errorPage(content: ErrorPageContent): FastifyReply
}

/** Sets up what all pages share: cookies, CSRF protection, security headers, and error pages. */
export async function webEdge(app: FastifyInstance, context: Context, audience: Audience): Promise<Web> {
  const { config, keys } = context
  const { brand } = config
  const { textsOf } = audience
  const assets = loadAssets(brand)
  app.removeContentTypeParser('application/json') // browsers send only forms, which parseForm reads
  await app.register(fastifyCookie)
  await app.register(fastifyCsrf, {
    cookieKey: cookieName(config, audience.csrfCookie),
    cookieOpts: cookieOptions(config),
    csrfOpts: csrfOptions(keys.current),
    getUserInfo: (request) => csrfOwner(request, audience),
  })
  const sameOrigin = async (request: FastifyRequest, reply: FastifyReply) =>
    isOwnPage(request, config.authUrl)
      ? undefined
      : sendCrossSiteForm({ web, audience, request, reply, texts: textsOf(request) })
  const web: Web = {
    assets,
    brand,
    texts: (request, uiLocales) => pageTexts(request, config, uiLocales),
    sameOrigin,
    ownForm: [sameOrigin, csrfCheck(app, context, audience)],
    csrfToken: (reply) => reply.generateCsrf({ userInfo: csrfOwner(reply.request, audience) }),
    page({ reply, texts, status = 200, title, body, formAction, ...options }) {
      const { wide = false, localTimes = false, passkeys = false, here = hereOf(reply.request) } = options
      const frame = {
        environment: config.environment,
        assets,
        brand,
        here: audience.hasLanguages ? here : undefined,
      }
      const width = wide ? 'account' : 'narrow'
      const html = renderPage({ ...frame, texts, title, body, width, localTimes, passkeys })
      const scripts = localTimes || passkeys
      reply.header('vary', 'accept-language, cookie')
      return sendDocument(reply, html, { status, language: texts.language, formAction, scripts })
    },
    errorPage({ reply, texts, status, heading, text, recoveryLink, here }) {
      const body = (
        <ErrorPage heading={heading} requestId={reply.request.id} texts={texts} recoveryLink={recoveryLink}>
          {text}
        </ErrorPage>
      )
      return web.page({ reply, texts, status, title: heading, body, here })
    },
  }
  app.setErrorHandler(async (error, request, reply) =>
    sendError({ web, audience, error, request, reply, texts: textsOf(request) }),
  )
  app.setNotFoundHandler(async (request, reply) =>
    sendPageNotFound({ web, audience, request, reply, texts: textsOf(request) }),
  )
  return web
}

const formsOnly =
  'send the parameters in the query, or in the body as application/x-www-form-urlencoded, in UTF-8 and not compressed'

type Failure = { web: Web; audience: Audience; request: FastifyRequest; reply: FastifyReply; texts: Texts }

function sendCrossSiteForm({ web, audience, request, reply, texts }: Failure): FastifyReply {
  const { heading, text } = texts.errors.crossSiteForm
  const recoveryLink = retryLink(request, texts) ?? audience.home(texts)
  return web.errorPage({ reply, texts, status: 403, heading, text: <p>{text}</p>, recoveryLink })
}

function sendPageNotFound({ web, audience, request, reply, texts }: Failure): FastifyReply {
  const elsewhere = request.method === 'GET' ? pageNearby(request) : undefined
  if (elsewhere !== undefined) return reply.redirect(elsewhere, 303)
  const { heading, text } = texts.errors.pageNotFound
  const recoveryLink = audience.home(texts)
  return web.errorPage({ reply, texts, status: 404, heading, text: <p>{text}</p>, recoveryLink })
}

/** The page for a person who added a slash to its address, or who opens the address of a form. Undefined: there is none. */
function pageNearby({ url, server }: FastifyRequest): string | undefined {
  const [path = '', query] = url.split('?', 2)
  const isPage = (address: string) => server.hasRoute({ method: 'GET', url: address })
  const withoutSlash = path.replace(/(?<=[^/])\/$/, '')
  if (withoutSlash !== path && isPage(withoutSlash)) return query ? `${withoutSlash}?${query}` : withoutSlash
  if (!server.hasRoute({ method: 'POST', url: path })) return undefined
  const above = `/${path.split('/')[1]}`
  return isPage(above) ? above : '/'
}

function sendError({
  web,
  audience,
  request,
  reply,
  texts,
  error,
}: Failure & { error: unknown }): FastifyReply {
  if (error instanceof Error && 'code' in error && /^FST_CSRF_/.test(String(error.code))) {
    const { heading, text } = texts.errors.staleForm
    const recoveryLink = retryLink(request, texts) ?? audience.home(texts)
    return web.errorPage({ reply, texts, status: 403, heading, text: <p>{text}</p>, recoveryLink })
  }
  if (error instanceof Error && 'validation' in error && request.method === 'GET') {
    const { heading, text } = texts.errors.incompleteLink
    const recoveryLink = audience.home(texts)
    return web.errorPage({ reply, texts, status: 400, heading, text: <p>{text}</p>, recoveryLink })
  }
  const fault = classify(error)
  // Pages accept only forms. The general explanation also names JSON, which only the token endpoint accepts.
  const explanation = fault.status === 415 ? formsOnly : fault.explanation
  if (fault.kind !== 'client') request.log.error(error)
  if (fault.kind === 'unavailable') reply.header('retry-after', '1')
  const heading = fault.kind === 'client' ? texts.errors.malformedRequest : texts.errors.serverError
  const text = (
    <>
      <p>{texts.errors.explanations[fault.kind]}</p>
      {fault.kind === 'client' && <TechnicalLine>{explanation}</TechnicalLine>}
    </>
  )
  return web.errorPage({ reply, texts, status: fault.status, heading, text })
}
