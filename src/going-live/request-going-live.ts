import { randomUUID } from 'node:crypto'
import type { Origin } from '../audit/origin.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { readJwks } from '../partners/jwks.ts'
import { productionUriFaults } from '../partners/production-uri.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { checkVisible, quoted } from '../visible-text.ts'
import { productionAddressFaults } from '../webhooks/address-guard.ts'
import { mostEndpoints } from '../webhooks/endpoints.sql.ts'
import { type Check, checklistOf, type Developer, openChecks } from './checklist.ts'
import { type Facts, goingLiveDevelopers, goingLiveFacts } from './facts.sql.ts'
import { type GoingLiveRequest, signRequest } from './request.ts'
import { signingKeyOf } from './sandbox-key.ts'

/** Days for which a request can be opened. */
export const requestDays = 30

/** What differs in production. Everything else is taken from the sandbox. */
export type ProductionSettings = {
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  /** Addresses of webhook endpoints. They get the types of events that those of the sandbox get. */
  webhookUrls: string[]
  /** JSON of the public keys, for a partner that authenticates with private_key_jwt. Default: those of the sandbox. */
  jwks?: string | undefined
  /** Whom the operator writes to. */
  contact: string
  /** In words: users and calls. */
  expectedVolume: string
}

/** What a developer finds on the page. */
export type GoingLive = {
  facts: Facts
  checks: Check[]
  developers: Developer[]
  /** Undefined: the operator has not said which production this sandbox belongs to. */
  productionUrl: string | undefined
}

export type SignedRequest =
  /** `text` is what the operator opens. */
  | { kind: 'signed'; text: string; name: string; expiresAt: Date; productionUrl: string }
  | { kind: 'refused'; faults: string[] }
  | { kind: 'unknown' }

type Deployment = { database: Database; config: Config }

/** How far an application is. Undefined: no such partner. */
export async function goingLiveOf(
  { database, config }: Deployment,
  clientId: string,
): Promise<GoingLive | undefined> {
  const [facts, developers] = await Promise.all([
    database.expensive.maybe(goingLiveFacts, [clientId]),
    database.run(goingLiveDevelopers, [clientId]),
  ])
  if (!facts) return undefined
  const { productionUrl } = config.goingLive
  return {
    facts,
    checks: checklistOf(facts, developers),
    developers,
    productionUrl,
  }
}

/**
 * Signs a request to go live, which the operator of production opens. It names no secret: production makes new ones. Only an
 * application that has done the required checks gets one.
 * @param requestedBy who asks, for the operator: name and address
 */
export async function requestGoingLive(
  { database, config }: Deployment,
  origin: Origin,
  input: { clientId: string; settings: ProductionSettings; requestedBy: string },
  now: Date,
): Promise<SignedRequest> {
  const { clientId, settings, requestedBy } = input
  if (config.environment !== 'sandbox')
    return refused(['This is production. Requests to go live come from a sandbox.'])
  const state = await goingLiveOf({ database, config }, clientId)
  if (!state) return { kind: 'unknown' }
  const { facts, checks, productionUrl } = state
  if (productionUrl === undefined) return refused([noProduction])
  const keys = await keysOf(facts, settings)
  const faults = [
    ...openChecks(checks).map(({ title, how }) => `Not yet: ${title}. ${how}`),
    ...settingFaults(settings),
    ...(await webhookFaults(settings.webhookUrls)),
    ...keys.faults,
  ]
  if (faults.length > 0) return refused(faults)
  const seconds = Math.floor(now.getTime() / 1000)
  const request: GoingLiveRequest = {
    iss: config.publicUrl,
    aud: productionUrl,
    iat: seconds,
    exp: seconds + requestDays * 24 * 3600,
    jti: randomUUID(),
    requested_by: requestedBy.slice(0, 800),
    ...contentOf(state, settings, keys.jwks),
    checks: [...checks, ...keys.checks].map(({ id, title, required, done, found }) => ({
      ...{ id, title, required, done, found: found.slice(0, 500) },
    })),
  }
  const text = await signRequest(request, signingKeyOf(secretKeys(config)))
  await recordEvent(database, origin, {
    event: 'partner.going_live_requested',
    target: { kind: 'partner', id: clientId },
    about: { client: clientId },
    details: { request: request.jti, production: productionUrl, redirect_uris: settings.redirectUris },
  })
  return { kind: 'signed', text, name: facts.name, expiresAt: new Date(request.exp * 1000), productionUrl }
}

/** Why a sandbox without LATCHKEY_PRODUCTION_URL makes no request. */
export const noProduction =
  'The operator has not connected this sandbox to a production yet. Ask the operator to set LATCHKEY_PRODUCTION_URL.'

function contentOf(
  { facts, developers }: GoingLive,
  settings: ProductionSettings,
  jwks: string | null,
): Pick<
  GoingLiveRequest,
  | 'sandbox_client_id'
  | 'sandbox_redirect_uris'
  | 'partner'
  | 'webhooks'
  | 'developers'
  | 'contact'
  | 'expected_volume'
> {
  const { name, auth_methods, require_pkce, id_token_alg, id_token_on_refresh, require_acr } = facts
  const { site, privacy_url, description } = facts
  return {
    sandbox_client_id: facts.client_id,
    sandbox_redirect_uris: facts.redirect_uris,
    partner: {
      ...{ name, auth_methods, require_pkce, id_token_alg, id_token_on_refresh, require_acr },
      ...{ site, privacy_url, description, jwks },
      redirect_uris: settings.redirectUris,
      post_logout_redirect_uris: settings.postLogoutRedirectUris,
      logo: facts.logo_image?.toString('base64') ?? null,
    },
    webhooks: settings.webhookUrls.map((url) => ({ url, events: facts.webhook_events })),
    developers: developers.map(({ email, name, role }) => ({ email, name, role })),
    contact: settings.contact,
    expected_volume: settings.expectedVolume,
  }
}

function settingFaults(settings: ProductionSettings): string[] {
  const { redirectUris, postLogoutRedirectUris, webhookUrls, contact, expectedVolume } = settings
  return [
    ...(redirectUris.length === 0 ? ['At least one redirect URI of production is required.'] : []),
    ...(webhookUrls.length > mostEndpoints ? [`At most ${mostEndpoints} webhook addresses.`] : []),
    ...productionUriFaults('Redirect URI', redirectUris),
    ...productionUriFaults('Post-logout redirect URI', postLogoutRedirectUris),
    ...textFaults('contact', 'whom the operator can write to', contact),
    ...textFaults('expected volume', 'how many users and calls you expect', expectedVolume),
  ]
}

/** Production refuses the whole request if an address is private, and then the partner has to make another. */
async function webhookFaults(urls: string[]): Promise<string[]> {
  const found = await Promise.all(
    urls.map(async (url) => {
      const ofAddress = await productionAddressFaults(url)
      const faults = ofAddress.length > 0 ? [] : productionUriFaults('Webhook address', [url])
      return [...ofAddress.map((fault) => `Webhook address ${quoted(url)}: ${fault}`), ...faults]
    }),
  )
  return found.flat()
}

function textFaults(what: string, meaning: string, text: string): string[] {
  if (text.trim() === '') return [`The ${what} is missing: say ${meaning}.`]
  if (text.length > 500) return [`The ${what} is longer than 500 characters.`]
  const fault = checkVisible(text)
  return fault ? [`The ${what} ${fault}.`] : []
}

/** The keys for production, if the partner signs assertions, and whether the sandbox has others. */
async function keysOf(
  { auth_methods: methods, jwks: own, key_thumbprints: known }: Facts,
  { jwks = own ?? '' }: ProductionSettings,
): Promise<{ jwks: string | null; checks: Check[]; faults: string[] }> {
  if (!methods.includes('private_key_jwt')) return { jwks: null, checks: [], faults: [] }
  const read = await readJwks(jwks)
  if (read.kind === 'refused') return { jwks: null, checks: [], faults: read.faults }
  const isNew = !read.thumbprints.some((print) => known.some((other) => other.equals(print)))
  const check: Check = {
    id: 'keys',
    title: 'Production has its own keys',
    required: false,
    done: isNew,
    found: isNew ? 'No key is used in the sandbox.' : 'A key is also used in the sandbox.',
    how: 'Make new keys for production, so that no test program can sign with them.',
  }
  return { jwks: JSON.stringify({ keys: read.keys }), checks: [check], faults: [] }
}

function refused(faults: string[]): SignedRequest {
  return { kind: 'refused', faults }
}
