import type { FastifyInstance } from 'fastify'
import { type DescribedRoute, describeRoutes, type Json } from '../http/openapi/document.ts'
import { withAddresses } from '../http/openapi.ts'

/** What the document of an API says about it. The texts may have the addresses `{base_url}` and `{auth_url}`. */
export type DocumentFacts = {
  /** The path of the API below `{auth_url}`. */
  path: string
  title: string
  summary: string
  description: string
  /** How a key is sent. */
  apiKey: string
  /** The groups of its operations, in their order. */
  tags: readonly { name: string; description: string }[]
}

type Addresses = { authUrl: string; baseUrl: string; environment: string }

/**
 * Describes all routes of an API and serves the description. Call it before the routes are registered. The document is the same
 * for everyone and says nothing about this deployment except its addresses, so it needs no key.
 */
export function serveDocument(app: FastifyInstance, addresses: Addresses, facts: DocumentFacts): void {
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', ({ method, url, schema, config: { managementOperation: operation } = {} }) => {
    if (!operation || typeof method !== 'string' || method === 'HEAD') return
    const { params, querystring } = schema ?? {}
    routes.push({ method, path: url.slice(facts.path.length), operation, params, querystring })
  })
  let document: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(documentOf(addresses, facts, routes))
    return reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(document)
  })
}

function documentOf(
  { authUrl, baseUrl, environment }: Addresses,
  { path, title, summary, description, apiKey, tags }: DocumentFacts,
  routes: DescribedRoute[],
): Json {
  const order = tags.map(({ name }) => name)
  const place = ({ operation }: DescribedRoute) => order.indexOf(operation.tag)
  const { paths, components } = describeRoutes(routes.sort((a, b) => place(a) - place(b)))
  const used = new Set(routes.map(({ operation }) => operation.tag))
  const document: Json = {
    openapi: '3.1.0',
    info: {
      title,
      version: '1',
      summary,
      description,
      contact: { name: 'Error codes', url: '{base_url}docs/errors' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `{auth_url}${path}`, description: `The ${environment} environment` }],
    security: [{ apiKey: [] }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      ...components,
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: apiKey } },
    },
  }
  return withAddresses(document, { '{base_url}': baseUrl, '{auth_url}': authUrl })
}
