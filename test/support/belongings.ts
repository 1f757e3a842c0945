import { vi } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import type { DeveloperRole } from '../../src/developer-keys/roles.ts'
import { randomSecret, sha256 } from '../../src/secrets/token-format.ts'
import { addEndpoint } from '../../src/webhooks/endpoints.ts'
import { sendTestEvent } from '../../src/webhooks/messages.ts'
import { tokensFor } from './connection.ts'
import { query } from './database.ts'
import { newDeveloperKey } from './developer-api.ts'
import { api } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'
import { Visitor } from './visitor.ts'

/** A partner with one of everything. `mark` is in all of its texts. */
export type Belongings = {
  mark: string
  partner: TestPartner
  accessToken: string
  grantId: string
  subject: string
  requestId: string
  endpointId: string
  webhookSecret: string
  messageId: string
  /** The text of a developer key with the role `admin`, and its id. */
  key: string
  keyId: string
  developerId: string
  /** A developer who may be removed: the other one is the last admin. */
  secondDeveloperId: string
  /** A browser in which an admin of the partner is logged in. */
  browser: Visitor
}

export async function belongings(server: TestServer, mark: string, userId: string): Promise<Belongings> {
  const { database, context } = server
  const partner = await server.partner({
    name: `Partner ${mark}`,
    redirectUri: `https://${mark}.example/callback`,
    description: `About ${mark}`,
  })
  const { clientId } = partner
  const { accessToken } = await tokensFor(server, partner, userId)
  const requestId = `request-of-${mark}`
  for (const path of ['households', 'households/unknown/accounts'])
    await api(server, path, accessToken, { 'x-api-request-id': requestId })
  const [grant] = await query<{ id: string; subject: string }>(
    database,
    'SELECT id, subject FROM grants WHERE client_id = $1',
    [clientId],
  )
  if (!grant) throw new Error('no grant')
  const input = { clientId, url: `https://93.184.216.34/${mark}`, description: `Webhook ${mark}` }
  const added = await addEndpoint(context, systemOrigin, input)
  if (added.kind !== 'added') throw new Error(JSON.stringify(added))
  const { id: endpointId } = added.endpoint
  const test = await sendTestEvent(context, systemOrigin, { clientId, id: endpointId })
  if (test.kind !== 'sent') throw new Error(test.kind)
  await query(
    database,
    `INSERT INTO webhook_attempts (message_id, number, duration_ms, status, response) VALUES ($1, 1, 5, 500, $2)`,
    [test.messageId, `Answer of ${mark}`],
  )
  const key = await newDeveloperKey(server, clientId)
  const [named] = await query<{ id: string }>(
    database,
    'UPDATE developer_keys SET name = $2 WHERE client_id = $1 RETURNING id',
    [clientId, `Key ${mark}`],
  )
  const { id: developerId, browser } = await loggedInDeveloper(server, clientId, 'admin', mark)
  const second = await loggedInDeveloper(server, clientId, 'viewer', mark)
  await recorded(server, requestId)
  return {
    ...{ mark, partner, accessToken, requestId, endpointId, key, developerId, browser },
    secondDeveloperId: second.id,
    grantId: grant.id,
    subject: grant.subject,
    webhookSecret: added.secret ?? '',
    messageId: test.messageId,
    keyId: named?.id ?? '',
  }
}

/** Writes the request log until it has a call with this id. */
async function recorded({ context, database }: TestServer, requestId: string): Promise<void> {
  await vi.waitFor(async () => {
    await context.requestLog?.write()
    const rows = await query(database, 'SELECT FROM request_log WHERE request_id = $1', [requestId])
    if (rows.length < 2) throw new Error(`${requestId} is not recorded`)
  })
}

/** A developer with a session, stored directly: a login takes a second of password hashing. */
async function loggedInDeveloper(
  { database, authUrl }: TestServer,
  clientId: string,
  role: DeveloperRole,
  mark: string,
): Promise<{ id: string; browser: Visitor }> {
  const email = `${role}@${mark}.example`
  const [developer] = await query<{ id: string; login_version: string }>(
    database,
    `INSERT INTO developers (email, email_folded, name) VALUES ($1, $1, $2) RETURNING id, login_version`,
    [email, `Developer ${mark}`],
  )
  if (!developer) throw new Error('no developer')
  await query(
    database,
    'INSERT INTO developer_memberships (developer_id, client_id, role) VALUES ($1, $2, $3)',
    [developer.id, clientId, role],
  )
  const session = randomSecret()
  await query(
    database,
    `INSERT INTO developer_sessions (hash, developer_id, login_version, expires_at) VALUES ($1, $2, $3, now() + interval '1 hour')`,
    [sha256(session), developer.id, developer.login_version],
  )
  const browser = new Visitor()
  await browser.jar.setCookie(`latchkey-developer-session=${session}; Path=/; HttpOnly`, authUrl)
  return { id: developer.id, browser }
}

const ofPartner = [
  ['partners', 'client_id = $1'],
  ['grants', 'client_id = $1'],
  ['connections', 'client_id = $1'],
  ['developer_keys', 'client_id = $1'],
  ['developer_memberships', 'client_id = $1'],
  ['developers', 'id IN (SELECT developer_id FROM developer_memberships WHERE client_id = $1)'],
  ['webhook_endpoints', 'client_id = $1'],
  ['webhook_secrets', 'endpoint_id IN (SELECT id FROM webhook_endpoints WHERE client_id = $1)'],
  ['webhook_messages', 'endpoint_id IN (SELECT id FROM webhook_endpoints WHERE client_id = $1)'],
  ['audit_log', 'client_id = $1'],
]

/** What the database has of a partner, except when it was last used, as text. Two equal texts: nothing has changed. */
export async function rowsOf({ database }: TestServer, clientId: string): Promise<string> {
  const tables = ofPartner.map(
    ([table, where]) =>
      `SELECT '${table} ' || (to_jsonb(t) - 'last_used_at' - 'last_seen_at')::text AS row FROM ${table} t WHERE ${where}`,
  )
  const rows = await query<{ row: string }>(database, `${tables.join(' UNION ALL ')} ORDER BY 1`, [clientId])
  return rows.map(({ row }) => row).join('\n')
}
