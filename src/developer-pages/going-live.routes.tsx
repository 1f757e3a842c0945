import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import {
  type GoingLive,
  goingLiveOf,
  type ProductionSettings,
  requestGoingLive,
} from '../going-live/request-going-live.ts'
import { linesOf } from '../panel/forms.tsx'
import { filled } from '../panel/paging.ts'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { GoingLiveFields, GoingLivePage, NoRequestsHere, SignedPage } from './going-live-pages.tsx'

/**
 * A request decides where production sends users, and whose keys it accepts. Someone with a stolen session must not get one
 * signed in the name of the partner.
 */
const route = {
  url: '/developers/apps/:client_id/going-live',
  role: 'admin',
  recent: true,
  isExpensive: true,
} as const

/**
 * An application of the sandbox asks to go live: what is done, what is missing, and the request for the operator of production.
 */
export function goingLiveRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, now } = context
  const title = 'Go live'
  const stateOf = (clientId: string) => goingLiveOf(context, clientId)

  developerPage(app, context, web, route, async ({ app: { clientId }, developer, csrf, show }) => {
    const state = config.environment === 'sandbox' ? await stateOf(clientId) : undefined
    if (!state) return show({ title, body: <NoRequestsHere /> }, 404)
    const fields = firstFields(state, `${developer.name} <${developer.email}>`)
    const page = { clientId, csrf, state, fields, faults: [], baseUrl: config.baseUrl }
    return show({ title, section: 'going_live', body: <GoingLivePage {...page} /> })
  })

  developerPage<{ Body: GoingLiveFields }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: GoingLiveFields } },
    async ({ request: { body }, app: { clientId }, developer, origin, csrf, show }) => {
      const requestedBy = `${developer.name} <${developer.email}>`
      const input = { clientId, settings: settingsOf(body), requestedBy }
      const outcome = await requestGoingLive(context, origin, input, now())
      if (outcome.kind === 'signed') {
        return show({ title, section: 'going_live', body: <SignedPage clientId={clientId} {...outcome} /> })
      }
      const state = config.environment === 'sandbox' ? await stateOf(clientId) : undefined
      if (!state || outcome.kind === 'unknown') return show({ title, body: <NoRequestsHere /> }, 404)
      const page = { clientId, csrf, state, fields: body, faults: outcome.faults, baseUrl: config.baseUrl }
      return show({ title, section: 'going_live', body: <GoingLivePage {...page} /> }, 422)
    },
  )
}

function firstFields({ facts }: GoingLive, contact: string): GoingLiveFields {
  return { contact, ...(facts.jwks !== null && { jwks: facts.jwks }) }
}

function settingsOf(fields: GoingLiveFields): ProductionSettings {
  const lines = (text: string | undefined) => linesOf(text ?? '')
  return {
    redirectUris: lines(fields.redirect_uris),
    postLogoutRedirectUris: lines(fields.post_logout_redirect_uris),
    webhookUrls: lines(fields.webhooks),
    jwks: filled(fields.jwks),
    contact: fields.contact?.trim() ?? '',
    expectedVolume: fields.expected_volume?.trim() ?? '',
  }
}
