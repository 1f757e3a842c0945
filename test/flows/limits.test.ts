import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { codeFor, issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, refresh, token } from '../support/journey.ts'
import { inParallel, nextWindow, parseRateLimit, setLimits } from '../support/limits.ts'

const database = await databaseFixture()
const clock = await movableClock(database)
const one = await serverFixture({ on: database, clock })
const two = await serverFixture({ on: database, clock })
await seed(database.database, { users: [{ id: 'ada' }, { id: 'bob' }], households: ['h1'] })
const servers = [one, two] as const

const partner = () => one.partner()
const readAs = (userId: string, clientId: string) => accessTokenOf(database.database, userId, { clientId })
const admitted = (answers: { status: number }[]) => answers.filter(({ status }) => status === 200).length

/** What all servers have used of the newest window of this quota, by the database. */
async function usedOf(key: string): Promise<number | undefined> {
  const rows = await query<{ used: number }>(
    database.database,
    'SELECT used FROM limit_windows WHERE key = $1 ORDER BY window_at DESC LIMIT 1',
    [key],
  )
  return rows[0]?.used
}

describe('a partner on two servers, under parallel load', () => {
  test.each([
    ['evenly', (n: number) => n % 2],
    ['first on one server, then on the other', (n: number) => (n < 50 ? 0 : 1)],
    ['mostly on one', (n: number) => (n % 10 === 0 ? 1 : 0)],
  ])('gets its quota, within 5 % and not more: %s', async (_, serverOf) => {
    const { clientId } = await partner()
    await setLimits([one, two], { clientId }, { requests_per_minute: 100 })
    const tokens = [await readAs('ada', clientId), await readAs('bob', clientId)]
    await nextWindow(one)
    const answers = await inParallel(200, 40, (n) =>
      api(servers[serverOf(n)] ?? one, 'households', tokens[n % 3 === 0 ? 0 : 1]),
    )
    expect(admitted(answers)).toBeLessThanOrEqual(100)
    expect(admitted(answers)).toBeGreaterThanOrEqual(95)
    expect(await usedOf(`partner ${clientId}`)).toBe(100)
    await nextWindow(one)
    expect((await api(two, 'households', tokens[0])).status).toBe(200)
  })

  test('gets its token requests within 5 %', async () => {
    const registered = await partner()
    await setLimits([one, two], registered, { token_requests_per_minute: 100 })
    const { refreshToken } = await tokensFor(one, registered, 'ada')
    await nextWindow(one)
    const answers = await inParallel(160, 40, (n) => refresh(servers[n % 2] ?? one, registered, refreshToken))
    expect(admitted(answers)).toBeLessThanOrEqual(100)
    expect(admitted(answers)).toBeGreaterThanOrEqual(95)
  })
})

test('one user is limited within 5 % on two servers, and the other users of the partner are not', async () => {
  const { clientId } = await partner()
  await setLimits([one, two], { clientId }, { requests_per_minute: 1000, requests_per_user_per_minute: 80 })
  const [ada, bob] = [await readAs('ada', clientId), await readAs('bob', clientId)]
  await nextWindow(one)
  const answers = await inParallel(140, 35, (n) => api(servers[n % 2] ?? one, 'households', ada))
  expect(admitted(answers)).toBeLessThanOrEqual(84)
  expect(admitted(answers)).toBeGreaterThanOrEqual(76)
  expect((await api(one, 'households', bob)).status).toBe(200)
})

test('a token that is refreshed all the time uses up neither the quota of its partner nor the database', async () => {
  const registered = await partner()
  await setLimits([one, two], registered, {
    token_requests_per_minute: 100,
    refreshes_per_connection_per_minute: 20,
  })
  const [ada, bob] = [await tokensFor(one, registered, 'ada'), await tokensFor(one, registered, 'bob')]
  await nextWindow(one)
  const answers = await inParallel(300, 50, () => refresh(one, registered, ada.refreshToken))
  expect(admitted(answers)).toBe(20)
  for (const { status, body, headers } of answers.filter((answer) => answer.status !== 200)) {
    expect([status, body.error, Number(headers.get('retry-after')) > 0]).toEqual([
      429,
      'temporarily_unavailable',
      true,
    ])
  }
  expect(issued(await refresh(one, registered, bob.refreshToken)).refreshToken).not.toBe(bob.refreshToken)
  expect(await usedOf(`token ${registered.clientId}`)).toBeLessThan(40)
})

describe('the answers of the API', () => {
  test('say both quotas, what is left of them, and when the next window begins', async () => {
    const { clientId } = await partner()
    await setLimits([one], { clientId }, { requests_per_minute: 60, requests_per_user_per_minute: 3 })
    const ada = await readAs('ada', clientId)
    await nextWindow(one)
    const first = await api(one, 'households', ada)
    expect(parseRateLimit(first.headers.get('ratelimit-policy'))).toEqual([
      { policy: 'partner', q: 60, w: 60 },
      { policy: 'user', q: 3, w: 60 },
    ])
    const [ofPartner, ofUser] = parseRateLimit(first.headers.get('ratelimit'))
    expect(ofPartner).toMatchObject({ policy: 'partner', r: 59 })
    expect(ofUser).toMatchObject({ policy: 'user', r: 2 })
    expect(ofPartner?.t).toBeGreaterThan(0)
    expect(ofPartner?.t).toBeLessThanOrEqual(60)

    const etag = first.headers.get('etag') ?? ''
    const unchanged = await api(one, 'households', ada, { 'if-none-match': etag })
    expect([unchanged.status, parseRateLimit(unchanged.headers.get('ratelimit'))[1]?.r]).toEqual([304, 1])
    const missing = await api(one, 'households/none/accounts', ada)
    expect([missing.status, parseRateLimit(missing.headers.get('ratelimit'))[1]?.r]).toEqual([404, 0])

    const refused = await api(one, 'households', ada)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(refused.status).toBe(429)
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(refused.body).toMatchObject({
      code: 'too_many_requests',
      status: 429,
      detail: `Too many requests of this application for this user: the limit is 3 per minute. Try again in ${seconds} seconds.`,
    })
    expect(parseRateLimit(refused.headers.get('ratelimit'))).toMatchObject([
      { policy: 'partner', r: 57 },
      { policy: 'user', r: 0, t: seconds },
    ])
    const userinfo = await fetch(`${one.baseUrl}oauth2/userinfo`, {
      headers: { authorization: `Bearer ${ada}` },
    })
    expect(userinfo.status).toBe(429)

    await one.passTime(seconds)
    expect((await api(one, 'households', ada)).status).toBe(200)
  })

  test('say nothing if the partner has no limits', async () => {
    const { headers } = await api(one, 'households', await readAs('ada', (await partner()).clientId))
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null])
  })
})

test('the answers of the token endpoint say the quota; a revocation is never refused', async () => {
  const registered = await partner()
  await setLimits([one], registered, { token_requests_per_minute: 2 })
  await nextWindow(one)
  const code = await codeFor(one, registered, 'ada')
  const first = await token(one, registered, { grant_type: 'authorization_code', code })
  expect(parseRateLimit(first.headers.get('ratelimit-policy'))).toEqual([{ policy: 'token', q: 2, w: 60 }])
  const { refreshToken } = issued(first)
  const inactive = await token(one, registered, { token: 'unknown' }, 'introspect')
  expect(parseRateLimit(inactive.headers.get('ratelimit'))).toMatchObject([{ policy: 'token', r: 0 }])
  const refused = await refresh(one, registered, refreshToken)
  expect(refused).toMatchObject({
    status: 429,
    body: {
      error: 'temporarily_unavailable',
      error_description: expect.stringMatching(
        /^Too many token requests of this application: the limit is 2 per/,
      ),
    },
  })
  const revoked = await token(one, registered, { token: refreshToken }, 'revoke')
  expect([revoked.status, revoked.headers.get('ratelimit')]).toEqual([200, null])
})

test('a limit that the operator raises, lowers or removes applies in the same window', async () => {
  const registered = await partner()
  await setLimits([one], registered, { requests_per_minute: 2 })
  const ada = await readAs('ada', registered.clientId)
  await nextWindow(one)
  const statuses = async (count: number) =>
    (await inParallel(count, 1, () => api(one, 'households', ada))).map(({ status }) => status)
  expect(await statuses(3)).toEqual([200, 200, 429])
  await setLimits([one], registered, { requests_per_minute: 4 })
  expect(await statuses(3)).toEqual([200, 200, 429])
  await setLimits([one], registered, { requests_per_minute: 3 })
  expect(await statuses(1)).toEqual([429])
  expect(await setLimits([one], registered, { requests_per_minute: null })).toEqual({})
  expect(await statuses(1)).toEqual([200])
})

test('a lower limit takes effect at once, although the server holds a large lease', async () => {
  const registered = await partner()
  await setLimits([one], registered, { requests_per_minute: 6000 })
  const ada = await readAs('ada', registered.clientId)
  await nextWindow(one)
  expect(admitted([await api(one, 'households', ada)])).toBe(1)
  await setLimits([one], registered, { requests_per_minute: 60 })
  expect(admitted(await inParallel(20, 4, () => api(one, 'households', ada)))).toBeLessThanOrEqual(1)
})

test('the limits of the deployment are for all partners that have none of their own', async () => {
  const server = await serverFixture({ on: database, clock, limits: { requests_per_minute: 2 } })
  const [own, other] = [await partner(), await partner()]
  await setLimits([server], own, { requests_per_minute: 3 })
  await nextWindow(server)
  for (const [{ clientId }, most] of [
    [own, 3],
    [other, 2],
  ] as const) {
    const ada = await readAs('ada', clientId)
    expect(admitted(await inParallel(5, 5, () => api(server, 'households', ada)))).toBe(most)
  }
})
