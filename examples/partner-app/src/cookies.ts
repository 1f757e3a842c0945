import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'

/** Identifies the connection of this browser. */
export const sessionCookie = 'partner_app_session'

/** Carries state, nonce and PKCE verifier from /connect to /callback. */
export const attemptCookie = 'partner_app_attempt'

export function registerCookies(app: FastifyInstance, partnerUrl: URL) {
  // Lax and not Strict, because the callback is a navigation from the platform's site.
  app.register(cookie, {
    parseOptions: { httpOnly: true, sameSite: 'lax', secure: partnerUrl.protocol === 'https:', path: '/' },
  })
}
