import type { FastifyInstance } from 'fastify'
import { originOf } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { sendPublic } from '../http/send-public.ts'
import { jwksMaxAgeSeconds } from '../keys/lifetimes.ts'
import Type, { type Static } from '../typebox.ts'
import { BackchannelLogout } from './backchannel-logout.ts'
import type { ProviderClients } from './provider-clients.ts'
import { findProvider } from './providers.sql.ts'

const Params = Type.Object({ id: Type.String() })
const LogoutForm = Type.Object({ logout_token: Type.String({ maxLength: 16_384 }) })

/** What a provider itself requests: the public key of `private_key_jwt`, and the end of sessions. */
export function idpRoutes(app: FastifyInstance, context: Context, providers: ProviderClients): void {
  const { database } = context
  const logouts = new BackchannelLogout(context, providers)

  app.get<{ Params: Static<typeof Params> }>(
    '/idp/:id/jwks.json',
    { schema: { params: Params } },
    async (request, reply) => {
      const provider = await database.maybe(findProvider, [request.params.id])
      if (!provider) return reply.status(404).send({ error: 'not_found' })
      return sendPublic(reply, jwksMaxAgeSeconds, { keys: provider.public_jwk ? [provider.public_jwk] : [] })
    },
  )

  /** Back-Channel Logout 1.0 section 2.5. The answers are those of section 2.8. */
  app.post<{ Params: Static<typeof Params>; Body: Static<typeof LogoutForm> }>(
    '/idp/:id/backchannel-logout',
    { schema: { params: Params, body: LogoutForm } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const { id } = request.params
      const provider = await database.maybe(findProvider, [id])
      if (!provider) return reply.status(404).send({ error: 'not_found' })
      const origin = originOf(request, 'api', { kind: 'provider', id })
      const outcome = await logouts.receive(origin, provider, request.body.logout_token)
      const details = { event: 'backchannel_logout', outcome: outcome.kind, provider: id }
      switch (outcome.kind) {
        case 'ended':
          request.log.info({ ...details, ended: outcome.sessions })
          return reply.status(204).send()
        case 'refused':
          request.log.warn({ ...details, reason: outcome.reason })
          return reply
            .status(400)
            .send({ error: 'invalid_request', error_description: 'Invalid logout token.' })
        case 'unavailable':
          request.log.error({ ...details, reason: outcome.reason })
          reply.header('retry-after', '5')
          return reply.status(503).send({ error: 'temporarily_unavailable' })
      }
    },
  )
}
