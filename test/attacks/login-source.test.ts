import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { attempt, right, wrong } from '../support/login.ts'
import { getWithHeaders } from '../support/raw-request.ts'
import type { TestServer } from '../support/server.ts'

const server = await serverFixture()
const behindProxy = await serverFixture({ trustedProxies: ['127.0.0.1'] })
for (const { database } of [server, behindProxy]) await seed(database, { users: [{ id: 'ada' }] })
beforeEach(async () => {
  for (const { database } of [server, behindProxy]) await query(database, 'DELETE FROM login_failures')
})

const rows = async ({ database }: TestServer) => (await query(database, 'SELECT FROM login_failures')).length

/** Every source so far has reached its limit. */
const exhaust = ({ database }: TestServer) => query(database, 'UPDATE login_failures SET count = 100')

let visits = 0
/** A wrong guess through the proxy, for a new account each time. */
async function guessFrom(forwardedFor: string, on = behindProxy): Promise<number> {
  visits++
  return (await attempt(on, wrong(`nobody-${visits}`), { 'x-forwarded-for': forwardedFor })).status
}

describe('11: one password over 1,000 users', () => {
  test('100 guesses from one source are checked, and no row is written for further ones', async () => {
    const statuses: number[] = []
    for (let batch = 0; batch < 7; batch++) {
      const tries = Array.from({ length: 15 }, (_, i) => attempt(server, wrong(`user-${batch}-${i}`)))
      statuses.push(...(await Promise.all(tries)).map(({ status }) => status))
    }
    expect(statuses.filter((status) => status === 403)).toHaveLength(100)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    expect(await rows(server)).toBe(101) // the source itself, and the accounts that were tried
    const late = await attempt(server, right('ada'))
    expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await rows(server)).toBe(101)
  })

  test('a refusal because of the source does not count against the account', async () => {
    await attempt(server, wrong('elsewhere'))
    await exhaust(server)
    for (let i = 0; i < 12; i++) expect((await attempt(server, wrong('ada'))).status).toBe(429)
    await query(server.database, 'DELETE FROM login_failures WHERE count > 100')
    expect((await attempt(server, right('ada'))).status).toBe(303)
  })
})

describe('addresses that count as one source', () => {
  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:3::1'],
    ['2001:0DB8:0001:0002:0:0:0:1', '2001:db8:1:2::2', '2001:db8:1:2:3::1, 2001:db8:9::1'],
    ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.8'],
    ['::ffff:cb00:7107', '203.0.113.7', '::ffff:203.0.113.8'],
    ['64:ff9b::203.0.113.7', '203.0.113.7', '64:ff9b::203.0.113.8'],
    ['not an address', '203.0.113.7:4711', '203.0.113.7'],
  ])('%s and %s are one source, %s is another', async (first, same, other) => {
    expect(await guessFrom(first)).toBe(403)
    await exhaust(behindProxy)
    expect(await guessFrom(same)).toBe(429)
    expect(await guessFrom(other)).toBe(403)
  })
})

describe('15: spoofed addresses', () => {
  const spoofs: Record<string, string>[] = [
    { 'x-forwarded-for': '203.0.113.1' },
    { forwarded: 'for=203.0.113.2' },
    { 'x-real-ip': '::1' },
    { 'x-client-ip': '203.0.113.3', 'cf-connecting-ip': '203.0.113.3', 'true-client-ip': '203.0.113.3' },
  ]

  test('without a trusted proxy no header changes the source', async () => {
    expect((await attempt(server, wrong('first'))).status).toBe(403)
    await exhaust(server)
    for (const headers of spoofs) {
      expect((await attempt(server, wrong('other'), headers)).status).toBe(429)
    }
  })

  test('behind one, the browser’s own header does not count', async () => {
    expect(await guessFrom('198.51.100.1')).toBe(403)
    await exhaust(behindProxy)
    expect(await guessFrom('203.0.113.1, 198.51.100.1')).toBe(429)
    expect(await guessFrom('127.0.0.1, 203.0.113.1, 198.51.100.1')).toBe(429)
    expect(await guessFrom('198.51.100.2')).toBe(403)
  })

  test.each(['without a trusted proxy', 'behind one'])(
    'Host and similar headers change no address in responses, %s',
    async (where) => {
      const { authUrl } = where === 'behind one' ? behindProxy : server
      const evil = {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example;proto=https',
      }
      const path = '/.well-known/openid-configuration'
      const honest = await getWithHeaders(authUrl + path, {})
      const spoofed = await getWithHeaders(authUrl + path, evil)
      expect(JSON.parse(honest.text).issuer).toBe(authUrl)
      expect(spoofed).toEqual(honest)
      const apps = await getWithHeaders(`${authUrl}/connections`, evil)
      expect([apps.status, apps.location]).toEqual([303, '/login'])
      expect((await getWithHeaders(`${authUrl}/login`, evil)).text).not.toContain('evil')
    },
  )
})
