import { createApiKey } from '../../src/admin/api-keys.ts'
import { commandOrigin } from '../../src/audit/origin.ts'
import { tokensFor } from './connection.ts'
import { query } from './database.ts'
import { addWebhooks } from './developer-data.ts'
import { invited } from './developers.ts'
import type { SeedRows } from './directory.ts'
import { api } from './journey.ts'
import type { TestOperator } from './operators.ts'
import type { TestServer } from './server.ts'

const families = ['Ashworth', 'Lefèvre', 'Nguyễn', 'Miller', 'Okafor', 'Schröder', 'דוחות']

/** A firm with an advisor who sees all households, and one who sees those of one account. */
export function consoleDirectory(): SeedRows {
  return {
    users: ['ada', { id: 'bob', sees: 'granted', access: ['a-0'] }, { id: 'cleo', status: 'disabled' }],
    households: families.map((name, place) => ({ id: `h-${place}`, name: `${name} Family` })),
    accounts: families.map((_, place) => ({ id: `a-${place}`, household: `h-${place}`, name: 'Savings' })),
  }
}

export type ConsoleData = {
  clientId: string
  grantId: string
  kid: string
  requestId: string
  operatorId: string
  developerId: string
  endpointId: string
  record: { id: string; at: string }
}

/** Partners, connections, calls and changes, as after some weeks. */
export async function consoleData(server: TestServer, operator: TestOperator): Promise<ConsoleData> {
  const { database, authUrl } = server
  await query(database, `UPDATE users SET name = 'Ada Whitlock' WHERE id = 'ada'`)
  await query(database, `UPDATE users SET name = 'Bob Carter' WHERE id = 'bob'`)
  await query(database, `UPDATE firms SET name = 'Northbridge Advisors'`)
  const partner = await server.partner({
    ...{ name: 'Ledgerline', description: 'Plans for retirement', site: 'https://ledgerline.example' },
    ...{
      privacyUrl: 'https://ledgerline.example/privacy',
      redirectUri: 'https://app.ledgerline.example/callback',
    },
    ...{ limits: { requests_per_minute: 600 }, grantLifetimeDays: 365 },
  })
  const { id: developerId } = await invited(server, { clientId: partner.clientId })
  const { endpointId } = await addWebhooks(server, partner.clientId)
  await server.partner({ name: 'Harbor Reports', redirectUri: 'https://harbor.example/callback' })
  for (const user of ['ada', 'bob']) {
    const { accessToken } = await tokensFor(server, partner, user)
    await api(server, 'households', accessToken)
    await api(server, 'households?page_size=0', accessToken, { 'X-API-Request-ID': `ledgerline-${user}` })
  }
  await api(server, 'households', 'not-a-token')
  const input = { name: 'Nightly sync', scopes: ['directory:write', 'users:read'], expiresInDays: 90 }
  await createApiKey(database, commandOrigin(), server.context.config.environment, input)
  const page = await operator.browser.get(`${authUrl}/admin/partners/${partner.clientId}`)
  await operator.browser.submit(page, `/admin/partners/${partner.clientId}/suspend`, {})
  await operator.browser.submit(
    await operator.browser.get(page.url),
    `/admin/partners/${partner.clientId}/resume`,
    {},
  )
  await query(
    database,
    `INSERT INTO audit_log (event, actor_kind, actor_id, via, target_kind, target_id, details)
     VALUES ('directory.imported', 'os_user', 'deploy', 'cli', 'directory', 'all',
             '{"files": {"users.csv": {"added": 3, "changed": 1, "unchanged": 0}, "households.csv": {"added": 7, "changed": 0, "unchanged": 0}}, "pruned": false}')`,
  )
  await query(
    database,
    `INSERT INTO audit_log (event, actor_kind, actor_id, via, target_kind, target_id, details)
     VALUES ('directory.import_refused', 'os_user', 'deploy', 'cli', 'directory', 'all', '{"reason": "refused", "faults": 3, "files": {}}')`,
  )
  await server.context.readLog.write()
  await server.context.requestLog?.write()
  const [grant] = await query<{ id: string }>(database, `SELECT id FROM grants WHERE user_id = 'ada'`)
  const [key] = await query<{ kid: string }>(database, 'SELECT kid FROM signing_keys LIMIT 1')
  const [record] = await query<{ id: string; at: string }>(
    database,
    `SELECT id::text, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM audit_log
      WHERE event = 'partner.suspended'`,
  )
  if (!grant || !key || !record) throw new Error('the data of the console is incomplete')
  const ids = {
    clientId: partner.clientId,
    grantId: grant.id,
    kid: key.kid,
    operatorId: operator.id,
    ...{ developerId, endpointId },
  }
  return { ...ids, requestId: 'ledgerline-ada', record }
}

/** Every page of the console by name, with its address. */
export function consolePages({
  clientId,
  grantId,
  kid,
  requestId,
  operatorId,
  developerId,
  record,
}: ConsoleData): Record<string, string> {
  return {
    overview: '/admin',
    partners: '/admin/partners',
    'partners empty': '/admin/partners?q=nothing',
    'partner new': '/admin/partners/new',
    partner: `/admin/partners/${clientId}`,
    'partner edit': `/admin/partners/${clientId}/edit`,
    'partner secret': `/admin/partners/${clientId}/secret`,
    'partner keys': `/admin/partners/${clientId}/keys`,
    'partner logo': `/admin/partners/${clientId}/logo`,
    'partner lifetime': `/admin/partners/${clientId}/apply-lifetime`,
    'partner delete': `/admin/partners/${clientId}/delete`,
    'partner developers': `/admin/partners/${clientId}/developers`,
    'developer invite': `/admin/partners/${clientId}/developers/invite`,
    developer: `/admin/partners/${clientId}/developers/${developerId}`,
    users: '/admin/users',
    user: '/admin/users/ada',
    'user disabled': '/admin/users/cleo',
    'user access': '/admin/users/bob/access?household=h-3',
    'user access choice': '/admin/users/bob/access?household=family',
    'user invite': '/admin/users/ada/invite',
    'user factors': '/admin/users/ada/reset-factors',
    'user new': '/admin/users/new',
    'user edit': '/admin/users/ada/edit',
    'user data': '/admin/users/cleo/data',
    grants: '/admin/grants?state=all',
    grant: `/admin/grants/${grantId}`,
    requests: '/admin/requests',
    request: `/admin/requests?request_id=${requestId}`,
    'reads empty': '/admin/reads',
    reads: '/admin/reads?household_id=h-0',
    'reads of a grant': `/admin/reads/${grantId}`,
    incidents: '/admin/incidents',
    keys: '/admin/keys',
    'key remove': `/admin/keys/${kid}/remove`,
    'api keys': '/admin/api-keys',
    'api key new': '/admin/api-keys/new',
    operators: '/admin/operators',
    'operator new': '/admin/operators/new',
    operator: `/admin/operators/${operatorId}`,
    'operator reset': `/admin/operators/${operatorId}/reset`,
    'operator remove': `/admin/operators/${operatorId}/remove`,
    imports: '/admin/imports',
    audit: '/admin/audit',
    'audit record': `/admin/audit/${record.id}?at=${record.at}`,
    'audit export': '/admin/audit/export',
    settings: '/admin/settings',
    'search empty': '/admin/search',
    search: '/admin/search?q=ledger',
    'search by name': '/admin/search?q=ada',
  }
}

/** A week of calls of one partner, whose refreshes fail since yesterday. */
export async function addTraffic(to: TestServer): Promise<void> {
  const { clientId } = await to.partner({ name: 'Sample Partner App' })
  await query(
    to.database,
    `INSERT INTO call_hours
     SELECT date_trunc('hour', now()) - n * interval '1 hour', kind, $1, calls, calls / 40 + CASE WHEN n < 9 THEN 30 ELSE 0 END,
            calls / 300, CASE WHEN kind = 'token' AND n < 9 THEN 25 ELSE 0 END,
            ARRAY[0, calls / 4, calls / 2, calls / 5, calls / 30, calls / 80, 0, 0, 0, 0, 0, 0, 0]
       FROM generate_series(0, 720) n, (VALUES ('read', 3), ('token', 1)) k (kind, weight),
            LATERAL (SELECT (weight * (130 + 90 * sin(n * 0.26 - 1.5) + (n * 7919) % 41))::int AS calls) c`,
    [clientId],
  )
}
