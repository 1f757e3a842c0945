import { systemOrigin } from '../../src/audit/origin.ts'
import { createDeveloperKey } from '../../src/developer-keys/developer-keys.ts'
import { rotatePartnerSecret } from '../../src/partners/partners.ts'
import { addEndpoint } from '../../src/webhooks/endpoints.ts'
import { sendTestEvent } from '../../src/webhooks/messages.ts'
import { tokensFor } from './connection.ts'
import { query } from './database.ts'
import { developerOfApp } from './developers.ts'
import { api } from './journey.ts'
import { png } from './pictures.ts'
import type { TestPartner, TestServer } from './server.ts'

export type DeveloperData = {
  partner: TestPartner
  grantId: string
  requestId: string
  endpointId: string
  messageId: string
  /** A developer of the application who only looks. */
  colleagueId: string
}

/** An application after some weeks: traffic, refusals, connections that ended, webhooks of which one fails. */
export async function developerData(server: TestServer): Promise<DeveloperData> {
  const { database, context } = server
  const partner = await server.partner({
    ...{ name: 'Ledgerline', description: 'Plans for retirement', site: 'https://ledgerline.example' },
    ...{ redirectUri: 'https://app.ledgerline.example/callback', logo: png(64) },
    ...{ privacyUrl: 'https://ledgerline.example/privacy', limits: { requests_per_minute: 600 } },
  })
  const { clientId } = partner
  await traffic(server, clientId)
  for (const user of ['ada', 'bob', 'cleo']) {
    const { accessToken } = await tokensFor(server, partner, user)
    await api(server, 'households', accessToken)
    await api(server, 'households?page_size=0', accessToken, { 'X-API-Request-ID': `nightly-${user}` })
  }
  await query(database, `UPDATE grants SET revoked_at = now(), revoked_by = 'user' WHERE user_id = 'cleo'`)
  await rotatePartnerSecret(database, systemOrigin, context.config.environment, clientId, false)
  await createDeveloperKey(database, systemOrigin, context.config.environment, {
    ...{ clientId, name: 'Deployment', role: 'developer', expiresInDays: 90 },
  })
  const webhooks = await addWebhooks(server, clientId)
  await context.requestLog?.write()
  await context.callHours.write()
  const [grant] = await query<{ id: string }>(database, `SELECT id FROM grants WHERE user_id = 'cleo'`)
  if (!grant) throw new Error('the data of the application is incomplete')
  const colleague = await developerOfApp(server, clientId, {
    ...{ email: 'vera@ledgerline.example', name: 'Vera Viewer', role: 'viewer' },
  })
  return { partner, grantId: grant.id, requestId: 'nightly-ada', ...webhooks, colleagueId: colleague.id }
}

/** Calls of 30 days, more by day than by night. */
async function traffic(server: TestServer, clientId: string): Promise<void> {
  await query(
    server.database,
    `INSERT INTO call_hours (hour, kind, client_id, calls, refused, failed, refresh_refused, slower)
     SELECT date_trunc('hour', now()) - n * interval '1 hour', kind, $1, calls, CASE n % 9 WHEN 2 THEN 14 ELSE 2 END,
            CASE n % 31 WHEN 3 THEN 6 ELSE 0 END, CASE kind WHEN 'token' THEN (n % 17 = 4)::int * 3 ELSE 0 END,
            ARRAY[0, 0, 0, 0, calls * 6 / 10, calls * 3 / 10, calls / 10, 2, 0, 0, 0, 0, 0]
       FROM generate_series(1, 720) AS n, unnest(ARRAY['read', 'token', 'deprecated listHouseholds', 'limited']) AS kind,
            LATERAL (SELECT (CASE kind WHEN 'read' THEN 400 WHEN 'token' THEN 60 WHEN 'limited' THEN 3 ELSE 40 END
                             * (1.2 + sin(n / 3.82)))::int AS calls) AS amount`,
    [clientId],
  )
}

/** Two endpoints, a message that is delivered and one whose attempts fail. */
export async function addWebhooks(
  { database, context }: TestServer,
  clientId: string,
): Promise<Pick<DeveloperData, 'endpointId' | 'messageId'>> {
  const add = async (url: string) => {
    // Adding looks up the host, which no DNS has.
    const settings = { clientId, url: 'https://93.184.215.14/', description: 'Production' }
    const outcome = await addEndpoint(context, systemOrigin, settings)
    if (outcome.kind !== 'added') throw new Error(JSON.stringify(outcome))
    await query(database, 'UPDATE webhook_endpoints SET url = $1 WHERE id = $2', [url, outcome.endpoint.id])
    const test = await sendTestEvent(context, systemOrigin, { clientId, id: outcome.endpoint.id })
    if (test.kind !== 'sent') throw new Error(test.kind)
    return { endpointId: outcome.endpoint.id, messageId: test.messageId }
  }
  const delivered = await add('https://hooks.ledgerline.example/latchkey')
  await query(
    database,
    `UPDATE webhook_messages SET attempts = 1, next_attempt_at = NULL, outcome = 'delivered', finished_at = now() WHERE id = $1`,
    [delivered.messageId],
  )
  await query(
    database,
    `INSERT INTO webhook_attempts (message_id, number, duration_ms, status, response) VALUES ($1, 1, 84, 204, '')`,
    [delivered.messageId],
  )
  const failing = await add('https://staging.ledgerline.example/hooks/latchkey')
  await query(
    database,
    `UPDATE webhook_messages SET attempts = 2, next_attempt_at = now() + interval '5 minutes' WHERE id = $1`,
    [failing.messageId],
  )
  await query(
    database,
    `INSERT INTO webhook_attempts (message_id, number, duration_ms, status, fault, response)
     VALUES ($1, 1, 15012, NULL, 'The receiver did not answer within 15 seconds.', NULL),
            ($1, 2, 131, 500, 'The receiver answered 500. An event is delivered when the receiver answers with a status from 200 to 299.', '<h1>Internal server error</h1>')`,
    [failing.messageId],
  )
  await query(
    database,
    `UPDATE webhook_endpoints SET failing_since = now() - interval '3 hours' WHERE id = $1`,
    [failing.endpointId],
  )
  return failing
}

/** Every page of an application by name, with its address below `/developers/apps/:client_id`. */
export function developerPages(data: DeveloperData): Record<string, string> {
  const { grantId, requestId, endpointId, messageId, colleagueId } = data
  return {
    overview: '',
    'overview 7d': '?range=7d',
    'overview 30d': '?range=30d',
    application: '/application',
    'application edit': '/application/edit',
    credentials: '/credentials',
    'secret new': '/credentials/secret',
    'keys replace': '/credentials/keys',
    'api key new': '/api-keys/new',
    requests: '/requests',
    'requests all': '/requests?status=all&period=24h',
    request: `/requests?request_id=${requestId}`,
    'request unknown': '/requests?request_id=never',
    deprecated: '/deprecated',
    grants: '/grants?state=all',
    grant: `/grants/${grantId}`,
    webhooks: '/webhooks',
    'webhook new': '/webhooks/new',
    webhook: `/webhooks/${endpointId}`,
    'webhook edit': `/webhooks/${endpointId}/edit`,
    'webhook secret': `/webhooks/${endpointId}/secret`,
    'webhook remove': `/webhooks/${endpointId}/remove`,
    messages: '/webhooks/messages',
    message: `/webhooks/messages/msg_${messageId}`,
    people: '/people',
    'people invite': '/people/invite',
    person: `/people/${colleagueId}`,
    'going live': '/going-live',
  }
}
