import { createPublicKey, randomUUID, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { afterAll } from 'vitest'
import type { Origin } from '../../src/audit/origin.ts'
import type { AttemptOutcome } from '../../src/webhooks/deliver.ts'
import type { Endpoint } from '../../src/webhooks/endpoints.sql.ts'
import { addEndpoint } from '../../src/webhooks/endpoints.ts'
import type { SecretKind } from '../../src/webhooks/signing.ts'
import { WebhookWorker } from '../../src/webhooks/webhook-worker.ts'
import { query } from './database.ts'
import type { TestServer } from './server.ts'

export const operator: Origin = { actor: { kind: 'os_user', id: 'ada' }, via: 'cli' }
export const developer: Origin = { actor: { kind: 'developer', id: 'dev' }, via: 'developer_pages' }

/** A delivery as a receiver gets it. */
export type Delivery = {
  id: string
  at: number
  headers: Record<string, string>
  body: string
  event: { type: string; timestamp: string; data: Record<string, unknown> }
}

export type Receiver = {
  url: string
  deliveries: Delivery[]
  /** Answers from now on. */
  answer: (delivery: Delivery, response: ServerResponse, request: IncomingMessage) => void
  server: Server
}

/** A receiver on this machine that answers 204, until a test changes `answer`. Closed after the tests of the file. */
export async function receiverFixture(answer?: Receiver['answer']): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const delivery = {
      id: headers['webhook-id'] ?? '',
      at: Date.now(),
      headers,
      body,
      event: JSON.parse(body),
    }
    receiver.deliveries.push(delivery)
    receiver.answer(delivery, response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${portOf(server)}/hook`,
    deliveries: [],
    answer: answer ?? ((_, response) => response.writeHead(204).end()),
    server,
  }
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}

export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return address.port
}

/** Adds an endpoint for `url`. @returns it with its secret; empty for ed25519 */
export async function endpointAt(
  { context }: TestServer,
  clientId: string,
  url: string,
  more: { events?: string[]; secretKind?: SecretKind } = {},
): Promise<{ endpoint: Endpoint; secret: string }> {
  const added = await addEndpoint(context, operator, { clientId, url, ...more })
  if (added.kind !== 'added') throw new Error(JSON.stringify(added))
  return { endpoint: added.endpoint, secret: added.secret ?? '' }
}

/** Writes events of a partner, as the triggers do. @returns the ids of the messages in their order */
export async function writeEvents(
  { database }: Pick<TestServer, 'database'>,
  clientId: string,
  grants: (number | null)[],
  type = 'household.changed',
): Promise<string[]> {
  await query(
    database,
    `SELECT write_event($1, $2, grant_id, jsonb_build_object('grant_id', grant_id::text, 'number', number))
       FROM unnest($3::bigint[]) WITH ORDINALITY AS g (grant_id, number)`,
    [clientId, type, grants],
  )
  const rows = await query<{ id: string }>(
    database,
    'SELECT id FROM webhook_messages ORDER BY place DESC LIMIT $1',
    [grants.length],
  )
  return rows.map(({ id }) => id).reverse()
}

/** A worker for the webhooks of a test server. Test servers have none. */
export function workerOf(
  { context }: TestServer,
  count?: (outcome: AttemptOutcome) => void,
  server: string = randomUUID(),
): WebhookWorker {
  const { database, keys, config, metrics } = context
  const logger = pino({ level: 'silent' })
  return new WebhookWorker({
    server,
    database,
    keys,
    logger,
    settings: config,
    sendsMails: config.mail !== undefined,
    observeDelay: (seconds) => metrics.observeWebhookDelay(seconds),
    ...(count && { count }),
  })
}

/** One look: delivers what is due now, and ends when these attempts have ended. */
export async function deliverDue(server: TestServer): Promise<void> {
  const worker = workerOf(server)
  await worker.wake()
  await worker.stop()
}

/** Checks the HMAC with the reference library. Throws if it is wrong. */
export function verifyDelivery(secret: string, { body, headers }: Delivery): void {
  new Webhook(secret).verify(body, headers)
}

/** Whether one of the `v1a` signatures is made with the key of `whpk_…`. */
export function isSignedBy(publicKey: string, { id, body, headers }: Delivery): boolean {
  const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const content = Buffer.from(`${id}.${headers['webhook-timestamp']}.${body}`)
  const marks = headers['webhook-signature']?.split(' ').filter((mark) => mark.startsWith('v1a,')) ?? []
  return marks.some((mark) => verify(null, content, key, Buffer.from(mark.slice(4), 'base64')))
}
