import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { type DescribedRoute, describeRoutes, type Json } from '../http/openapi/document.ts'
import { withAddresses } from '../http/openapi.ts'
import type { AdminTag } from './admin-operation.ts'

/** The path of the admin API below the origin of the console. */
export const adminPath = '/admin/v1'

/** The address of a resource. @param path its segments, such as `partners` and a client id */
export function adminAddress({ admin }: Config, ...path: string[]): string {
  return [admin.url + adminPath, ...path.map(encodeURIComponent)].join('/')
}

/**
 * Describes all routes of the admin API and serves the description. Call it before the routes are registered. The document
 * is the same for everyone and says nothing about this deployment except its addresses, so it needs no key.
 */
export function adminDocument(app: FastifyInstance, config: Config): void {
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', ({ method, url, schema, config: { adminOperation: operation } = {} }) => {
    if (!operation || typeof method !== 'string' || method === 'HEAD') return
    const { params, querystring } = schema ?? {}
    routes.push({ method, path: url.slice(adminPath.length), operation, params, querystring })
  })
  let document: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(documentOf(config, routes))
    return reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(document)
  })
}

function documentOf({ admin, baseUrl, environment, brand }: Config, routes: DescribedRoute[]): Json {
  const order: string[] = tags.map(({ name }) => name)
  const place = ({ operation }: DescribedRoute) => order.indexOf(operation.tag)
  const { paths, components } = describeRoutes(routes.sort((a, b) => place(a) - place(b)))
  const used = new Set(routes.map(({ operation }) => operation.tag))
  const document: Json = {
    openapi: '3.1.0',
    info: {
      title: `${brand.name} Admin API`,
      version: '1',
      summary: 'What an operator can do with the commands and the console, for programs.',
      description,
      contact: { name: 'Error codes', url: '{base_url}docs/errors' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `{auth_url}${adminPath}`, description: `The ${environment} environment` }],
    security: [{ apiKey: [] }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: { ...components, securitySchemes },
  }
  return withAddresses(document, { '{base_url}': baseUrl, '{auth_url}': admin.url })
}

const description = `Send an API key in each request: \`Authorization: Bearer lk_…_ak_…\`. \`latchkey api-key create\` makes one. Each operation names the scope that the key needs; a scope for writing includes the one for reading.

Bodies are JSON. Unknown fields and unknown query parameters are refused. Lists have pages: follow \`next_cursor\` or the \`Link\` header until \`next_cursor\` is null. Every change leaves the same record in the audit log as its command, with the key and the address it came from. Errors are \`Problem\` objects (RFC 9457).`

const tags: { name: AdminTag; description: string }[] = [
  { name: 'Partners', description: 'Applications that read on behalf of users.' },
  { name: 'Users', description: 'Users of the platform, their sessions and second factors.' },
  { name: 'Directory', description: 'Firms, roles, users, households, accounts and access.' },
  { name: 'Grants', description: 'Which user shares with which partner.' },
  { name: 'Keys', description: 'The keys that sign id_tokens.' },
  { name: 'Providers', description: 'Identity providers at which users log in.' },
  { name: 'Audit', description: 'Who changed what, from where, and when.' },
  { name: 'Logs', description: 'What partners read, and why a request was refused.' },
  { name: 'Settings', description: 'How strongly the users of firms and roles log in.' },
  { name: 'Operators', description: 'API keys, and the people who use the console.' },
  { name: 'Incidents', description: 'Leaked credentials.' },
]

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of the operator. Each operation names the scope that the key needs.',
  },
}
