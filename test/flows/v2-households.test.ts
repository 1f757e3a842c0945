import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { countingDatabase } from '../support/counting-database.ts'
import { query } from '../support/database.ts'
import { byteOrder, replaceDirectory } from '../support/directory-rows.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { logLines } from '../support/logs.ts'
import { readsOf } from '../support/usage.ts'
import { apiV2, digestOf, page, walk } from '../support/walks.ts'

const ids = Array.from({ length: 250 }, (_, index) => `h${index}`)
const ordered = ids.toSorted(byteOrder)

const database = await databaseFixture(countingDatabase)
const server = await serverFixture({ on: database })
await replaceDirectory(database.direct, {
  firms: ['firm-1', 'firm-2'],
  users: [
    { id: 'ada', firm: 'firm-1', sees: 'firm' },
    { id: 'bob', firm: 'firm-1', sees: 'granted' },
  ],
  households: [
    ...ids.map((id) => ({ id, firm: 'firm-1', name: `Household ${id}` })),
    { id: 'nameless', firm: 'firm-1', name: null },
    { id: 'quoted', firm: 'firm-1', name: '{"id":"x"},{"id":"' },
    { id: 'theirs', firm: 'firm-2' },
  ],
  accounts: ids.slice(0, 30).map((id) => ({ id: `a-${id}`, household: id, status: 'active' })),
  access: ids.slice(0, 30).map((id) => ({ user: 'bob', account: `a-${id}` })),
})
const ada = await accessTokenOf(database.direct, 'ada')
const bob = await accessTokenOf(database.direct, 'bob')

describe('a sync', () => {
  test.each([1, 7, 84, 100, 1000])(
    'with limit %i gives every household once, in byte order',
    async (limit) => {
      const seen = { ada: [...ordered, 'nameless', 'quoted'], bob: ids.slice(0, 30).toSorted(byteOrder) }
      if (limit > 1) expect((await walk(server, ada, { limit })).data.map(({ id }) => id)).toEqual(seen.ada)
      const { data, pages } = await walk(server, bob, { limit })
      expect(data.map(({ id }) => id)).toEqual(seen.bob)
      expect(pages).toHaveLength(Math.ceil(30 / limit))
    },
  )

  test('gives objects with id and name, without name if the household has none', async () => {
    const { data } = await walk(server, ada, { limit: 1000 })
    expect(data.slice(-2)).toEqual([{ id: 'nameless' }, { id: 'quoted', name: '{"id":"x"},{"id":"' }])
    const { body, headers } = await apiV2(server, 'households', bob, { limit: 29 })
    expect(body).toEqual({ data: expect.any(Array), next_cursor: expect.any(String) })
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('cache-control')).toBe('private, no-cache')
  })

  test('has 100 households per page by default, and the limit can change with each page', async () => {
    const first = await page(server, ada)
    expect(first.data).toHaveLength(100)
    const second = await page(server, ada, { cursor: first.next_cursor ?? '', limit: 10 })
    const third = await page(server, ada, { cursor: second.next_cursor ?? '', limit: 1000 })
    const sent = [first, second, third].flatMap(({ data }) => data.map(({ id }) => id))
    expect(sent).toEqual([...ordered, 'nameless', 'quoted'])
    expect(third.receipt).toMatchObject({ count: 252, sha256: digestOf(sent) })
  })

  test('without results also has a summary', async () => {
    const { pages } = await walk(server, ada, { name_contains: 'no such name' })
    expect(pages).toEqual([
      { data: [], next_cursor: null, receipt: { count: 0, sha256: digestOf([]), as_of: expect.any(String) } },
    ])
  })

  test('has as_of of the firm’s last change, to the microsecond and in UTC', async () => {
    await query(
      database.direct,
      `UPDATE users SET sees_since = '2026-01-01Z'; UPDATE firms SET changed_at = '2026-03-01T01:02:03.000450+02:00' WHERE id = 'firm-1'`,
    )
    for (const token of [ada, bob]) {
      expect((await walk(server, token)).receipt.as_of).toBe('2026-02-28T23:02:03.000450Z')
    }
  })

  test('has as_of of its first page, even if an import commits in between', async () => {
    let hour = 0
    const { receipt } = await walk(server, ada, { limit: 100 }, () =>
      query(database.direct, `UPDATE firms SET changed_at = '2026-04-01T0${++hour}:00:00Z'`),
    )
    expect(receipt.as_of).toBe('2026-02-28T23:02:03.000450Z')
    await query(database.direct, `UPDATE users SET sees_since = '2026-05-01Z' WHERE id = 'bob'`)
    expect((await walk(server, bob)).receipt.as_of).toBe('2026-05-01T00:00:00.000000Z')
  })
})

describe('name_contains', () => {
  const found = ordered.filter((id) => id.includes('h1'))

  test.each(['HOUSEHOLD H1', 'h1'])('%s: gives the households whose name contains it', async (name) => {
    expect((await walk(server, ada, { name_contains: name, limit: 10 })).data.map(({ id }) => id)).toEqual(
      found,
    )
    const seen = ids.slice(0, 30).filter((id) => id.includes('h1'))
    expect((await walk(server, bob, { name_contains: name, limit: 3 })).data.map(({ id }) => id)).toEqual(
      seen.toSorted(byteOrder),
    )
  })

  test('may be sent with the cursor, and an empty value counts as absent', async () => {
    const params = { name_contains: 'h1', limit: 10 }
    const { next_cursor } = await page(server, ada, params)
    const next = await page(server, ada, { ...params, cursor: next_cursor ?? '' })
    expect(next.data.map(({ id }) => id)).toEqual(found.slice(10, 20))
    expect((await walk(server, ada, { name_contains: '' })).data).toHaveLength(252)
  })
})

describe('one household', () => {
  test('is returned as a single object', async () => {
    expect((await apiV2(server, 'households/nameless', ada)).text).toBe('{"id":"nameless"}')
    const { status, body, headers } = await apiV2(server, 'households/h7', bob)
    expect([status, body]).toEqual([200, { id: 'h7', name: 'Household h7' }])
    expect(headers.get('cache-control')).toBe('private, no-cache')
  })

  test('29: a household that is not visible or does not exist and an invalid id get the same 404', async () => {
    const answers = await Promise.all(
      ['theirs', 'h200', 'no-such', '%20', 'x'.repeat(65), '%00', 'é'].map((id) =>
        apiV2(server, `households/${id}`, bob),
      ),
    )
    const bodies = answers.map(({ text }) => text.replace(/"request_id":"[^"]*"/, ''))
    expect(new Set(bodies)).toEqual(new Set([bodies[0]]))
    expect(answers[0]).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })
})

test('a call runs one statement, and a search two', async () => {
  const { next_cursor } = await page(server, ada)
  const { receipt } = await walk(server, bob)
  const calls: [path: string, query: Record<string, string>, statements: number][] = [
    ['households', {}, 1],
    ['households', { cursor: next_cursor ?? '' }, 1],
    ['households', { name_contains: 'h1' }, 2],
    ['households', { updated_since: receipt.as_of }, 1],
    ['households/h7', {}, 1],
    ['households/none', {}, 1],
  ]
  for (const [path, query, statements] of calls) {
    expect(await database.statementsDuring(() => apiV2(server, path, ada, query))).toBe(statements)
  }
  expect(await database.statementsDuring(() => apiV2(server, 'households', ada, { cursor: 'x' }))).toBe(0)
})

test('reads are counted and logged, and a request that is refused with a live token counts as a use', async () => {
  const cleo = 'cleo'
  await query(
    database.direct,
    `INSERT INTO users (id, firm_id, email, email_folded, name, role, status)
     VALUES ('cleo', 'firm-1', 'cleo', 'cleo', 'cleo', 'sees-firm', 'active')`,
  )
  const token = await accessTokenOf(database.direct, cleo)
  await walk(server, token, { limit: 200 })
  await apiV2(server, 'households/h1', token)
  for (const path of ['households/none', 'households?limit=0', 'households?cursor=x']) {
    await apiV2(server, path, token)
  }
  const cursorOfAda = (await page(server, ada)).next_cursor ?? ''
  const { headers } = await apiV2(server, 'households', token, { cursor: cursorOfAda })
  await server.context.usage.write()
  expect(await readsOf(database.direct, cleo)).toEqual({ requests: 3, households: 253, accounts: 0 })
  expect(logLines(server, headers.get('x-api-request-id') ?? '')).toMatchObject([
    {
      event: 'read',
      outcome: 'rejected',
      user_id: cleo,
      route: '/service-open-api/api/v2/households',
      status: 400,
    },
  ])
})

test('works at the root of the origin, and answers 401 without a live token as version 1 does', async () => {
  const root = { baseUrl: `${server.authUrl}/` }
  expect((await apiV2(root, 'households/h1', ada)).status).toBe(200)
  expect((await apiV2(root, 'households', ada)).status).toBe(200)
  const expired = await accessTokenOf(database.direct, 'ada', { expiresIn: -1 })
  for (const path of ['households', 'households/h1', 'households?updated_since=2026-05-01T00:00:00Z']) {
    const { status, headers, body } = await apiV2(server, path, expired)
    expect([status, body]).toMatchObject([401, { code: 'invalid_token' }])
    expect(headers.get('www-authenticate')).toContain('resource_metadata=')
  }
})
