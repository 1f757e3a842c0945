import { afterEach, describe, expect, test } from 'vitest'
import { leaseSeconds } from '../../src/webhooks/endpoints.sql.ts'
import { disableEndpoint, enableEndpoint } from '../../src/webhooks/endpoints.ts'
import { findMessage, replayMessages, resendMessage, sendTestEvent } from '../../src/webhooks/messages.ts'
import { takeDueMessages } from '../../src/webhooks/queue.sql.ts'
import { adminCaller, newKey } from '../support/admin.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { compiledReceiver, runReceiver } from '../support/guide-receiver.ts'
import { newOperator } from '../support/operators.ts'
import {
  deliverDue,
  developer,
  endpointAt,
  operator,
  receiverFixture,
  verifyDelivery,
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

describe('a test event', () => {
  test('is signed and delivered like every other event', async () => {
    const {
      endpoint: { id },
      secret,
    } = await endpointAt(server, clientId, receiver.url, { events: ['grant.revoked'] })
    const sent = await sendTestEvent(context, developer, { clientId, id })
    await deliverDue(server)
    const [delivery] = receiver.deliveries
    if (sent.kind !== 'sent' || !delivery) throw new Error('nothing was delivered')
    verifyDelivery(secret, delivery)
    expect(delivery.event.type).toBe('webhook.test')
  })

  test('is accepted by the receiver of the guide, with a shared secret and a key pair; a wrong secret is named', async () => {
    const program = compiledReceiver()
    for (const [secretKind, wrong] of [
      ['hmac'],
      ['ed25519'],
      ['hmac', `whsec_${'A'.repeat(43)}=`],
    ] as const) {
      let id = ''
      const guide = await runReceiver(program, async (url) => {
        const added = await endpointAt(server, clientId, url, { secretKind })
        id = added.endpoint.id
        return wrong ?? (added.secret || (added.endpoint.secrets[0]?.public_key ?? ''))
      })
      const sent = await sendTestEvent(context, developer, { clientId, id })
      await deliverDue(server)
      const { state, attempts_made: attempts } = await message(sent.kind === 'sent' ? sent.messageId : '')
      await guide.stop()
      expect(state).toBe(wrong ? 'waiting' : 'delivered')
      if (wrong) expect(attempts[0]?.response).toContain('The signature is wrong')
      else expect(guide.output()).toContain('webhook.test')
    }
  })
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
    await disableEndpoint(context, developer, { clientId, id })
    await disableEndpoint(context, operator, { clientId, id }) // after the developer: it stays the operator's decision
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
    await workerOf(server, undefined, 'stopped').stop() // never started: the leases belong to another process
    await deliverDue(server)
    expect(ids()).toEqual([killed])
    const next = workerOf(server, undefined, 'stopped')
    next.start()
    await next.stop()
    await deliverDue(server)
    expect(ids()).toEqual([killed, stopped])
    await server.passTime(leaseSeconds)
    await deliverDue(server)
    expect(ids()).toEqual([killed, stopped, running])
    // As servers before migration 0043 leave it.
    await query(database, `UPDATE webhook_messages SET taken_by = 'killed'`)
    const mixed = workerOf(server, undefined, 'killed')
    mixed.start()
    const [last] = await writeEvents(server, clientId, [1])
    await expect.poll(ids).toEqual([killed, stopped, running, last])
    await mixed.stop()
  })
})

describe('operators', () => {
  const since = '2026-01-01T00:00:00Z'
  /** What can be done to one endpoint or message, with a body. */
  const calls = (id: string, message: string): [method: string, path: string, body?: object][] => [
    ['GET', `/webhooks/${id}`],
    ['PATCH', `/webhooks/${id}`, { description: 'Of the operator' }],
    ['POST', `/webhooks/${id}/secrets`, { secret_kind: 'ed25519' }],
    ['POST', `/webhooks/${id}/disable`],
    ['POST', `/webhooks/${id}/enable`],
    ['POST', `/webhooks/${id}/test`],
    ['POST', `/webhooks/${id}/replay`, { since }],
    ['GET', `/webhook-messages/${message}`],
    ['POST', `/webhook-messages/${message}/resend`],
    ['DELETE', `/webhooks/${id}`],
  ]

  test('manage webhooks by the admin API; the id of another partner’s endpoint or message gives 404', async () => {
    const call = adminCaller(server, await newKey(server, ['partners:write']))
    const address = `${server.authUrl}/admin/v1/partners/${clientId}`
    const add = () =>
      call(
        'POST',
        `/partners/${clientId}/webhooks`,
        { url: receiver.url },
        { 'idempotency-key': 'k'.repeat(16) },
      )
    const [added, again] = [await add(), await add()]
    const { secret, ...endpoint } = added.body
    expect([added.status, added.headers.get('location'), secret]).toEqual([
      ...[201, `${address}/webhooks/${endpoint.id}`],
      expect.stringMatching(/^whsec_/),
    ])
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', endpoint])
    expect((await call('GET', `/partners/${clientId}/webhooks`)).body).toEqual({ data: [endpoint] })

    await writeEvents(server, clientId, [1, 2])
    await deliverDue(server)
    const page = await call('GET', `/partners/${clientId}/webhook-messages?state=delivered&limit=1`)
    const next = `${address}/webhook-messages?state=delivered&limit=1&cursor=${page.body.next_cursor}`
    expect(page.headers.get('link')).toBe(`<${next}>; rel="next"`)
    const rest = await call('GET', next.slice(`${server.authUrl}/admin/v1`.length))
    expect([page.body.data, rest.body.data].flat().map(({ id }) => id)).toEqual(
      receiver.deliveries.map(({ id }) => id).reverse(),
    )

    const { clientId: other } = await server.partner()
    const [message] = receiver.deliveries
    for (const [method, path, body] of calls(endpoint.id, message?.id ?? '')) {
      const foreign = await call(method, `/partners/${other}${path}`, body)
      expect([path, foreign.status, foreign.body.detail]).toEqual([
        ...[path, 404],
        expect.stringMatching(/^The partner has no webhook (endpoint|message) with this id\.$/),
      ])
      const { status } = await call(method, `/partners/${clientId}${path}`, body)
      expect([path, status]).toEqual([
        path,
        path.endsWith('/secrets') ? 201 : method === 'DELETE' ? 204 : 200,
      ])
    }
    expect((await call('GET', `/partners/${clientId}/webhooks`)).body).toEqual({ data: [] })
  })

  test('get 404 for an unknown partner', async () => {
    const call = adminCaller(server, await newKey(server, ['partners:write']))
    for (const [method, path, body] of [
      ['GET', '/webhooks'],
      ['POST', '/webhooks', { url: receiver.url }],
      ['GET', '/webhook-messages'],
    ] as const) {
      const { status, body: answer } = await call(method, `/partners/unknown${path}`, body)
      expect([path, status, answer.detail]).toEqual([path, 404, 'There is no partner with this client id.'])
    }
  })

  test('see on the page of the partner why a webhook gets nothing', async () => {
    const { browser } = await newOperator(server, { role: 'read_only' })
    const rows = async () => {
      const { text } = await browser.get(`${server.authUrl}/admin/partners/${clientId}`)
      const section = /<section[^>]*aria-labelledby="webhooks">.*?<\/section>/s.exec(text)?.[0] ?? ''
      return section.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
    }
    expect(await rows()).toContain('The partner has no webhook.')
    const {
      endpoint: { id },
    } = await endpoint()
    await writeEvents(server, clientId, [1])
    await deliverDue(server)
    receiver.answer = (_, response) => void response.writeHead(500).end()
    await writeEvents(server, clientId, [2])
    await deliverDue(server)
    receiver.answer = (_, response) => void response.writeHead(204).end()
    expect(await rows()).toMatch(/ failing since \S.+ The receiver answered 500\..+ 1 $/)
    await disableEndpoint(context, developer, { clientId, id })
    expect(await rows()).toContain('disabled by a developer')
  })
})
