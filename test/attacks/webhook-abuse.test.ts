import { afterEach, describe, expect, test } from 'vitest'
import { rotateWebhookSecret } from '../../src/webhooks/endpoints.ts'
import { findMessage } from '../../src/webhooks/messages.ts'
import { query } from '../support/database.ts'
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
