import { afterEach, describe, expect, test } from 'vitest'
import { purgeExpired } from '../../src/maintenance/purge.sql.ts'
import {
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  rotateWebhookSecret,
} from '../../src/webhooks/endpoints.ts'
import { findMessage } from '../../src/webhooks/messages.ts'
import { scheduleSeconds } from '../../src/webhooks/webhook-worker.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import {
  deliverDue,
  developer,
  endpointAt,
  isSignedBy,
  receiverFixture,
  verifyDelivery,
  workerOf,
  writeEvents,
} from '../support/webhooks.ts'

const from = { name: '', address: 'mail@latchkey.example' }
const mail = { host: '127.0.0.1', port: 1, secure: false, isLoopback: true, from }
const server = await serverFixture({ clock: true, webhookAllow: ['127.0.0.0/8'], mail })
const { context, database } = server
const { clientId } = await server.partner()
const receiver = await receiverFixture()

/** The endpoint of a test, the only one of the partner. */
const endpoint = (more = {}) => endpointAt(server, clientId, receiver.url, more)
const ids = () => receiver.deliveries.map(({ id }) => id.replace('msg_', ''))
const message = async (id = '') => {
  const found = await findMessage(database, clientId, id)
  if (!found) throw new Error('no such message')
  return found
}
const answerWith = (status: number, headers: Record<string, string> = {}, body = '') => {
  receiver.answer = (_, response) => void response.writeHead(status, headers).end(body)
}

afterEach(async () => {
  await query(database, 'DELETE FROM webhook_endpoints')
  receiver.deliveries = []
  answerWith(204)
})

describe('a delivery', () => {
  test('is signed as Standard Webhooks defines, and its attempt is kept', async () => {
    const { endpoint: added, secret } = await endpoint()
    const [id] = await writeEvents(server, clientId, [7])
    answerWith(200, {}, 'thanks\0')
    await deliverDue(server)
    const [delivery] = receiver.deliveries
    if (!delivery) throw new Error('nothing was delivered')
    verifyDelivery(secret, delivery)
    expect(delivery.id).toBe(`msg_${id}`)
    expect(delivery.event).toEqual({
      type: 'household.changed',
      timestamp: (await message(id)).created_at.toISOString(),
      data: { grant_id: '7', number: 1 },
    })
    expect(await message(id)).toMatchObject({
      endpoint_id: added.id,
      state: 'delivered',
      attempts: 1,
      attempts_made: [{ number: 1, status: 200, fault: null, response: 'thanks' }],
    })
    expect(server.logs()).not.toContain(secret)
  })

  test('after a rotation carries the signatures of both secrets for a day; then only of the new one', async () => {
    const {
      endpoint: { id },
      secret,
    } = await endpoint()
    const rotated = await rotateWebhookSecret(context, developer, { clientId, id, secretKind: 'ed25519' })
    if (rotated.kind !== 'rotated') throw new Error(rotated.kind)
    const publicKey = rotated.endpoint.secrets[0]?.public_key ?? ''
    await writeEvents(server, clientId, [1])
    await deliverDue(server)
    await server.passTime(24 * 3600)
    await writeEvents(server, clientId, [1])
    await deliverDue(server)
    const [during, after] = receiver.deliveries
    if (!during || !after) throw new Error('nothing was delivered')
    verifyDelivery(secret, during)
    expect(isSignedBy(publicKey, during)).toBe(true)
    expect(isSignedBy(publicKey, after)).toBe(true)
    expect(() => verifyDelivery(secret, after)).toThrow('No matching signature found')
  })

  test('after a leak has the signature of the new secret only', async () => {
    const {
      endpoint: { id },
      secret,
    } = await endpoint()
    const rotated = await rotateWebhookSecret(context, developer, { clientId, id, endOthers: true })
    if (rotated.kind !== 'rotated') throw new Error(rotated.kind)
    await writeEvents(server, clientId, [1])
    await deliverDue(server)
    const [delivery] = receiver.deliveries
    if (!delivery) throw new Error('nothing was delivered')
    verifyDelivery(rotated.secret ?? '', delivery)
    expect(() => verifyDelivery(secret, delivery)).toThrow('No matching signature found')
  })
})

describe('a failed delivery', () => {
  test('is repeated by the schedule with the same id, then given up', async () => {
    const {
      endpoint: { id: endpointId },
    } = await endpoint()
    const [id] = await writeEvents(server, clientId, [1])
    answerWith(500, {}, 'broken')
    for (const pause of [0, ...scheduleSeconds]) {
      await server.passTime(pause - 1)
      await deliverDue(server)
      const before = receiver.deliveries.length
      await server.passTime(pause * 0.1 + 2)
      await deliverDue(server)
      expect(receiver.deliveries.length).toBe(before + 1)
    }
    expect(new Set(ids())).toEqual(new Set([id]))
    expect(new Set(receiver.deliveries.map(({ body }) => body)).size).toBe(1)
    const { state, attempts_made: made } = await message(id)
    expect(state).toBe('given_up')
    expect(made).toHaveLength(8)
    expect(made[0]).toMatchObject({
      status: 500,
      response: 'broken',
      fault: expect.stringContaining('answered 500'),
    })
    expect(await findEndpoint(database, clientId, endpointId)).toMatchObject({ status: 'active', waiting: 0 })
  })

  test('waits longer if the receiver wants that, up to an hour', async () => {
    await endpoint()
    await writeEvents(server, clientId, [1])
    answerWith(429, { 'retry-after': '7200' })
    await deliverDue(server)
    await server.passTime(3590)
    await deliverDue(server)
    expect(receiver.deliveries).toHaveLength(1)
    await server.passTime(400)
    await deliverDue(server)
    expect(receiver.deliveries).toHaveLength(2)
  })

  test('holds back later events of its grant only', async () => {
    await endpoint()
    answerWith(503)
    const [a1, b1, a2, b2, c1] = await writeEvents(server, clientId, [1, 2, 1, 2, null])
    receiver.answer = ({ event }, response) =>
      void response.writeHead(event.data.grant_id === '1' ? 503 : 204).end()
    const worker = workerOf(server)
    worker.start()
    await expect.poll(() => ids().sort()).toEqual([a1, b1, b2, c1].sort())
    await worker.stop()
    expect(ids().indexOf(b1 ?? '')).toBeLessThan(ids().indexOf(b2 ?? ''))
    answerWith(204)
    await server.passTime(60)
    await deliverDue(server)
    expect(ids().slice(4)).toEqual([a1])
    await deliverDue(server)
    expect(ids().slice(5)).toEqual([a2])
  })

  test('for five days disables the endpoint. Its messages wait until it is enabled', async () => {
    const {
      endpoint: { id },
    } = await endpoint()
    await writeEvents(server, clientId, [1])
    answerWith(500)
    await deliverDue(server)
    expect(await findEndpoint(database, clientId, id)).toMatchObject({
      status: 'active',
      failing_since: expect.any(Date),
    })
    await server.passTime(5 * 24 * 3600)
    const [last] = await writeEvents(server, clientId, [2])
    await deliverDue(server)
    expect(await findEndpoint(database, clientId, id)).toMatchObject({
      status: 'disabled',
      disabled_for: 'failing',
    })
    expect(
      await query(
        database,
        `SELECT actor_kind, details->>'cause' AS cause FROM audit_log WHERE event = 'webhook.disabled'`,
      ),
    ).toEqual([{ actor_kind: 'system', cause: 'failing' }])
    await server.passTime(3600)
    receiver.deliveries = []
    await deliverDue(server)
    expect(receiver.deliveries).toEqual([])
    answerWith(204)
    await enableEndpoint(context, developer, { clientId, id })
    await deliverDue(server)
    expect(ids()).toContain(last)
    expect(await findEndpoint(database, clientId, id)).toMatchObject({ failing_since: null, waiting: 0 })
  })

  test('does not disable an endpoint that is enabled again, nor give up its messages, because of what was before', async () => {
    const {
      endpoint: { id },
    } = await endpoint()
    const [tried] = await writeEvents(server, clientId, [1])
    answerWith(500)
    await deliverDue(server)
    await server.passTime(28 * 24 * 3600)
    await query(database, `UPDATE webhook_messages SET failures = $1`, [scheduleSeconds.length])
    await disableEndpoint(context, developer, { clientId, id })
    await enableEndpoint(context, developer, { clientId, id })
    await deliverDue(server)
    expect(await message(tried)).toMatchObject({ state: 'waiting', attempts: 2 })
    await server.passTime(4 * 24 * 3600)
    await deliverDue(server)
    expect(await findEndpoint(database, clientId, id)).toMatchObject({ status: 'active', waiting: 1 })
    expect(await database.one(purgeExpired.webhook_messages, [])).toEqual({ removed: 0 })
  })

  test('that disables the endpoint leaves one mail a day to each developer who may change it and has opened the application', async () => {
    await query(
      database,
      `WITH d AS (INSERT INTO developers (email, email_folded, name)
                  SELECT role || '@partner.example', role || '@partner.example', role FROM unnest(ARRAY['admin', 'developer', 'viewer', 'invited']) AS role
                  RETURNING id, name)
       INSERT INTO developer_memberships (developer_id, client_id, role, last_seen_at)
       SELECT id, $1, replace(name, 'invited', 'admin'), CASE WHEN name <> 'invited' THEN now() END FROM d`,
      [clientId],
    )
    const { port } = new URL(receiver.url)
    const {
      endpoint: { id, url },
    } = await endpointAt(server, clientId, `HTTP:\\\\127.1:${port}\\Your session ended.`)
    expect(url).toBe(`http://127.0.0.1:${port}/Your%20session%20ended.`)
    await writeEvents(server, clientId, [1])
    answerWith(410)
    for (const _ of ['mail', 'no mail']) {
      await deliverDue(server)
      expect(await findEndpoint(database, clientId, id)).toMatchObject({ status: 'disabled' })
      await enableEndpoint(context, developer, { clientId, id })
      await server.passTime(60)
    }
    const mails = await query(
      database,
      `SELECT payload->>'to' AS address, payload->'facts' AS facts FROM outbox ORDER BY 1`,
    )
    const facts = {
      partner: 'Test Partner',
      client_id: clientId,
      host: '127.0.0.1',
      cause: 'gone',
    }
    expect(mails).toEqual(
      ['admin', 'developer'].map((role) => ({ address: `${role}@partner.example`, facts })),
    )
    await server.sendMails()
    expect(server.logs()).not.toContain('malformed')
  })

  test('with 410 disables the endpoint at once', async () => {
    const {
      endpoint: { id },
    } = await endpoint()
    await writeEvents(server, clientId, [1])
    answerWith(410)
    await deliverDue(server)
    expect(await findEndpoint(database, clientId, id)).toMatchObject({
      status: 'disabled',
      disabled_for: 'gone',
      waiting: 1,
    })
  })
})
