import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify'
import { adminDocument, adminPath } from './admin/admin-document.ts'
import { adminEdge } from './admin/admin-edge.ts'
import { apiKeyRoutes } from './admin/api-keys.routes.ts'
import { auditRoutes } from './admin/audit.routes.ts'
import { developerRoutes as partnerDeveloperRoutes } from './admin/developers.routes.ts'
import { goingLiveRoutes } from './admin/going-live.routes.ts'
import { grantRoutes } from './admin/grants.routes.ts'
import { importRoutes } from './admin/imports.routes.ts'
import { keyRoutes } from './admin/keys.routes.ts'
import { operatorRoutes } from './admin/operators.routes.ts'
import { partnerRoutes } from './admin/partners.routes.ts'
import { providerRoutes } from './admin/providers.routes.ts'
import { requirementRoutes } from './admin/requirements.routes.ts'
import { userChangeRoutes } from './admin/user-changes.routes.ts'
import { userRoutes } from './admin/users.routes.ts'
import { partnerWebhookRoutes } from './admin/webhooks.routes.ts'
import { authorizeRoutes } from './authorize/authorize.routes.tsx'
import { connectRoutes } from './authorize/connect.routes.tsx'
import { householdsPageRoutes } from './authorize/households.routes.tsx'
import { loginRoutes } from './authorize/login.routes.tsx'
import { logoutRoutes } from './authorize/logout.routes.tsx'
import { openPageRequest } from './authorize/page-request.ts'
import { passkeyLoginRoutes } from './authorize/passkey-login.routes.tsx'
import { providerLoginRoutes } from './authorize/provider-login.routes.tsx'
import { secondFactorRoutes } from './authorize/second-factor.routes.tsx'
import { connectedAppRoutes } from './connected-apps/connected-apps.routes.tsx'
import { logoRoutes } from './connected-apps/partner-logos.routes.ts'
import { consoleRoutes } from './console/console.routes.ts'
import { onlyFromNetworks } from './console/networks.ts'
import type { Context } from './context.ts'
import { developerApiRoutes } from './developer-api/developer-api.routes.ts'
import { developerRoutes } from './developer-pages/developers.routes.ts'
import { directoryRoutes } from './directory-api/directory.routes.ts'
import { discoveryRoutes } from './discovery/discovery.routes.ts'
import { docsRoutes } from './docs/docs.routes.ts'
import { explainRoutes } from './explain/explain.routes.ts'
import { securityRoutes } from './factors/security.routes.tsx'
import { frontRoutes, pagesForPeople } from './front/front.routes.tsx'
import { householdRoutes } from './households/households.routes.ts'
import { syncRoutes } from './households/v2/sync.routes.ts'
import { decorateAddresses } from './http/addresses.ts'
import { allowOnly, apiEdge, apiErrors } from './http/api-edge.ts'
import { accessLog } from './http/log.ts'
import { misplaced, oauthEdge, postOnly } from './http/oauth-edge.ts'
import { apiDescription, apiDescriptionRoute } from './http/openapi.ts'
import { fastifyOptions, strictHttp } from './http/strict-http.ts'
import { idpRoutes } from './idp/idp.routes.ts'
import { ProviderClients } from './idp/provider-clients.ts'
import { incidentRoutes } from './incidents/incidents.routes.ts'
import { secretScanningRoutes } from './incidents/secret-scanning.routes.ts'
import { requestMetrics } from './metrics/request-metrics.ts'
import type { Tracing } from './metrics/tracing.ts'
import { recoveryRoutes } from './recovery/recovery.routes.tsx'
import { countCalls } from './request-log/call-hours.ts'
import { recordCalls } from './request-log/record-calls.ts'
import { userinfoRoutes } from './resource/userinfo.routes.ts'
import { sandboxOfApi, sandboxOfTokens, sandboxRoutes } from './sandbox/sandbox.routes.ts'
import { passwordRoutes } from './sessions/password.routes.tsx'
import { sessionRoutes } from './sessions/sessions.routes.tsx'
import { statusRoutes } from './status/status.routes.tsx'
import { tokenRoutes } from './tokens/token.routes.ts'
import { assetRoutes } from './web/assets.routes.ts'
import { languageRoutes } from './web/language.routes.ts'
import { forUsers, type Web, webEdge } from './web/page-edge.tsx'

/** Registers everything that the server serves: the routes, their paths, and how each group reports errors. */
export async function createServer(
  context: Context,
  logger: FastifyBaseLogger,
  tracing?: Tracing,
): Promise<FastifyInstance> {
  const { config } = context
  const base = new URL(config.baseUrl).pathname
  const app = listeningServer(context, logger, tracing, config.authUrl)
  const description = apiDescription(app, config)

  const providers = new ProviderClients(context)
  await app.register(async (scope) => pagesForPeople(app, context, await pages(scope, context, providers)))
  await app.register(async (discovery) => {
    apiErrors(discovery)
    discoveryRoutes(discovery, context)
    idpRoutes(discovery, context, providers)
  })
  await secretScanningRoutes(app, context)
  await belowBase(app, context, { base, description })
  await app.register(async (guessed) => {
    recordCalls(guessed, context)
    misplacedTokenRoutes(guessed)
  })
  for (const root of new Set([base, '/'])) await api(app, context, root)
  await developerRoutes(app, context, providers)
  await developerApiRoutes(app, context)
  if (!config.admin.listener) await adminSite(app, context, providers)
  return app
}

/** What is below `{base_url}` only: tokens, userinfo, docs, the description, and the tools of the sandbox. */
async function belowBase(
  app: FastifyInstance,
  context: Context,
  { base, description }: { base: string; description: ReturnType<typeof apiDescription> },
): Promise<void> {
  await app.register(
    async (service) => {
      apiEdge(service)
      recordCalls(service, context)
      sandboxOfApi(service, context)
      apiDescriptionRoute(service, description)
      userinfoRoutes(service, context)
      sandboxRoutes(service, context)
      allowOnly(service, ['GET'], '/openapi.json')
      allowOnly(service, ['GET', 'POST'], '/oauth2/userinfo')
    },
    { prefix: base },
  )
  await app.register(async (docs) => docsRoutes(docs, context, description), { prefix: `${base}docs` })
  await app.register(
    async (oauth) => {
      oauthEdge(oauth)
      recordCalls(oauth, context)
      sandboxOfTokens(oauth, context)
      tokenRoutes(oauth, context)
      postOnly(oauth, '/token', '/revoke', '/introspect')
    },
    { prefix: `${base}oauth2` },
  )
}

/** The authorize endpoint is at `{auth_url}/api/oauth2`, and these are not. */
function misplacedTokenRoutes(app: FastifyInstance): void {
  const names = ['token', 'revoke', 'introspect']
  misplaced(app, ...names.flatMap((name) => [`/api/oauth2/${name}`, `/oauth2/${name}`]))
}

/** What the listener of the operators serves, if they have their own: the console and the admin API, and nothing else. */
export async function createAdminServer(
  context: Context,
  logger: FastifyBaseLogger,
  tracing?: Tracing,
): Promise<FastifyInstance> {
  const app = listeningServer(context, logger, tracing, context.config.admin.url)
  await adminSite(app, context, new ProviderClients(context))
  app.get('/', (_request, reply) => reply.redirect('/admin', 303))
  return app
}

/** What both listeners do for every request. `url`: the origin of the listener. */
function listeningServer(
  context: Context,
  logger: FastifyBaseLogger,
  tracing: Tracing | undefined,
  url: string,
): FastifyInstance {
  const { config } = context
  const base = new URL(config.baseUrl).pathname
  const app = Fastify({
    ...fastifyOptions(config, logger),
    loggerInstance: logger,
    rewriteUrl: ({ url = '' }) => singleSlash(url, base),
  })
  decorateAddresses(app, config)
  strictHttp(app, { hsts: url.startsWith('https:') })
  accessLog(app)
  requestMetrics(app, context)
  tracing?.traceRequests(app)
  countCalls(app, context)
  return app
}

/** What operators use: the console and the admin API. They have their own origin if they have their own listener. */
async function adminSite(
  app: FastifyInstance,
  { config, ...shared }: Context,
  providers: ProviderClients,
): Promise<void> {
  const context = { ...shared, config: { ...config, authUrl: config.admin.url } }
  await app.register(async (admin) => {
    onlyFromNetworks(admin, config.admin.networks)
    await consoleRoutes(admin, context, providers)
    await admin.register(async (api) => adminApi(api, context), { prefix: adminPath })
  })
}

/**
 * The contract writes `{base_url}/oauth2/token`, and `{base_url}` ends in a slash. A client that follows it literally sends
 * two slashes after `{base_url}`. Only at this place, the server reads two slashes as one.
 */
function singleSlash(url: string, base: string): string {
  const isLiteral =
    url.startsWith(`${base}/`) &&
    /^(oauth2\/|api\/|openapi\.json|docs(?![^/?])|sandbox\/)/.test(url.slice(base.length + 1))
  return isLiteral ? base + url.slice(base.length + 1) : url
}

/** Registers the API below `{base_url}` or the root of its origin. */
async function api(app: FastifyInstance, context: Context, root: string): Promise<void> {
  await app.register(
    async (v1) => {
      apiEdge(v1)
      recordCalls(v1, context)
      sandboxOfApi(v1, context)
      householdRoutes(v1, context)
      allowOnly(v1, ['GET'], '/households', '/households/:household_id/accounts')
    },
    { prefix: `${root}api/v1` },
  )
  await app.register(
    async (v2) => {
      apiEdge(v2)
      recordCalls(v2, context)
      sandboxOfApi(v2, context)
      await syncRoutes(v2, context)
      allowOnly(v2, ['GET'], '/households', '/households/:household_id', '/accounts')
    },
    { prefix: `${root}api/v2` },
  )
}

/** The admin API: each slice registers its own operations. */
function adminApi(app: FastifyInstance, context: Context): void {
  adminEdge(app, context)
  adminDocument(app, context.config)
  apiKeyRoutes(app, context)
  explainRoutes(app, context)
  incidentRoutes(app, context)
  partnerRoutes(app, context)
  goingLiveRoutes(app, context)
  userRoutes(app, context)
  userChangeRoutes(app, context)
  requirementRoutes(app, context)
  operatorRoutes(app, context)
  partnerDeveloperRoutes(app, context)
  partnerWebhookRoutes(app, context)
  grantRoutes(app, context)
  keyRoutes(app, context)
  providerRoutes(app, context)
  directoryRoutes(app, context)
  importRoutes(app, context)
  auditRoutes(app, context)
}

async function pages(app: FastifyInstance, context: Context, providers: ProviderClients): Promise<Web> {
  const textsOf = (request: FastifyRequest) => openPageRequest(context, request).texts
  const web = await webEdge(app, context, forUsers(context, textsOf))
  recordCalls(app, context) // of the pages, only refusals of the authorize endpoint
  authorizeRoutes(app, context, web)
  loginRoutes(app, context, web, providers)
  providerLoginRoutes(app, context, web, providers)
  passkeyLoginRoutes(app, context, web)
  secondFactorRoutes(app, context, web)
  connectRoutes(app, context, web)
  householdsPageRoutes(app, context, web)
  logoutRoutes(app, context, web, providers)
  connectedAppRoutes(app, context, web)
  sessionRoutes(app, context, web)
  securityRoutes(app, context, web)
  passwordRoutes(app, context, web)
  frontRoutes(app, context, web)
  statusRoutes(app, context, web)
  recoveryRoutes(app, context, web)
  languageRoutes(app, context.config, web)
  assetRoutes(app, web.assets)
  logoRoutes(app, context)
  return web
}
