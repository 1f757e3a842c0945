import { afterEach, describe, expect, test } from 'vitest'
import { leaseSeconds } from '../../src/webhooks/endpoints.sql.ts'
import { disableEndpoint, enableEndpoint } from '../../src/webhooks/endpoints.ts'
import { findMessage, replayMessages, resendMessage } from '../../src/webhooks/messages.ts'
import { takeDueMessages } from '../../src/webhooks/queue.sql.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import {
  deliverDue,
  developer,
  endpointAt,
  operator,
  receiverFixture,
  workerOf,
  writeEvents,
} from '../support/webhooks.ts'

const server = await serverFixture({ clock: true, webhookAllow: ['127.0.0.0/8'] })
const { context, database } = server
const { clientId } = await server.partner()
const receiver = await receiverFixture()

/** The endpoint of a test, the only one of the partner. */
const endpoint = () => endpointAt(server, clientId, receiver.url)
const ids = () => receiver.deliveries.map(({ id }) => id.replace('msg_', ''))
const message = async (id = '') => {
  const found = await findMessage(database, clientId, id)
  if (!found) throw new Error('no such message')
  return found
}

afterEach(async () => {
  await query(database, 'DELETE FROM webhook_endpoints')
  receiver.deliveries = []
})

describe('messages', () => {
  test('are sent again one by one, or all since an instant, with the same ids and in order', async () => {
    const {
      endpoint: { id },
    } = await endpoint()
    const [old = ''] = await writeEvents(server, clientId, [1])
    await deliverDue(server)
    await server.passTime(3600)
    const since = new Date((await message(old)).created_at.getTime() + 1000)
    const written = await writeEvents(server, clientId, [1, 1, 1])
    const worker = workerOf(server)
    worker.start()
    await expect.poll(() => ids()).toEqual([old, ...written])
    expect(await resendMessage(context, developer, { clientId, id: `msg_${old}` })).toMatchObject({
      kind: 'resent',
    })
    await expect.poll(() => ids().slice(4)).toEqual([old])
    expect(await replayMessages(context, developer, { clientId, id, since })).toEqual({
      kind: 'replayed',
      messages: 3,
    })
    await expect.poll(() => ids().slice(5)).toEqual(written)
    await worker.stop()
    expect((await message(written[0])).attempts_made).toHaveLength(2)
  })

  test('of a disabled endpoint and of a suspended partner wait', async () => {
    const {
      endpoint: { id },
    } = await endpoint()
    await disableEndpoint(context, operator, { clientId, id })
    await writeEvents(server, clientId, [1])
    await deliverDue(server)
    expect(await enableEndpoint(context, developer, { clientId, id })).toMatchObject({ kind: 'refused' })
    await enableEndpoint(context, operator, { clientId, id })
    await query(database, `UPDATE partners SET status = 'suspended'`)
    await deliverDue(server)
    expect(receiver.deliveries).toEqual([])
    await query(database, `UPDATE partners SET status = 'active'`)
    await deliverDue(server)
    expect(receiver.deliveries).toHaveLength(1)
  })

  test('are leased: another server takes them when the lease has ended', async () => {
    await endpoint()
    await writeEvents(server, clientId, [1])
    const take = () => database.run(takeDueMessages, [[], [], 10, 'server'])
    expect(await take()).toHaveLength(1)
    await server.passTime(leaseSeconds - 1)
    expect(await take()).toHaveLength(0)
    await server.passTime(1)
    expect(await take()).toMatchObject([{ attempts: 2, failures: 0 }])
  })
  test('of a killed server are sent again when it is back, those of a stopped server by the next one', async () => {
    await endpoint()
    const [killed, stopped, running] = await writeEvents(server, clientId, [1, 2, 3])
    for (const name of ['killed', 'stopped', 'running'])
      await database.run(takeDueMessages, [[], [], 1, name])
    await deliverDue(server)
    expect(ids()).toEqual([])
    const back = workerOf(server, undefined, 'killed')
    back.start()
    await expect.poll(ids).toEqual([killed])
    await back.stop()
    await workerOf(server, undefined, 'stopped').stop()
    await deliverDue(server)
    expect(ids()).toEqual([killed, stopped])
    await server.passTime(leaseSeconds)
    await deliverDue(server)
    expect(ids()).toEqual([killed, stopped, running])
  })
})
