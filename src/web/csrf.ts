import { Tokens as CsrfTokens, type TokensUserinfo } from '@fastify/csrf'
import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Context } from '../context.ts'
import type { DerivedKeys } from '../secrets/derived-keys.ts'
import { cookieName } from './cookies.ts'

/** Whose forms are protected: those of users or of operators. */
export type FormAudience = {
  /** SHA-256 of the id of the session to which the forms of this browser belong, or null. */
  sessionOf(request: FastifyRequest): Buffer | null
  /** The cookie with the secret of the CSRF tokens. */
  csrfCookie: string
}

export function csrfOptions({ cookie }: DerivedKeys) {
  return { hmacKey: cookie.toString('base64url'), userInfo: true } as const
}

/** Refuses a form without the CSRF token of this browser. */
export function csrfCheck(
  app: FastifyInstance,
  { config, keys }: Context,
  audience: FormAudience,
): preValidationHookHandler {
  const cookie = cookieName(config, audience.csrfCookie)
  // The plugin verifies with the current secret only. These verify forms of servers with another current secret.
  const otherTokens = keys.accepted.slice(1).map((other) => new CsrfTokens(csrfOptions(other)))
  return (request, reply, done) =>
    otherTokens.some((tokens) => isCsrfTokenOf(tokens, request, cookie, audience))
      ? done()
      : app.csrfProtection(request, reply, done)
}

function isCsrfTokenOf(
  tokens: TokensUserinfo,
  request: FastifyRequest,
  cookie: string,
  audience: FormAudience,
): boolean {
  const secret = request.cookies[cookie]
  const { body } = request
  if (secret === undefined || typeof body !== 'object' || body === null || !('_csrf' in body)) return false
  return typeof body._csrf === 'string' && tokens.verify(secret, body._csrf, csrfOwner(request, audience))
}

/** Binds the CSRF token to the session as well as to the browser. The token becomes invalid when the session ends. */
export function csrfOwner(request: FastifyRequest, audience: FormAudience): string {
  return audience.sessionOf(request)?.toString('base64url') ?? 'nobody'
}

/**
 * A second defence against CSRF, in addition to the token. Browsers send `Origin: null` with our own forms, because of
 * the pages' referrer policy. In that case `Sec-Fetch-Site` tells whether the form is from our own origin.
 */
export function isOwnPage({ headers }: FastifyRequest, authUrl: string): boolean {
  if (headers.origin && headers.origin !== 'null') return headers.origin === authUrl
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin'
}
