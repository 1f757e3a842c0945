import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'

/** Identifies the connection of this browser. */
export const sessionCookie = 'partner_app_session'

/** What binds an attempt to connect to this browser, from /connect to /callback. */
export const attemptCookie = 'partner_app_attempt'

export function registerCookies(app: FastifyInstance, partnerUrl: URL) {
  // Browsers do not send Strict cookies with the callback, because it is a navigation from the platform's site.
  app.register(cookie, {
    parseOptions: { httpOnly: true, sameSite: 'lax', secure: partnerUrl.protocol === 'https:', path: '/' },
  })
}
