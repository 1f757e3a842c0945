import { afterEach, describe, expect, test } from 'vitest'
import { originValue } from '../../src/audit/origin.ts'
import { createDeveloperKey } from '../../src/developer-keys/developer-keys.ts'
import { purgeExpired } from '../../src/maintenance/purge.sql.ts'
import { addressFaults } from '../../src/webhooks/address-guard.ts'
import {
  addEndpoint,
  removeEndpoint,
  rotateWebhookSecret,
  updateEndpoint,
} from '../../src/webhooks/endpoints.ts'
import {
  findMessage,
  listMessages,
  replayMessages,
  resendMessage,
  sendTestEvent,
} from '../../src/webhooks/messages.ts'
import { recordFailure, takeDueMessages } from '../../src/webhooks/queue.sql.ts'
import { latestRecord } from '../support/console.ts'
import { query } from '../support/database.ts'
import { developerOfApp } from '../support/developers.ts'
import { serverFixture } from '../support/fixtures.ts'
import {
  deliverDue,
  developer,
  endpointAt,
  receiverFixture,
  verifyDelivery,
  writeEvents,
} from '../support/webhooks.ts'

const server = await serverFixture({ clock: true, webhookAllow: ['127.0.0.0/8'] })
const { context, database } = server
const { clientId } = await server.partner()
const receiver = await receiverFixture()

afterEach(async () => {
  await query(database, 'DELETE FROM webhook_endpoints')
  receiver.deliveries = []
  receiver.answer = (_, response) => void response.writeHead(204).end()
})

describe('59: a signing secret that cannot be read', () => {
  const spoil = () => query(database, `UPDATE webhook_secrets SET sealed = 'lost.' || sealed`)

  test('makes the attempt fail, and the partner learns why', async () => {
    await endpointAt(server, clientId, receiver.url)
    const [id = ''] = await writeEvents(server, clientId, [1])
    await spoil()
    await deliverDue(server)
    expect(receiver.deliveries).toEqual([])
    expect(await findMessage(database, clientId, id)).toMatchObject({
      attempts_made: [{ number: 1, status: null, fault: 'The signing secret cannot be read. Rotate it.' }],
    })
  })

  test('does not sign after a rotation, and the new one does', async () => {
    const { endpoint } = await endpointAt(server, clientId, receiver.url)
    await spoil()
    const rotated = await rotateWebhookSecret(context, developer, { clientId, id: endpoint.id })
    if (rotated.kind !== 'rotated') throw new Error(rotated.kind)
    await writeEvents(server, clientId, [1])
    await deliverDue(server)
    const [delivery] = receiver.deliveries
    if (!delivery) throw new Error('nothing was delivered')
    verifyDelivery(rotated.secret ?? '', delivery)
  })
})

describe('59: a replay', () => {
  const since = new Date(0)
  const written = (endpointId: string, messages: number) =>
    query(
      database,
      `INSERT INTO webhook_messages (endpoint_id, type, data, next_attempt_at, outcome, finished_at)
       SELECT $1, 'webhook.test', '{}', NULL, 'delivered', now() FROM generate_series(1, $2::int)`,
      [endpointId, messages],
    )

  test('of very many messages is made in short steps, and several do not wait for each other', async () => {
    const {
      endpoint: { id },
    } = await endpointAt(server, clientId, receiver.url)
    await written(id, 2500)
    const replay = () => replayMessages(context, developer, { clientId, id, since })
    const outcomes = await Promise.all([replay(), replay()])
    const replayed = outcomes.reduce(
      (sum, each) => sum + (each.kind === 'replayed' ? each.messages : Number.NaN),
      0,
    )
    expect(replayed).toBe(2500)
    const recorded = `SELECT sum((details->>'messages')::int)::int AS messages FROM audit_log WHERE event = 'webhook.replayed'`
    expect(await query(database, recorded)).toEqual([{ messages: 2500 }])
  })

  test('does not wait for a message that another transaction has locked', async () => {
    const {
      endpoint: { id },
    } = await endpointAt(server, clientId, receiver.url)
    await written(id, 2)
    await database.withConnection(async (client) => {
      await client.query('BEGIN; SELECT FROM webhook_messages LIMIT 1 FOR UPDATE')
      expect(await replayMessages(context, developer, { clientId, id, since })).toMatchObject({ messages: 1 })
    })
  })
})

test('59: the record of an attempt locks the endpoint before the message, like its removal: no deadlock', async () => {
  const { endpoint } = await endpointAt(server, clientId, receiver.url)
  const [id = ''] = await writeEvents(server, clientId, [1])
  await database.run(takeDueMessages, [[], [], 10, 'server'])
  await database.withConnection(async (client) => {
    await client.query('BEGIN')
    await client.query('SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [endpoint.id])
    const values = [id, 1, 5, 500, 'fault', null, 5, false, originValue(developer), false]
    const record = database.maybe(recordFailure, values)
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    await expect.poll(() => query(database, waiting)).toHaveLength(1)
    await client.query('DELETE FROM webhook_endpoints WHERE id = $1', [endpoint.id])
    await client.query('COMMIT')
    expect(await record).toBeUndefined()
  })
})

test('60: the list of messages does not begin behind a message of another partner', async () => {
  const { clientId: other } = await server.partner()
  await endpointAt(server, clientId, receiver.url)
  await endpointAt(server, other, receiver.url)
  await writeEvents(server, clientId, [1])
  const [foreign = ''] = await writeEvents(server, other, [1])
  expect(await listMessages(database, clientId, {}, { after: foreign, limit: 10 })).toEqual([])
})

test('59: an old message that is sent again is not deleted before it is delivered', async () => {
  await endpointAt(server, clientId, receiver.url)
  const [id = ''] = await writeEvents(server, clientId, [1])
  await deliverDue(server)
  await server.passTime(29 * 24 * 3600)
  await query(database, 'UPDATE webhook_messages SET finished_at = now()')
  await server.passTime(2 * 24 * 3600)
  await resendMessage(context, developer, { clientId, id })
  expect(await database.one(purgeExpired.webhook_messages, [])).toEqual({ removed: 0 })
  await server.passTime(31 * 24 * 3600)
  expect(await database.one(purgeExpired.webhook_messages, [])).toEqual({ removed: 1 })
})

test('59: of a message that is sent again and again, the newest 100 attempts are kept', async () => {
  await endpointAt(server, clientId, receiver.url)
  const [id = ''] = await writeEvents(server, clientId, [1])
  await query(
    database,
    `WITH m AS (UPDATE webhook_messages SET attempts = 150 RETURNING id)
     INSERT INTO webhook_attempts (message_id, number, duration_ms) SELECT id, generate_series(1, 150), 5 FROM m`,
  )
  const numbers = async () => (await findMessage(database, clientId, id))?.attempts_made.map((a) => a.number)
  expect(await numbers()).toEqual(Array.from({ length: 100 }, (_, n) => n + 51))
  await deliverDue(server)
  expect(await numbers()).toEqual(Array.from({ length: 100 }, (_, n) => n + 52))
  expect(await query(database, 'SELECT FROM webhook_attempts')).toHaveLength(100)
})

test('59: a partner has at most ten endpoints', async () => {
  const add = () => addEndpoint(context, developer, { clientId, url: 'http://127.0.0.1:9/' })
  for (let count = 0; count < 10; count++) expect((await add()).kind).toBe('added')
  expect(await add()).toMatchObject({ kind: 'refused' })
})

test('59, 60: requests at the same time do not exceed the limits of endpoints and keys', async () => {
  const { clientId: eager } = await server.partner()
  await query(
    database,
    `INSERT INTO webhook_endpoints (client_id, url, events) SELECT $1, 'https://a.example/', '{webhook.test}' FROM generate_series(1, 9)`,
    [eager],
  )
  const insertKeys = `INSERT INTO developer_keys (id, client_id, name, role, hash, created_by)
    SELECT 'eager ' || n, $1, 'Many', 'viewer', sha256(('eager ' || n)::bytea), '{}' FROM generate_series($2::int, $3::int) n`
  await query(database, insertKeys, [eager, 1, 99])
  await database.withConnection(async (client) => {
    // What another request does, which has not committed yet.
    await client.query('BEGIN')
    await client.query('SELECT FROM partners WHERE client_id = $1 FOR NO KEY UPDATE', [eager])
    await client.query(
      `INSERT INTO webhook_endpoints (client_id, url, events) VALUES ($1, 'https://a.example/', '{webhook.test}')`,
      [eager],
    )
    await client.query(insertKeys, [eager, 100, 100])
    const key = { clientId: eager, name: 'Key', role: 'viewer' }
    const later = Promise.all([
      addEndpoint(context, developer, { clientId: eager, url: receiver.url }),
      createDeveloperKey(database, developer, 'sandbox', key),
    ])
    await new Promise((resolve) => setTimeout(resolve, 200))
    await client.query('COMMIT')
    expect(await later).toMatchObject([{ kind: 'refused' }, { kind: 'refused' }])
  })
})

test('59: all endpoints of a partner together have eight attempts at a time', async () => {
  const { clientId: other } = await server.partner()
  const owners = new Map<string, string>()
  for (const owner of [clientId, clientId, clientId, other])
    owners.set((await endpointAt(server, owner, receiver.url)).endpoint.id, owner)
  for (const owner of [clientId, other]) await writeEvents(server, owner, [1, 2, 3, 4, 5])
  const taken = await database.run(takeDueMessages, [[], [], 256, 'server'])
  const of = (owner: string) => taken.filter((each) => owners.get(each.endpoint_id) === owner)
  expect([of(clientId).length, of(other).length]).toEqual([8, 4])
  const busy = [...new Set(of(clientId).map((each) => each.endpoint_id))]
  const attempts = busy.map((id) => String(of(clientId).filter((each) => each.endpoint_id === id).length))
  const next = await database.run(takeDueMessages, [busy, attempts, 256, 'server'])
  expect(next.map((each) => owners.get(each.endpoint_id))).toEqual([other])
})

test('92: secrets in the address of a receiver are not in the audit log, which is exported and kept for years', async () => {
  const { endpoint } = await endpointAt(
    server,
    clientId,
    'http://127.0.0.1:9/T0/canary-path?key=canary-query',
  )
  const { id } = endpoint
  await updateEndpoint(context, developer, { clientId, id, url: 'http://127.0.0.1:9/canary-new' })
  expect(await latestRecord(server, 'webhook.updated')).toMatchObject({
    details: { url_changed: true },
  })
  await removeEndpoint(context, developer, { clientId, id })
  const log = JSON.stringify(await query(database, 'SELECT details FROM audit_log'))
  expect(log).toContain('"url":"http://127.0.0.1:9/…"')
  expect(log).not.toContain('canary')
})

test('92: endpoints that are added and fail again and again send no mails without end', async () => {
  const { clientId: noisy } = await server.partner()
  await developerOfApp(server, noisy)
  for (let round = 0; round < 12; round++) {
    const { endpoint } = await endpointAt(server, noisy, receiver.url)
    const [id = ''] = await writeEvents(server, noisy, [1])
    await database.run(takeDueMessages, [[], [], 10, 'server'])
    const gone = [id, 1, 5, 410, 'fault', null, 5, true, originValue(developer), true]
    expect(await database.maybe(recordFailure, gone)).toMatchObject({ is_disabled: true })
    await removeEndpoint(context, developer, { clientId: noisy, id: endpoint.id })
  }
  const mails = `SELECT FROM outbox WHERE payload->>'mail' = 'webhook_disabled'`
  expect(await query(database, mails)).toHaveLength(10)
})

test('92: a private host name gets the same error as an unknown one, so no partner finds names of the network', async () => {
  const fault = (resolve: () => Promise<string[]>) =>
    addressFaults('https://vault.corp.example/', { environment: 'production', webhookAllow: [] }, resolve)
  const [inside = ''] = await fault(async () => ['10.20.30.40'])
  expect(inside).not.toContain('10.20')
  expect(await fault(() => Promise.reject(new Error('no such name')))).toEqual([inside])
  expect(await fault(async () => [])).toEqual([inside])
  expect(await fault(async () => ['93.184.215.14', '10.20.30.40'])).toEqual([inside])
})

test('93: at most 100 test events of an endpoint wait', async () => {
  const { endpoint } = await endpointAt(server, clientId, 'http://127.0.0.1:1/')
  const name = { clientId, id: endpoint.id }
  await query(
    database,
    `INSERT INTO webhook_messages (endpoint_id, type, data) SELECT $1, 'webhook.test', '{}' FROM generate_series(1, 99)`,
    [endpoint.id],
  )
  expect(await sendTestEvent(context, developer, name)).toMatchObject({ kind: 'sent' })
  expect(await sendTestEvent(context, developer, name)).toEqual({
    kind: 'refused',
    fault: expect.stringContaining('wait already'),
  })
})
