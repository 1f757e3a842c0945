import type { Origin } from '../audit/origin.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { inviteDeveloper } from '../developers/members.ts'
import { newClientId } from '../partners/client-id.ts'
import { createPartner } from '../partners/partners.ts'
import { productionUriFaults } from '../partners/production-uri.ts'
import type { SetupLink } from '../people/accounts.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { quoted } from '../visible-text.ts'
import { type CheckedEndpoint, checkEndpoint, storeEndpoint } from '../webhooks/endpoints.ts'
import { findOpenedRequest, partnersToCompare, takeRequest } from './open.sql.ts'
import { type GoingLiveRequest, type RequestedDeveloper, readRequest } from './request.ts'
import { warningsOf } from './warnings.ts'

type Deployment = { database: Database; config: Config }

/** Nothing was changed. Faults are sentences for the operator. */
type NotOpened =
  | { kind: 'refused'; faults: string[] }
  /** The partner that the first opening created. It may have been deleted since. */
  | { kind: 'already_opened'; clientId: string; openedAt: Date; request: GoingLiveRequest }

/** `link`: the account must still be set up. The server mails it, or the operator passes it on. */
export type InvitedDeveloper = RequestedDeveloper & { link?: SetupLink }

export type OpenedRequest =
  | { kind: 'opened'; request: GoingLiveRequest; clientId: string; invited: InvitedDeveloper[] }
  | NotOpened

export type Preview = { kind: 'acceptable'; request: GoingLiveRequest; warnings: string[] } | NotOpened

/**
 * Creates the partner that a request names, invites its developers and adds its webhook endpoints, all or nothing. The partner
 * has no secret until one of its developers makes it, so that no operator ever sees one.
 */
export async function openRequest(
  { database, config }: Deployment,
  origin: Origin,
  signed: string,
): Promise<OpenedRequest> {
  const read = await verifyRequest(config, signed)
  if (read.kind === 'refused') return read
  const endpoints = await checkEndpoints(config, read.request)
  return inTransaction<OpenedRequest>(
    (work) => database.withChangeConnection(work),
    (transaction) => create({ database: transaction, config }, origin, read.request, endpoints),
    ({ kind }) => kind === 'opened',
  )
}

/**
 * What an opening would do. Everything is carried out in a transaction that ends without a trace: it finds what opening finds.
 */
export async function previewRequest(
  { database, config }: Deployment,
  origin: Origin,
  signed: string,
): Promise<Preview> {
  const read = await verifyRequest(config, signed)
  if (read.kind === 'refused') return read
  const { request } = read
  const { iss, sandbox_client_id: application } = request
  const others = await database.run(partnersToCompare, [request.partner.redirect_uris, iss, application])
  const endpoints = await checkEndpoints(config, request)
  const outcome = await inTransaction<OpenedRequest>(
    (work) => database.withChangeConnection(work),
    (transaction) => create({ database: transaction, config }, origin, request, endpoints),
    () => false,
  )
  if (outcome.kind !== 'opened') return outcome
  return { kind: 'acceptable', request, warnings: warningsOf(request, others) }
}

type Verified = { kind: 'verified'; request: GoingLiveRequest } | { kind: 'refused'; faults: string[] }

/** Who signed the request, and for whom. Only then its content is used. */
async function verifyRequest(
  { environment, goingLive, publicUrl }: Config,
  signed: string,
): Promise<Verified> {
  if (environment === 'sandbox') return refused('This is a sandbox. Open the request in production.')
  if (goingLive.sandboxKeys.length === 0) {
    return refused(
      'This production knows no sandbox. Set LATCHKEY_SANDBOX_KEYS to what `latchkey going-live key` prints in the sandbox.',
    )
  }
  const read = await readRequest(signed, goingLive.sandboxKeys)
  switch (read.kind) {
    case 'malformed':
      return refused(
        'This is not a request to go live, or a part of it is missing. Copy the whole text that the sandbox made.',
      )
    case 'foreign':
      return refused(
        'Another deployment signed this request, which LATCHKEY_SANDBOX_KEYS does not name. Compare it with what `latchkey going-live key` prints in the sandbox.',
      )
    case 'altered':
      return refused(
        'The request was changed after the sandbox signed it. Ask the partner for the text as the sandbox made it.',
      )
    case 'read': {
      const { request } = read
      if (request.aud === publicUrl) return { kind: 'verified', request }
      return refused(`The request is for ${quoted(request.aud)}, and this is ${publicUrl}. Open it there.`)
    }
  }
}

/**
 * All at the same time and before the transaction, so that the name servers of the addresses, which the partner chooses, take
 * five seconds together and hold no connection.
 */
function checkEndpoints(config: Config, { webhooks }: GoingLiveRequest): Promise<CheckedEndpoint[]> {
  return Promise.all(
    webhooks.map(({ url, events }) =>
      checkEndpoint({ config }, { url, ...(events.length > 0 && { events }) }),
    ),
  )
}

/** Runs in a transaction, which the caller commits or not. */
async function create(
  { database, config }: Deployment,
  origin: Origin,
  request: GoingLiveRequest,
  endpoints: CheckedEndpoint[],
): Promise<OpenedRequest> {
  const { jti, iss, exp, sandbox_client_id: application, partner } = request
  const clientId = newClientId(config.environment)
  const taken = await database.maybe(takeRequest, [jti, new Date(exp * 1000), clientId, iss, application])
  if (!taken) return whyNotTaken(database, request)
  const { redirect_uris: redirectUris, post_logout_redirect_uris: postLogoutRedirectUris } = partner
  const registration = await createPartner(database, origin, config.environment, {
    takenOver: { clientId },
    withoutSecret: true,
    name: partner.name,
    redirectUris,
    postLogoutRedirectUris,
    authMethods: partner.auth_methods,
    jwks: partner.jwks ?? undefined,
    requirePkce: partner.require_pkce,
    idTokenAlg: partner.id_token_alg,
    idTokenOnRefresh: partner.id_token_on_refresh,
    requireAcr: partner.require_acr ?? undefined,
    site: partner.site,
    privacyUrl: partner.privacy_url,
    description: partner.description,
    logo: partner.logo === null ? null : Buffer.from(partner.logo, 'base64'),
    request: { id: jti, sandbox: iss, sandbox_client_id: application, requested_by: request.requested_by },
  })
  const faults = [
    ...productionUriFaults('Redirect URI', redirectUris),
    ...productionUriFaults('Post-logout redirect URI', postLogoutRedirectUris),
    ...(registration.kind === 'refused' ? registration.faults : []),
  ]
  if (faults.length > 0) return refused(...new Set(faults))
  const content = { clientId, developers: request.developers, endpoints }
  const more = await addPeopleAndWebhooks({ database, config }, origin, content)
  return more.faults.length > 0
    ? refused(...more.faults)
    : { kind: 'opened', request, clientId, invited: more.invited }
}

/** The secrets of the endpoints are shown to no one either: a developer makes new ones. */
async function addPeopleAndWebhooks(
  { database, config }: Deployment,
  origin: Origin,
  {
    clientId,
    developers,
    endpoints,
  }: { clientId: string; developers: RequestedDeveloper[]; endpoints: CheckedEndpoint[] },
): Promise<{ faults: string[]; invited: InvitedDeveloper[] }> {
  const faults: string[] = []
  const invited: InvitedDeveloper[] = []
  const context = { database, keys: secretKeys(config) }
  for (const endpoint of endpoints) {
    const added = await storeEndpoint(context, origin, clientId, endpoint)
    if (added.kind === 'refused')
      faults.push(...added.faults.map((fault) => `Webhook ${quoted(endpoint.url)}: ${fault}`))
  }
  for (const developer of developers) {
    const by = { config, by: 'operator' } as const
    const outcome = await inviteDeveloper(database, origin, by, { clientId, ...developer })
    if (outcome.kind === 'refused')
      faults.push(`Developer ${quoted(developer.email)}: ${outcome.reasons.join('; ')}.`)
    else if (outcome.kind !== 'unknown')
      invited.push({ ...developer, ...(outcome.link && { link: outcome.link }) })
  }
  return { faults, invited }
}

async function whyNotTaken(database: Database, request: GoingLiveRequest): Promise<NotOpened> {
  const opened = await database.maybe(findOpenedRequest, [request.jti])
  if (opened) {
    return { kind: 'already_opened', clientId: opened.client_id, openedAt: opened.opened_at, request }
  }
  const expired = new Date(request.exp * 1000).toISOString()
  return refused(`The request expired on ${expired}. Ask the partner to make a new one in the sandbox.`)
}

function refused(...faults: string[]): { kind: 'refused'; faults: string[] } {
  return { kind: 'refused', faults }
}
