import { hash } from '@node-rs/argon2'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh } from '../support/journey.ts'
import { cookieOf, holdHashing, loginPage, plant, right, wrong } from '../support/login.ts'
import { loggedIn } from '../support/pages.ts'
import { type Page, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ trustedProxies: ['127.0.0.1'] })
await seed(server.database, {
  users: ['ada'],
  households: ['hh-1'],
})
const partner = await server.partner()
beforeEach(() => query(server.database, 'DELETE FROM login_failures'))

/** So many logins at once, in browsers that have the page open. By default each comes from a different address. */
async function flood(size: number, address = (i: number) => `198.51.100.${i}`) {
  const answered: Page[] = []
  const forms = await Promise.all(
    Array.from({ length: size }, async () => {
      const visitor = new Visitor()
      return { visitor, page: await loginPage(server, visitor) }
    }),
  )
  const all = forms.map(async ({ visitor, page }, i) => {
    const answer = await visitor.submit(page, '/login', wrong(`nobody-${i}`), {
      'x-forwarded-for': address(i),
    })
    answered.push(answer)
    return answer
  })
  return { all: Promise.all(all), answered }
}

const counted = async () => {
  const [row] = await query<{ n: number }>(
    server.database,
    // Each attempt counts for its source and for its account.
    'SELECT coalesce(sum(count), 0)::int / 2 AS n FROM login_failures',
  )
  return row?.n ?? 0
}

describe('44: a flood of logins', () => {
  test('66 are accepted, further ones get 503 and are not counted; tokens and API still work', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const accessToken = await accessTokenOf(server.database, 'ada')
    await query(server.database, 'DELETE FROM login_failures')
    const visitor = new Visitor()
    const page = await loginPage(server, visitor)

    const release = holdHashing(server)
    const { all, answered } = await flood(70)
    await vi.waitFor(() => expect(answered).toHaveLength(4), 20_000)
    await vi.waitFor(async () => expect(await counted()).toBe(66), 20_000)
    const busy = await visitor.submit(page, '/login', right('ada'))
    expect(busy.status).toBe(503)
    expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(busy.document.querySelector('[role=alert]')?.text).toContain('Sign-in is busy')
    expect(busy.document.querySelector('input[name=email]')?.getAttribute('value')).toBe(right('ada').email)

    expect((await api(server, 'households', accessToken)).status).toBe(200)
    expect((await refresh(server, partner, refreshToken)).status).toBe(200)
    expect((await loginPage(server)).status).toBe(200)
    expect([answered.length, await counted()]).toEqual([4, 66])

    release()
    const statuses = (await all).map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(66)
    expect(statuses.filter((status) => status === 503)).toHaveLength(4)
    expect((await visitor.submit(page, '/login', right('ada'))).status).toBe(303)
  })

  test('one source takes at most 16 places: other sources can still log in', async () => {
    const release = holdHashing(server)
    const { all, answered } = await flood(20, () => '203.0.113.1')
    await vi.waitFor(() => expect(answered).toHaveLength(4), 20_000)
    await vi.waitFor(async () => expect(await counted()).toBe(16), 20_000)
    expect(answered.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    const next = await flood(1)
    await vi.waitFor(async () => expect(await counted()).toBe(17), 20_000)
    release()
    expect((await next.all).map(({ status }) => status)).toEqual([403])
    await all
    const again = await flood(16, () => '203.0.113.1')
    expect((await again.all).map(({ status }) => status)).toEqual(Array(16).fill(403))
  })

  test('with all ordinary places taken, a known browser still logs in; unknown and forged ones get 503', async () => {
    const known = await loggedIn(server, 'ada')
    const page = await loginPage(server, known)
    const cookie = (await cookieOf(known, server, 'latchkey-browser')) ?? ''
    const release = holdHashing(server)
    const { all, answered } = await flood(66)
    await vi.waitFor(async () => expect(await counted()).toBe(66), 20_000)

    const [id, tagged = ''] = cookie.split('.')
    const others = [
      cookie.slice(0, -1) + (cookie.endsWith('A') ? 'B' : 'A'),
      `${'x'.repeat(22)}.${tagged}`,
      `${id}.${'0'.repeat(86)}`,
    ]
    for (const value of others) {
      const visitor = new Visitor()
      await plant(visitor, server, 'latchkey-browser', value)
      expect((await visitor.submit(await loginPage(server, visitor), '/login', right('ada'))).status).toBe(
        503,
      )
    }
    // The browser is known to ada's account only.
    expect((await known.submit(page, '/login', right('bob'))).status).toBe(503)
    const inside = [0, 1].map(() => known.submit(page, '/login', right('ada')))
    // A third one gets 503: one account cannot take the places of the others.
    await vi.waitFor(async () => expect(await counted()).toBe(68), 20_000)
    expect((await known.submit(page, '/login', right('ada'))).status).toBe(503)
    expect(answered).toEqual([])
    release()
    expect((await Promise.all(inside)).map(({ status }) => status)).toEqual([303, 303])
    await all
  })

  test('with real hashes, a token is signed long before the flood ends', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const costly = await hash('costly', { memoryCost: 65_536, timeCost: 4, parallelism: 1 })
    await query(server.database, 'UPDATE users SET password_hash = $1', [costly])
    const { all, answered } = await flood(24)
    await vi.waitFor(async () => expect(await counted()).toBe(24), 20_000)
    expect((await refresh(server, partner, refreshToken)).status).toBe(200)
    expect(answered.length).toBeLessThan(12)
    expect((await all).map(({ status }) => status)).toEqual(Array(24).fill(403))
  })
})
