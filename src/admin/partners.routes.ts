import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { Database } from '../database/database.ts'
import { type Answer, conflict, created, notFound, ok, refused, withSecrets } from '../management/answers.ts'
import { pageAnswer, pageRequestOf, withFilters } from '../management/page.ts'
import { profileOf } from '../management/partner-fields.ts'
import { consequencesOfDeletion, deletePartner } from '../partners/delete-partner.ts'
import { endOldSecrets } from '../partners/end-old-secrets.ts'
import { findListedPartner, pageOfPartners } from '../partners/partners.sql.ts'
import {
  createPartner,
  replacePartnerKeys,
  rotatePartnerSecret,
  setPartnerStatus,
} from '../partners/partners.ts'
import { updatePartner } from '../partners/update-partner.ts'
import { adminAddress } from './admin-document.ts'
import { adminRoute } from './admin-edge.ts'
import {
  createPartnerRoute,
  deletePartnerRoute,
  deletionRoute,
  endOldSecretsRoute,
  getPartnerRoute,
  listPartnersRoute,
  replaceKeysRoute,
  resumePartnerRoute,
  rotateSecretRoute,
  suspendPartnerRoute,
  updatePartnerRoute,
} from './partners.operations.ts'

/** Partners, with the use cases of `latchkey partner`. */
export function partnerRoutes(app: FastifyInstance, context: Context): void {
  reads(app, context)
  registration(app, context)
  changes(app, context)
  credentials(app, context)
  deletion(app, context)
}

const noSuchPartner = notFound('There is no partner with this client id.')

/** The partner as the database has it now. @param secret its new secret */
async function shown(database: Database, clientId: string, secret?: string): Promise<Answer> {
  const partner = await database.maybe(findListedPartner, [clientId])
  return partner
    ? withSecrets(ok(partner), secret === undefined ? undefined : { client_secret: secret })
    : noSuchPartner
}

function reads(app: FastifyInstance, context: Context): void {
  adminRoute(app, context, listPartnersRoute, async ({ request: { query }, database }) => {
    const page = pageRequestOf(query)
    const rows = await database.run(pageOfPartners, [page.after, page.limit, query.status ?? null])
    const address = withFilters(adminAddress(context.config, 'partners'), query)
    return pageAnswer(address, page, rows, ({ client_id: id }) => id)
  })
  adminRoute(app, context, getPartnerRoute, ({ request: { params }, database }) =>
    shown(database, params.client_id),
  )
}

function registration(app: FastifyInstance, context: Context): void {
  const { config } = context
  adminRoute(app, context, createPartnerRoute, async ({ request: { body }, origin, database }) => {
    const { client_id: clientId, secret_hash: secretHash } = body
    if (secretHash !== undefined && clientId === undefined) {
      return refused(['secret_hash is only for a partner that keeps its client_id: send client_id too.'])
    }
    const outcome = await createPartner(database, origin, config.environment, {
      ...settingsOf(body),
      name: body.name,
      redirectUris: body.redirect_uris,
      takenOver: clientId === undefined ? undefined : { clientId, secretHash },
      requirePkce: body.require_pkce ?? false,
      idTokenAlg: body.id_token_alg,
      postLogoutRedirectUris: body.post_logout_redirect_uris,
      limits: body.limits,
      grantLifetimeDays: body.grant_lifetime_days ?? undefined,
      requireAcr: body.require_acr ?? undefined,
    })
    if (outcome.kind === 'refused') {
      return outcome.isTaken ? conflict(outcome.faults.join(' ')) : refused(outcome.faults)
    }
    const { clientId: id, clientSecret } = outcome
    const partner = await database.one(findListedPartner, [id])
    const secrets = clientSecret === undefined ? undefined : { client_secret: clientSecret }
    return created(adminAddress(config, 'partners', id), partner, secrets)
  })
}

function changes(app: FastifyInstance, context: Context): void {
  const { config } = context
  adminRoute(app, context, updatePartnerRoute, async ({ request: { params, body }, origin, database }) => {
    const outcome = await updatePartner(database, origin, config.environment, params.client_id, {
      ...settingsOf(body),
      name: body.name,
      redirectUris: body.redirect_uris,
      requirePkce: body.require_pkce,
      postLogoutRedirectUris: body.post_logout_redirect_uris,
      limits: body.limits,
      grantLifetimeDays: body.grant_lifetime_days,
      requireAcr: body.require_acr,
    })
    switch (outcome.kind) {
      case 'unknown':
        return noSuchPartner
      case 'refused':
        return refused(outcome.faults)
      case 'conflict':
        return conflict(
          'Another operator changed the partner at the same time. Nothing was changed here. Try again.',
        )
      case 'updated':
        return shown(database, params.client_id, outcome.clientSecret)
    }
  })

  for (const [route, status] of [
    [suspendPartnerRoute, 'suspended'],
    [resumePartnerRoute, 'active'],
  ] as const) {
    adminRoute(app, context, route, async ({ request: { params }, origin, database }) => {
      const changed = await setPartnerStatus(database, origin, params.client_id, status)
      return changed ? shown(database, params.client_id) : noSuchPartner
    })
  }
}

function credentials(app: FastifyInstance, context: Context): void {
  const { environment } = context.config
  adminRoute(app, context, rotateSecretRoute, async ({ request: { params, body }, origin, database }) => {
    const { client_id: id } = params
    const outcome = await rotatePartnerSecret(database, origin, environment, id, body.end_others ?? false)
    if (outcome.kind === 'unknown') return noSuchPartner
    if (outcome.kind === 'without_secret') {
      return conflict('The partner authenticates with private_key_jwt and has no secret. Replace its keys.')
    }
    const partner = await database.maybe(findListedPartner, [id])
    if (!partner) return noSuchPartner
    const address = adminAddress(context.config, 'partners', id)
    return created(address, partner, { client_secret: outcome.clientSecret })
  })

  adminRoute(app, context, endOldSecretsRoute, async ({ request: { params }, origin, database }) => {
    const { kind } = await endOldSecrets(database, origin, params.client_id)
    if (kind === 'nothing_to_end') return conflict('The partner has only one secret. Nothing was changed.')
    return shown(database, params.client_id)
  })

  adminRoute(app, context, replaceKeysRoute, async ({ request: { params, body }, origin, database }) => {
    const jwks = JSON.stringify(body.jwks)
    const outcome = await replacePartnerKeys(database, origin, params.client_id, jwks)
    if (outcome.kind === 'unknown') return noSuchPartner
    return outcome.kind === 'refused' ? refused(outcome.faults) : shown(database, params.client_id)
  })
}

function deletion(app: FastifyInstance, context: Context): void {
  adminRoute(app, context, deletionRoute, async ({ request: { params }, database }) => {
    const found = await consequencesOfDeletion(database, params.client_id)
    return found ? ok(found) : noSuchPartner
  })
  adminRoute(app, context, deletePartnerRoute, async ({ request: { params, query }, origin, database }) => {
    const outcome = await deletePartner(database, origin, params.client_id, query.connected_users)
    if (outcome.kind === 'unknown') return noSuchPartner
    if (outcome.kind === 'deleted') return ok(outcome.ended)
    return conflict(
      `Nothing was deleted: ${outcome.now.connected_users} users are connected now. If you still want to delete the partner, send this number.`,
    )
  })
}

type SharedSettings = Parameters<typeof profileOf>[0] & {
  auth_methods?: string[]
  jwks?: Record<string, unknown>
  id_token_on_refresh?: boolean
}

/** The settings that a registration and a change have in common. */
function settingsOf({ auth_methods, jwks, id_token_on_refresh, ...profile }: SharedSettings) {
  return {
    ...profileOf(profile),
    authMethods: auth_methods,
    jwks: jwks && JSON.stringify(jwks),
    idTokenOnRefresh: id_token_on_refresh,
  }
}
