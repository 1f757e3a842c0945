import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { Refused } from './errors.ts'

export function registerSecurity(app: FastifyInstance, { authUrl, partnerUrl }: Config) {
  // /connect redirects to the platform, and browsers also check the redirects after a form against form-action.
  const contentSecurityPolicy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    `form-action 'self' ${authUrl.origin}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      // With no-referrer, browsers would send `Origin: null` with the forms of this app.
      'referrer-policy': 'same-origin',
    })
  })

  // CSRF protection: browsers send the origin of the page that contains the form.
  app.addHook('preHandler', async (request) => {
    const { origin } = request.headers
    if (request.method === 'POST' && origin !== undefined && origin !== partnerUrl.origin) {
      throw new Refused(403, 'Refused', `This form did not come from ${partnerUrl.origin}.`)
    }
  })
}
