import { expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { urlOf } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { testSecret } from '../support/server.ts'
import { deliverDue, receiverFixture, verifyDelivery } from '../support/webhooks.ts'

const server = await serverFixture({ webhookAllow: ['127.0.0.1'] })
const env = {
  DATABASE_URL: urlOf(server.database),
  LATCHKEY_SECRET: testSecret,
  LATCHKEY_WEBHOOK_ALLOW: '127.0.0.1',
}
const { json, run, text } = commandLine(env)
const { clientId } = await server.partner()
const receiver = await receiverFixture()
const webhook = (name: string, ...rest: string[]) => json('webhook', name, '--partner', clientId, ...rest)

test('an endpoint is added, tested, changed and removed with commands', async () => {
  const added = await webhook('add', '--url', receiver.url, '--event', 'grant.revoked', 'grant.created')
  expect(added).toMatchObject({
    events: ['grant.created', 'grant.revoked'],
    status: 'active',
    client_id: clientId,
  })
  const { id, secret } = added
  expect(JSON.stringify(await webhook('show', id))).not.toContain(secret)

  const { message_id: messageId } = await webhook('test', id)
  await deliverDue(server)
  const [delivery] = receiver.deliveries
  if (!delivery) throw new Error('nothing was delivered')
  verifyDelivery(secret, delivery)
  expect(await webhook('messages', delivery.id)).toMatchObject({
    id: messageId,
    attempts_made: [{ status: 204 }],
  })
  expect(await webhook('messages', '--state', 'delivered', '--endpoint', id)).toHaveLength(1)
  await webhook('resend', delivery.id)
  await deliverDue(server)
  expect(await webhook('replay', id, '--since', '2026-01-01')).toEqual({ messages: 1 })
  await deliverDue(server)
  expect(receiver.deliveries.map((each) => each.id)).toEqual(Array(3).fill(delivery.id))

  expect((await webhook('rotate-secret', id, '--ed25519')).secrets).toHaveLength(2)
  expect(await webhook('update', id, '--description', 'Nightly')).toMatchObject({ description: 'Nightly' })
  expect(await webhook('disable', id)).toMatchObject({ status: 'disabled', disabled_for: 'operator' })
  expect(await text('webhook', 'show', id, '--partner', clientId)).toContain('disabled (by an operator)')
  const refused = await run('webhook', 'test', id, '--partner', clientId, '--json')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('The endpoint is disabled') })
  expect(await webhook('enable', id)).toMatchObject({ status: 'active' })
  expect(await webhook('remove', id)).toEqual({ id })
  expect(await webhook('list')).toEqual([])
})

test('an address inside, an unknown event and an endpoint of another partner are refused', async () => {
  const add = (...rest: string[]) => run('webhook', 'add', '--partner', clientId, '--json', ...rest)
  expect((await add('--url', 'http://10.0.0.1/')).stderr).toContain('is not public')
  expect((await add('--url', receiver.url, '--event', 'all')).stderr).toContain('There is no event')
  const other = await server.partner()
  const { id } = await webhook('add', '--url', receiver.url)
  for (const name of ['show', 'test', 'enable', 'disable', 'remove', 'rotate-secret']) {
    const { stderr } = await run('webhook', name, id, '--partner', other.clientId, '--json')
    expect(JSON.parse(stderr).error.code).toBe('not_found')
  }
})
