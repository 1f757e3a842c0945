import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { goingLiveOf, requestGoingLive } from '../going-live/request-going-live.ts'
import { notFound, ok, refused } from '../management/answers.ts'
import { developerRoute } from './developer-edge.ts'
import { goingLiveRoute, requestGoingLiveRoute } from './going-live.operations.ts'

const isGone = notFound('The application no longer exists.')

const isProduction = notFound('This is production. The checklist is in the sandbox.')

/** Going live, with the use cases of the developer pages. */
export function goingLiveRoutes(app: FastifyInstance, context: Context): void {
  const { config, now } = context
  developerRoute(app, context, goingLiveRoute, async ({ database, clientId }) => {
    if (config.environment !== 'sandbox') return isProduction
    const state = await goingLiveOf({ database, config }, clientId)
    if (!state) return isGone
    const checks = state.checks.map(({ id, title, required, done, found, how }) => ({
      ...{ id, title, required, done, found, how },
    }))
    return ok({ production_url: state.productionUrl ?? null, checks })
  })

  developerRoute(app, context, requestGoingLiveRoute, async (call) => {
    const { request, actor, origin, database, clientId } = call
    const { body } = request
    const settings = {
      redirectUris: body.redirect_uris,
      postLogoutRedirectUris: body.post_logout_redirect_uris ?? [],
      webhookUrls: body.webhook_urls ?? [],
      jwks: body.jwks && JSON.stringify(body.jwks),
      contact: body.contact,
      expectedVolume: body.expected_volume,
    }
    const input = { clientId, settings, requestedBy: `${actor.name} (key of the developer API)` }
    const outcome = await requestGoingLive({ database, config }, origin, input, now())
    if (outcome.kind === 'unknown') return isGone
    if (outcome.kind === 'refused') return refused(outcome.faults)
    return ok({ request: outcome.text, expires_at: outcome.expiresAt })
  })
}
