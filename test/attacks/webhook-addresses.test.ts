import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { addressFaults, type GuardSettings } from '../../src/webhooks/address-guard.ts'

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
