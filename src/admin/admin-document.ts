import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { serveDocument } from '../management/document.ts'

/** The path of the admin API below the origin of the console. */
export const adminPath = '/admin/v1'

/** The address of a resource. @param path its segments, such as `partners` and a client id */
export function adminAddress({ admin }: Config, ...path: string[]): string {
  return [admin.url + adminPath, ...path.map(encodeURIComponent)].join('/')
}

/** Serves the description of the admin API. Call it before the routes are registered. */
export function adminDocument(app: FastifyInstance, { admin, baseUrl, environment, brand }: Config): void {
  const addresses = { authUrl: admin.url, baseUrl, environment }
  serveDocument(app, addresses, {
    path: adminPath,
    title: `${brand.name} Admin API`,
    summary: 'What an operator can do with the commands and the console, for programs.',
    description,
    apiKey: 'An API key of the operator. Each operation names the scope that the key needs.',
    tags,
  })
}

const description = `Send an API key in each request: \`Authorization: Bearer lk_…_ak_…\`. \`latchkey api-key create\` makes one. Each operation names the scope that the key needs; a scope for writing includes the one for reading.

Bodies are JSON. Unknown fields and unknown query parameters are refused. Lists have pages: follow \`next_cursor\` or the \`Link\` header until \`next_cursor\` is null. Every change leaves the same record in the audit log as its command, with the key and the address it came from. Errors are \`Problem\` objects (RFC 9457).`

const tags = [
  { name: 'Partners', description: 'Applications that read on behalf of users.' },
  { name: 'Webhooks', description: 'Endpoints of partners, and the messages that they get.' },
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
