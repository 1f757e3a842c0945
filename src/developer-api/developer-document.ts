import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { roleRights } from '../developer-keys/roles.ts'
import { serveDocument } from '../management/document.ts'

/** The path of the developer API below `{auth_url}`. */
export const developerApiPath = '/developers/v1'

/** The address of a resource. @param path its segments, such as `webhooks` and an id */
export function developerAddress({ authUrl }: Pick<Config, 'authUrl'>, ...path: string[]): string {
  return [authUrl + developerApiPath, ...path.map(encodeURIComponent)].join('/')
}

/** Serves the description of the developer API. Call it before the routes are registered. */
export function developerDocument(app: FastifyInstance, config: Config): void {
  serveDocument(app, config, {
    path: developerApiPath,
    title: `${config.brand.name} Developer API`,
    summary: 'Manage your application from your own programs.',
    description,
    apiKey: 'A developer key of your application. Each operation names the role that the key needs.',
    tags,
  })
}

const description = `For the developers of an application that reads households and accounts. It manages the application; it does not read data of users.

Send a developer key in each request: \`Authorization: Bearer lk_…_dk_…\`. An admin of your application makes one on the developer pages at \`{auth_url}/developers\`, or the operator makes one. A key belongs to one application, so no address names it. Each operation names the role that the key needs. ${roleRights}

Bodies are JSON. Unknown fields and unknown query parameters are refused. Lists have pages: follow \`next_cursor\` or the \`Link\` header until \`next_cursor\` is null. A \`POST\` that creates takes an \`Idempotency-Key\`. Every change leaves a record in the audit log of the operator. Errors are \`Problem\` objects (RFC 9457).`

const tags = [
  { name: 'Application', description: 'Your application in this environment, and its credentials.' },
  { name: 'Use', description: 'Calls over time, limits, and deprecated calls.' },
  { name: 'Requests', description: 'The calls of the last days, and why they were refused.' },
  { name: 'Grants', description: 'The users who have connected your application.' },
  { name: 'Webhooks', description: 'Addresses of yours that get a message when something happens.' },
  { name: 'Developers', description: 'People and programs that manage your application.' },
]
