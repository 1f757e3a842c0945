import { createServer as createTcpServer, type Socket } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { addressFaults, checkHost, type GuardSettings } from '../../src/webhooks/address-guard.ts'
import { attemptDelivery } from '../../src/webhooks/deliver.ts'
import { addEndpoint } from '../../src/webhooks/endpoints.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import {
  deliverDue,
  developer,
  endpointAt,
  portOf,
  receiverFixture,
  workerOf,
  writeEvents,
} from '../support/webhooks.ts'

const sandbox: GuardSettings = { environment: 'sandbox', webhookAllow: [] }
const production: GuardSettings = { environment: 'production', webhookAllow: [] }
const unused = () => Promise.reject(new Error('no resolution'))

/** Every way to write 127.0.0.1, 10.0.0.1 or another special address that a URL parser or resolver understands. */
const inside = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '0177.0x0.1', '127.0.0.1.'],
  ...[
    '１２７.０.０.１',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '012.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...[
    '192.168.1.1',
    '168.63.129.16',
    '169.254.169.254',
    '0xa9fea9fe',
    '100.64.0.1',
    '192.0.0.170',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:0:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ],
  ...[
    '[64:ff9b:1::a00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fc00::1]',
    '[fd12::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
  ],
  ...['[0:0:0:0:0:0:0:1]', '[2001:db8::1]', '[2001:20::1]', '[3fff::1]', '[100::1]'],
]

describe('59: an address inside', () => {
  test('is refused in every notation', async () => {
    const allowed: string[] = []
    for (const host of inside) {
      const [fault = ''] = await addressFaults(`https://${host}/`, production, unused)
      if (!/is not public|is not a URL/.test(fault)) allowed.push(host)
    }
    expect(allowed).toEqual([])
  })

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '::1',
    'fe80::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '169.254.169.254',
  ])('is refused when a name leads to %s, also next to a public one', async (address) => {
    const faults = await addressFaults('https://rebind.example/', production, async () => [
      '93.184.215.14',
      address,
    ])
    expect(faults).toEqual([expect.stringContaining('or one that is not public')])
  })

  test('public addresses and names are allowed', async () => {
    for (const host of ['93.184.215.14', '[2606:2800:21f:cb07:6820:80da:af6b:8b2c]', 'hooks.example'])
      expect(
        await addressFaults(`https://${host}:8443/hook?x=1`, production, async () => ['8.8.8.8']),
      ).toEqual([])
  })

  test('without TLS, with credentials, with a fragment, of another scheme or too long is refused', async () => {
    const refused = async (url: string, settings = production) =>
      (await addressFaults(url, settings, async () => ['8.8.8.8'])).length > 0
    expect(await refused('http://hooks.example/')).toBe(true)
    expect(await refused('http://hooks.example/', sandbox)).toBe(false)
    for (const url of [
      'https://u:p@hooks.example/',
      'https://hooks.example/#f',
      'ftp://hooks.example',
      'file:///etc/passwd',
      'hooks',
    ])
      expect(await refused(url, sandbox)).toBe(true)
    expect(await refused(`https://hooks.example/${'a'.repeat(2000)}`)).toBe(true)
  })

  test('of a name without an address is refused', async () => {
    expect(await addressFaults('https://nowhere.example/', production, unused)).toEqual([
      expect.stringContaining('The DNS has no address of the host'),
    ])
  })

  test('cannot be excepted in production', () => {
    const env = {
      LATCHKEY_ENVIRONMENT: 'production',
      LATCHKEY_WEBHOOK_ALLOW: '10.0.0.0/8',
      LATCHKEY_SECRET: 'x'.repeat(40),
    }
    expect(() => readConfig(env)).toThrow(ConfigError)
    expect(() => readConfig(env)).toThrow('LATCHKEY_WEBHOOK_ALLOW: must not be set in production')
  })

  test('that is excepted excepts no other', async () => {
    const settings = { ...sandbox, webhookAllow: ['receiver.local', '10.0.0.0/24', '::1'] }
    const faults = (url: string, address: string) => addressFaults(url, settings, async () => [address])
    expect(await faults('http://receiver.local/', '192.168.0.1')).toEqual([])
    expect(await faults('http://10.0.0.7/', '')).toEqual([])
    expect(await faults('http://[::1]/', '')).toEqual([])
    expect(await faults('http://10.0.1.7/', '')).toHaveLength(1)
    expect(await faults('http://other.local/', '192.168.0.1')).toHaveLength(1)
  })
})

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
    expect(performance.now() - startedAt).toBeLessThan(14_000) // the whole attempt may take 15 s
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

test('59: endpoints of a partner are limited', async () => {
  const add = () => addEndpoint(context, developer, { clientId, url: 'http://127.0.0.1:9/' })
  for (let count = 0; count < 10; count++) expect((await add()).kind).toBe('added')
  expect(await add()).toMatchObject({ kind: 'refused' })
})
