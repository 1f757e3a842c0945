import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { Queries } from '../database/database.ts'
import { type Answer, conflict, created, notFound, ok, refused } from '../management/answers.ts'
import { profileOf } from '../management/partner-fields.ts'
import { endOldSecrets } from '../partners/end-old-secrets.ts'
import { findListedPartner } from '../partners/partners.sql.ts'
import { replacePartnerKeys, rotatePartnerSecret } from '../partners/partners.ts'
import { updatePartner } from '../partners/update-partner.ts'
import {
  endOldSecretRoute,
  getApplicationRoute,
  replaceKeysRoute,
  rotateSecretRoute,
  updateApplicationRoute,
} from './application.operations.ts'
import { developerAddress } from './developer-document.ts'
import { developerRoute } from './developer-edge.ts'

/** The application and its credentials, with the use cases of `latchkey partner`. */
export function applicationRoutes(app: FastifyInstance, context: Context): void {
  settings(app, context)
  credentials(app, context)
}

/** Only if the operator has deleted the partner during the request. */
const gone = notFound('The application no longer exists.')

type Deployment = Pick<Context, 'config'>

/** The application as the database has it now. Undefined: it was deleted. */
async function findApplication(database: Queries, { config }: Deployment, clientId: string) {
  const row = await database.maybe(findListedPartner, [clientId])
  if (!row) return undefined
  const { limits: _, logo, ...partner } = row
  const { authUrl, environment } = config
  return { ...partner, logo: logo && `${authUrl}/assets/partners/${logo}`, environment }
}

async function shown(database: Queries, deployment: Deployment, clientId: string): Promise<Answer> {
  const found = await findApplication(database, deployment, clientId)
  return found ? ok(found) : gone
}

function settings(app: FastifyInstance, context: Context): void {
  const { environment } = context.config
  developerRoute(app, context, getApplicationRoute, ({ database, clientId }) =>
    shown(database, context, clientId),
  )

  developerRoute(
    app,
    context,
    updateApplicationRoute,
    async ({ request: { body }, origin, database, clientId }) => {
      const outcome = await updatePartner(database, origin, environment, clientId, {
        ...profileOf(body),
        redirectUris: body.redirect_uris,
        postLogoutRedirectUris: body.post_logout_redirect_uris,
        requirePkce: body.require_pkce,
      })
      switch (outcome.kind) {
        case 'unknown':
          return gone
        case 'refused':
          return refused(outcome.faults)
        case 'conflict':
          return conflict('The operator changed the application at the same time. Nothing was changed here.')
        case 'updated':
          return shown(database, context, clientId)
      }
    },
  )
}

function credentials(app: FastifyInstance, context: Context): void {
  const { config } = context
  developerRoute(
    app,
    context,
    rotateSecretRoute,
    async ({ request: { body }, origin, database, clientId }) => {
      const endOthers = body.end_others ?? false
      const outcome = await rotatePartnerSecret(database, origin, config.environment, clientId, endOthers)
      if (outcome.kind === 'unknown') return gone
      if (outcome.kind === 'without_secret') {
        return conflict('Your application authenticates with private_key_jwt. Replace its keys instead.')
      }
      const found = await findApplication(database, context, clientId)
      return created(developerAddress(config, 'application'), found, { client_secret: outcome.clientSecret })
    },
  )

  developerRoute(app, context, endOldSecretRoute, async ({ origin, database, clientId }) => {
    const { kind } = await endOldSecrets(database, origin, clientId)
    if (kind === 'nothing_to_end')
      return conflict('Your application has only one secret. Nothing was changed.')
    return shown(database, context, clientId)
  })

  developerRoute(
    app,
    context,
    replaceKeysRoute,
    async ({ request: { body }, origin, database, clientId }) => {
      const outcome = await replacePartnerKeys(database, origin, clientId, JSON.stringify(body.jwks))
      if (outcome.kind === 'unknown') return gone
      return outcome.kind === 'refused' ? refused(outcome.faults) : shown(database, context, clientId)
    },
  )
}
