import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pageOrigin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { rawQuery } from '../http/parameters.ts'
import { carriedBy, endFlow } from '../idp/browser-flow.ts'
import { completeLogin } from '../idp/complete-login.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import { admitCallback, findProvider } from '../idp/providers.sql.ts'
import { sourceOf } from '../process/source.ts'
import { hmac } from '../secrets/derived-keys.ts'
import Type, { type Static } from '../typebox.ts'
import type { Web } from '../web/page-edge.tsx'
import { finishLogin } from './finish-login.ts'
import { openPageRequest } from './page-request.ts'
import { goToProvider } from './provider-login.tsx'
import { sendForeignCallback, sendPause, sendProviderFault, sendRefusal } from './provider-pages.tsx'
import { carriedDestination, Destination } from './sealed-request.ts'

const Params = Type.Object({ id: Type.String() })
const StartForm = Type.Object({
  ...Destination.properties,
  choose: Type.Optional(Type.Literal('account')),
})
/** `openid-client` checks the other parameters. */
const Callback = Type.Object({ state: Type.Optional(Type.String()) })

type Services = { context: Context; web: Web; providers: ProviderClients }

/**
 * Login through an identity provider: the form that starts it, and the address to which the provider sends the browser back.
 */
export function providerLoginRoutes(
  app: FastifyInstance,
  context: Context,
  web: Web,
  providers: ProviderClients,
): void {
  app.post<{ Params: Static<typeof Params>; Body: Static<typeof StartForm> }>(
    '/login/idp/:id',
    { schema: { params: Params, body: StartForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { choose, ...destination } = request.body
      const provider = await context.database.maybe(findProvider, [request.params.id])
      if (!provider) return notFound(reply)
      const otherAccount = choose === 'account'
      return goToProvider({ context, web, providers, request, reply, destination, provider, otherAccount })
    },
  )

  app.get<{ Params: Static<typeof Params>; Querystring: Static<typeof Callback> }>(
    '/login/idp/:id/callback',
    { schema: { params: Params, querystring: Callback } },
    (request, reply) =>
      receiveCallback(
        { context, web, providers },
        { request, reply, id: request.params.id, state: request.query.state ?? '' },
      ),
  )
}

async function receiveCallback(
  { context, web, providers }: Services,
  { request, reply, id, state }: { request: FastifyRequest; reply: FastifyReply; id: string; state: string },
): Promise<FastifyReply> {
  const { texts } = openPageRequest(context, request)
  const destination = carriedDestination(carriedBy(state))
  const flow = endFlow(context, request, reply, { kind: 'login', state })
  if (flow?.providerId !== id) {
    const provider = await context.database.maybe(findProvider, [id])
    if (!provider) return notFound(reply)
    request.log.warn({
      event: 'provider_login',
      outcome: flow ? 'other_provider' : 'foreign_state',
      provider: id,
    })
    return sendForeignCallback({ web, request, reply, texts, destination })
  }
  const callback = new URL(`${context.config.authUrl}/login/idp/${id}/callback?${rawQuery(request.url)}`)
  // A flow is not stored, so a browser that keeps its cookie can send it again.
  const sourceKey = hmac(context.keys.current.throttle, 'provider source', sourceOf(request.ip))
  const provider = await context.database.maybe(admitCallback, [id, sourceKey])
  if (!provider) return notFound(reply)
  const { wait } = provider
  const exchange = { web, request, reply, texts, provider, destination }
  if (wait !== null) return sendPause({ ...exchange, pause: { kind: 'throttled', retryAfterSeconds: wait } })
  const origin = pageOrigin(request, null)
  const input = { provider, sourceKey, flow, state, callback }
  const outcome = await completeLogin(context, origin, providers, input)
  switch (outcome.kind) {
    case 'welcome': {
      const { login } = outcome
      const found = { provider: id, user_id: login.userId, ...(outcome.isNew && { created: true }) }
      request.log.info({ event: 'provider_login', outcome: 'welcome', ...found })
      return finishLogin(context, request, reply, { login, destination })
    }
    case 'unavailable':
    case 'misconfigured':
    case 'rejected':
      return sendProviderFault({ ...exchange, fault: outcome })
    default:
      request.log.info({ event: 'provider_login', outcome: outcome.kind, provider: id, ...detailOf(outcome) })
      return sendRefusal({ ...exchange, refusal: outcome })
  }
}

function notFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}

/** The error code of the provider. Not the account: the log has no addresses of people. */
function detailOf(outcome: { kind: string; error?: string }) {
  return outcome.error === undefined ? {} : { error: outcome.error }
}
