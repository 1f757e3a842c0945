import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { type DescribedRoute, describeRoutes, type Json } from './openapi/document.ts'
import { sendPublic } from './send-public.ts'

/**
 * Describes all routes below `{base_url}` that have an operation (docs/adr/0023). Call it before routes are registered.
 * @returns the document, to be called after all routes are registered
 */
export function apiDescription(app: FastifyInstance, config: Config): () => Json {
  const base = new URL(config.baseUrl).pathname
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', ({ method, url, schema, config: { operation } = {} }) => {
    // The API also answers at the root of the origin, and every GET also as HEAD. They are described once.
    if (!operation || !url.startsWith(base) || typeof method !== 'string' || method === 'HEAD') return
    const { params, querystring } = schema ?? {}
    routes.push({ method, path: `/${url.slice(base.length)}`, operation, params, querystring })
  })
  let document: Json | undefined
  return () => {
    document ??= documentOf(config, routes)
    return document
  }
}

export function apiDescriptionRoute(app: FastifyInstance, document: () => Json): void {
  app.get('/openapi.json', (_request, reply) => sendPublic(reply, 300, document()))
}

function documentOf({ authUrl, baseUrl, environment, brand }: Config, routes: DescribedRoute[]): Json {
  const order = tags.map(({ name }) => name)
  const byTag = routes.sort((a, b) => order.indexOf(a.operation.tag) - order.indexOf(b.operation.tag))
  const { paths, components } = describeRoutes(byTag)
  const document: Json = {
    openapi: '3.1.0',
    info: {
      title: `${brand.name} Partner API`,
      version: '1',
      summary: 'Households and accounts of a user who connected your application.',
      description,
      contact: { name: 'Documentation and support for partners', url: '{base_url}docs' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'Guides, reference and error codes', url: '{base_url}docs' },
    // Without the slash at its end, because generated clients append paths that begin with a slash.
    servers: [{ url: baseUrl.replace(/\/$/, ''), description: `The ${environment} environment` }],
    // How the token of `bearer` is obtained. Each operation names `bearer`: with `oauth2`, the clients of typescript-fetch send
    // the token without the word `Bearer`.
    security: [{ oauth2: ['openid'] }],
    tags,
    paths,
    components: { ...components, securitySchemes },
  }
  return withAddresses(document, { '{base_url}': baseUrl, '{auth_url}': authUrl })
}

const description = `Your application reads households and accounts on behalf of a user of the platform.

1. The user logs in at \`{auth_url}\`, connects your application, and returns to it with a code.
2. \`requestToken\` exchanges the code for an access token (one hour) and a refresh token (30 days).
3. \`syncHouseholds\` and \`syncAccounts\` read what this user may see.
4. When the access token has expired, \`requestToken\` gives new tokens for the refresh token.

Every response has an \`X-API-Request-ID\`. Errors of the API are \`Problem\` objects (RFC 9457), errors of the token endpoints are \`OAuthError\` objects (RFC 6749).`

const tags: { name: string; description: string }[] = [
  { name: 'Households', description: 'The households that the user may see.' },
  { name: 'Accounts', description: 'The active accounts that the user may see.' },
  { name: 'Tokens', description: 'Get, refresh, revoke and inspect tokens. Authenticate as the partner.' },
  { name: 'User', description: 'The user who connected your application.' },
]

const securitySchemes = {
  oauth2: {
    type: 'oauth2',
    description: 'How a partner gets the access token of a user.',
    flows: {
      authorizationCode: {
        authorizationUrl: '{auth_url}/api/oauth2/authorize',
        tokenUrl: '{base_url}oauth2/token',
        refreshUrl: '{base_url}oauth2/token',
        scopes: { openid: 'Read all households and accounts that the user may see. The only scope.' },
      },
    },
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The access token of a user, from the flow `oauth2`. It is valid for one hour.',
  },
  clientSecretBasic: {
    type: 'http',
    scheme: 'basic',
    description:
      'The `client_id` and `client_secret` of the partner, each form-encoded (RFC 6749 section 2.3.1). They may be in the request body instead, or a signed `client_assertion`.',
  },
}

/** Replaces the names of addresses in all texts. */
export function withAddresses(document: Json, addresses: Record<string, string>): Json {
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return value.replaceAll(/\{(?:base|auth)_url\}/g, (name) => addresses[name] ?? name)
    }
    if (Array.isArray(value)) return value.map(replace)
    return typeof value === 'object' && value !== null ? replaceAll(value) : value
  }
  const replaceAll = (object: object): Json =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, replace(value)]))
  return replaceAll(document)
}
