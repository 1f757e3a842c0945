import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { api } from '../support/journey.ts'
import { type TestServer, testServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await testServer()
  await seed(server.database, {
    users: [{ id: 'ada', sees: 'firm' }],
    households: [{ id: 'h' }],
  })
})
afterAll(() => server.close())

/** Statements that wait for the lock that a test holds. */
async function waiting(): Promise<number> {
  const rows = await query(
    server.database,
    `SELECT FROM pg_locks WHERE NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  return rows.length
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(20)
}

test('40: a partner that asks for many far pages by number holds two connections, and is told of Link beyond eighteen', async () => {
  const bearer = await accessTokenOf(server.database, 'ada')
  const refused: Awaited<ReturnType<typeof api>>[] = []
  const answered = await server.database.withConnection(async (holder) => {
    await holder.query('BEGIN; LOCK TABLE households')
    const asking = Array.from({ length: 30 }, async (_, n) => {
      const pattern = n % 2 ? '&name_pattern=x' : ''
      const answer = await api(server, `households?page=${n + 10}&page_size=1000${pattern}`, bearer)
      if (answer.status === 503) refused.push(answer)
      return answer
    })
    await until(() => refused.length === 12)
    await until(async () => (await waiting()) === 2)
    const headers = { authorization: `Bearer ${bearer}` }
    expect((await fetch(`${server.baseUrl}oauth2/userinfo`, { headers })).status).toBe(200)
    await holder.query('ROLLBACK')
    return Promise.all(asking)
  })
  for (const { body, headers } of refused) {
    expect(headers.get('retry-after')).toBe('5')
    expect(body).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('rel="next"') })
  }
  expect(answered.filter(({ status }) => status === 200)).toHaveLength(18)
})

test('40: pages that are not far do not wait for them', async () => {
  const bearer = await accessTokenOf(server.database, 'ada')
  await server.database.withConnection(async (holder) => {
    await holder.query('BEGIN; LOCK TABLE households')
    const far = Array.from({ length: 18 }, () => api(server, 'households?page=10&page_size=1000', bearer))
    const near = Array.from({ length: 3 }, () => api(server, 'households?page=9&page_size=1000', bearer))
    await until(async () => (await waiting()) === 5)
    await holder.query('ROLLBACK')
    for (const { status } of await Promise.all([...far, ...near])) expect(status).toBe(200)
  })
})
