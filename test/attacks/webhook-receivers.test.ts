import { createServer as createTcpServer, type Socket } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { checkHost } from '../../src/webhooks/address-guard.ts'
import { attemptDelivery } from '../../src/webhooks/deliver.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import {
  deliverDue,
  endpointAt,
  portOf,
  receiverFixture,
  workerOf,
  writeEvents,
} from '../support/webhooks.ts'

// Receivers of webhooks that attack the server or the other receivers. Their addresses are allowed when they are registered.

const server = await serverFixture({ webhookAllow: ['127.0.0.1'] })
const { context, database } = server
const { clientId } = await server.partner()
const stop = new AbortController().signal
const settings = context.config
const message = { headers: {}, body: '{}' }

afterEach(() => query(database, 'DELETE FROM webhook_endpoints'))

/** A TCP server that does what `serve` does with each connection. */
async function hostile(serve: (socket: Socket) => void): Promise<string> {
  const open = new Set<Socket>()
  const tcp = createTcpServer((socket) => {
    open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)))
    serve(socket)
  })
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    for (const socket of open) socket.destroy()
    tcp.close()
  })
  return `http://127.0.0.1:${portOf(tcp)}/`
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: '
/** Writes until the connection is closed. */
const without = (end: string) => (socket: Socket) => {
  const write = () => {
    while (!socket.destroyed && socket.write(end.repeat(100)));
  }
  socket.on('drain', write)
  write()
}

describe('59: at delivery', () => {
  test('the address is checked again', async () => {
    await endpointAt(server, clientId, 'http://127.0.0.1:1/')
    await query(database, `UPDATE webhook_endpoints SET url = 'http://127.0.0.2:1/'`)
    await writeEvents(server, clientId, [1])
    await deliverDue(server)
    expect(await query(database, 'SELECT fault, status FROM webhook_attempts')).toEqual([
      { fault: expect.stringContaining('The address 127.0.0.2 is not public'), status: null },
    ])
  })

  test('the connection goes to the checked address, although the name leads elsewhere now', async () => {
    const receiver = await receiverFixture()
    const { port } = new URL(receiver.url)
    let resolutions = 0
    const resolution = await checkHost(new URL(`http://rebind.example:${port}/`), settings, async () => {
      resolutions++
      return ['127.0.0.1']
    })
    expect(resolution).toEqual({ kind: 'allowed', addresses: [{ address: '127.0.0.1', family: 4 }] })
    expect(resolutions).toBe(1)
  })

  test('a redirect is not followed', async () => {
    const target = await receiverFixture()
    const receiver = await receiverFixture(
      (_, response) => void response.writeHead(307, { location: target.url }).end(),
    )
    expect(await attemptDelivery(receiver.url, { headers: {}, body: '{}' }, settings, stop)).toMatchObject({
      outcome: 'status',
      status: 307,
      fault: expect.stringContaining('Redirects are not followed'),
    })
    expect(target.deliveries).toEqual([])
  })

  test.each<[{ scheme?: string; status?: number }, string]>([
    [{ scheme: 'https' }, 'it does not speak TLS at this port. Check'],
    [{ status: 401 }, 'If it refused the signature, compare its secret'],
  ])('a receiver that is not set up well gets the cause and the remedy: %j', async (wrong, fault) => {
    const { scheme = 'http', status = 204 } = wrong
    const receiver = await receiverFixture((_, response) => void response.writeHead(status).end())
    const url = receiver.url.replace('http', scheme)
    const attempt = await attemptDelivery(url, { headers: {}, body: '{}' }, settings, stop)
    expect(attempt.fault).toContain(fault)
  })

  test.each<[string, (socket: Socket) => void, object]>([
    [
      '10 MB',
      (socket) => void socket.write(`${ok}10000000\r\n\r\n${'x'.repeat(10_000_000)}`),
      { outcome: 'delivered', status: 200 },
    ],
    [
      'an endless body',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        without('x'.repeat(1000))(socket)
      },
      { outcome: 'delivered' },
    ],
    [
      'a body that stops',
      (socket) => void socket.write(`${ok}100\r\n\r\nslow`),
      { outcome: 'delivered', response: 'slow' },
    ],
    [
      'endless header fields',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        without('a: b\r\n')(socket)
      },
      { outcome: 'connection' },
    ],
    [
      'a reset',
      (socket) => void socket.resetAndDestroy(),
      { outcome: 'connection', fault: expect.stringContaining('it closed the connection') },
    ],
    ['no HTTP', (socket) => void socket.write('SSH-2.0-OpenSSH_9.6\r\n'), { outcome: 'connection' }],
    ['103 without end', without('HTTP/1.1 103 Early Hints\r\n\r\n'), { outcome: 'connection' }],
    [
      'a switch of the protocol',
      (socket) => void socket.write('HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      { outcome: 'connection' },
    ],
  ])('a receiver that answers with %s does no harm', async (_, serve, expected) => {
    const startedAt = performance.now()
    const attempt = await attemptDelivery(await hostile(serve), message, settings, stop)
    expect(attempt).toMatchObject(expected)
    expect((attempt.response ?? '').length).toBeLessThanOrEqual(1024)
    expect(performance.now() - startedAt).toBeLessThan(8000)
  })
})

test('59: a dead, a slow, a silent and an endless receiver delay no other', async () => {
  const silent = await hostile(() => {})
  const endless = await hostile(without('HTTP/1.1 103 Early Hints\r\n\r\n'))
  const slow = await hostile((socket) => void setTimeout(() => socket.end(`${ok}0\r\n\r\n`), 3000))
  const others: string[] = []
  for (const url of [silent, endless, slow, 'http://127.0.0.1:1/']) {
    const other = await server.partner()
    await endpointAt(server, other.clientId, url)
    others.push(other.clientId)
  }
  const good = await receiverFixture()
  await endpointAt(server, clientId, good.url)
  const grants = Array.from({ length: 40 }, (_, grant) => grant)
  const worker = workerOf(server)
  worker.start()
  /** Milliseconds until 40 events have arrived at the good receiver. */
  const timeOfGood = async () => {
    const startedAt = Date.now()
    const before = good.deliveries.length
    await writeEvents(server, clientId, grants)
    await expect.poll(() => good.deliveries.length, { interval: 20 }).toBe(before + grants.length)
    return Date.now() - startedAt
  }
  const alone = await timeOfGood()
  for (const other of others) await writeEvents(server, other, grants)
  await new Promise((resolve) => setTimeout(resolve, 600))
  // One of the others would hold a place for 15 seconds.
  expect(await timeOfGood()).toBeLessThan(4000 + 4 * alone)
  await query(database, 'DELETE FROM webhook_endpoints')
  await worker.stop()
})
