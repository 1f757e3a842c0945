import { beforeEach, describe, expect, test } from 'vitest'
import { ConnectionEnded, createLatchkey, LatchkeyError, memoryStore } from '../../sdk/src/index.ts'
import { connectionOf } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { failureOf, sdkOf, tokensAtRest, travelTo } from '../support/sdk.ts'

const server = await serverFixture()
const partner = await server.partner()
const store = memoryStore()
const latchkey = sdkOf(server, partner, store)
const sql = (text: string) => query(server.database, text)

/** More households than one page of the library has. */
const ids = Array.from({ length: 1001 }, (_, index) => `h${String(index).padStart(4, '0')}`)
await seed(server.database, {
  users: ['ada'],
  households: ids.map((id) => ({ id, name: `Family ${id}` })),
  accounts: ids.slice(0, 3).map((id) => ({ id: `a-${id}`, household: 'h0000' })),
})
await sql(`UPDATE users SET sees_since = now() - interval '1 day'; UPDATE firms SET changed_at = now()`)
const client = latchkey.client('ada')

beforeEach(async () => store.set('ada', await tokensAtRest(server, partner, 'ada')))

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}

test('from the Connect button to the first household, and back to no connection', async () => {
  const { url, attempt } = latchkey.startConnecting()
  const callback = await travelTo(url, server, partner, 'ada')
  const connected = await latchkey.handleCallback({
    request: { url: `/callback${callback.search}` },
    attempt,
    key: 'new',
  })
  expect(await connected.household('h0001')).toEqual({ id: 'h0001', name: 'Family h0001' })
  expect(await connected.userInfo()).toEqual({ sub: expect.any(String) })
  const { refreshToken = '' } = (await store.get('new')) ?? {}

  await connected.disconnect()
  expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: true })
  expect(await failureOf(connected.household('h0001'))).toMatchObject({ code: 'not_connected' })
})

describe('reading', () => {
  test('households() and accountsOf() give everything, page after page', async () => {
    expect((await collect(client.households())).map(({ id }) => id)).toEqual(ids)
    expect((await collect(client.households({ nameContains: 'H000' }))).map(({ id }) => id)).toEqual(
      ids.slice(0, 10),
    )
    expect(await collect(client.accountsOf('h0000'))).toMatchObject([
      { id: 'a-h0000', household_id: 'h0000' },
      { id: 'a-h0001' },
      { id: 'a-h0002' },
    ])
    expect(await collect(client.accounts())).toHaveLength(3)
  })

  test('a page by its number names the pages before and after it', async () => {
    const page = (number: number) =>
      client.householdsPage({ page: number, pageSize: 500, namePattern: 'FAMILY' })
    expect(await page(0)).toMatchObject({ previous: undefined, next: 1 })
    expect(await page(1)).toMatchObject({ previous: 0, next: 2 })
    expect(await page(2)).toMatchObject({ items: [{ id: 'h1000' }], previous: 1, next: undefined })
  })
})

describe('a sync', () => {
  test('first gives everything, then what changed and what was removed', async () => {
    const first = await client.syncHouseholds()
    expect(first).toMatchObject({ full: true, removed: [] })
    expect(first.changed).toHaveLength(1001)
    await sql(`UPDATE households SET name = 'Renamed' WHERE id = 'h0001'; DELETE FROM households WHERE id = 'h1000';
               INSERT INTO household_changes VALUES ('firm-1', 'h0001', clock_timestamp()), ('firm-1', 'h1000', clock_timestamp());
               UPDATE firms SET changed_at = clock_timestamp()`)
    const next = await client.syncHouseholds({ since: first.asOf })
    expect(next).toMatchObject({
      full: false,
      changed: [{ id: 'h0001', name: 'Renamed' }],
      removed: ['h1000'],
      removedReasons: new Map([['h1000', 'household_deleted']]),
    })
    expect(await client.syncHouseholds({ since: next.asOf })).toMatchObject({ changed: [], removed: [] })
    expect(await client.syncAccounts()).toMatchObject({ full: true, changed: [{ id: 'a-h0000' }, {}, {}] })
  })

  test('gives everything if the server no longer knows what changed since then', async () => {
    const { asOf } = await client.syncHouseholds()
    await sql('UPDATE users SET sees_since = clock_timestamp()')
    const again = await client.syncHouseholds({ since: asOf })
    expect(again).toMatchObject({ full: true, removed: [] })
    expect(again.changed.length).toBeGreaterThan(1)
  })
})

describe('the access token', () => {
  const generation = async () => {
    const { refreshToken = '' } = (await store.get('ada')) ?? {}
    return (await connectionOf(server, refreshToken)).generation
  }

  test('is refreshed once for fifty calls if it has expired, also if the lock of the store does nothing', async () => {
    const requests: string[] = []
    const counted = createLatchkey({
      ...server,
      ...partner,
      store: { ...store, lock: (_, work) => work() },
      fetch: (input, init) => {
        requests.push(String(input))
        return fetch(input, init)
      },
    }).client('ada')
    await Promise.all(Array.from({ length: 50 }, () => counted.household('h0000')))
    expect(requests.filter((address) => address.endsWith('/oauth2/token'))).toHaveLength(1)
    expect(await generation()).toBe(2)
  })

  test('is refreshed once for fifty calls if the API refuses it', async () => {
    await store.set('ada', await tokensAtRest(server, partner, 'ada', Date.now() + 3_600_000))
    await sql('UPDATE connections SET access_nonce = NULL, previous_access_nonce = NULL')
    await Promise.all(Array.from({ length: 50 }, () => client.household('h0000')))
    expect(await generation()).toBe(2)
  })
})

describe('errors', () => {
  test('say what happened, with the id of the request', async () => {
    const error = await failureOf(client.household('unknown', { requestId: 'my-request-1' }))
    expect(error).toBeInstanceOf(LatchkeyError)
    expect(error).toMatchObject({ code: 'not_found', status: 404, requestId: 'my-request-1' })
    expect(error.message).toContain('my-request-1')
    expect(error.docs).toBe(`${server.baseUrl}docs/errors/not_found`)
    expect(server.logs()).toContain('my-request-1')
    expect(await failureOf(client.householdsPage({ pageSize: 1001 }))).toMatchObject({
      code: 'invalid_parameter',
      parameters: [{ parameter: 'page_size', detail: expect.any(String) }],
      requestId: expect.stringMatching(/^[\w-]{36}$/),
    })
  })

  test('ConnectionEnded: the user has disconnected, and the tokens are deleted', async () => {
    await sql('UPDATE connections SET revoked_at = now()')
    const error = await failureOf(client.household('h0000'))
    expect(error).toBeInstanceOf(ConnectionEnded)
    expect(error).toMatchObject({ code: 'invalid_grant', status: 400, requestId: expect.any(String) })
    expect(error.docs).toContain(`${server.baseUrl}docs/errors/invalid_grant`)
    expect(await store.get('ada')).toBeUndefined()
  })

  test('a wrong client secret deletes no tokens', async () => {
    const misconfigured = sdkOf(server, { ...partner, clientSecret: 'wrong' }, store).client('ada')
    expect(await failureOf(misconfigured.household('h0000'))).toMatchObject({
      code: 'invalid_client',
      status: 401,
    })
    expect(await store.get('ada')).toBeDefined()
  })

  test('a signal ends a call', async () => {
    const reason = new Error('no longer needed')
    expect(await failureOf(client.household('h0000', { signal: AbortSignal.abort(reason) }))).toBe(reason)
  })
})
