import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { bearerOf } from '../support/bearer.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh } from '../support/journey.ts'

const server = await serverFixture({
  users: [{ id: 'ada', sees: 'firm' }],
  households: ['h'],
})
const partner = await server.partner()

/** The number of statements that wait for the lock that a test holds. */
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

/** Runs `work` while a lock blocks every read of households. */
function whileHouseholdsAreLocked<T>(work: (holder: pg.Client) => Promise<T>): Promise<T> {
  return server.database.withConnection(async (holder) => {
    await holder.query('BEGIN; LOCK TABLE households')
    return work(holder)
  })
}

type Answer = Awaited<ReturnType<typeof api>>

/** Sends requests at once. `refused` grows with each response that is not 200. */
function sendAll(paths: string[], accessToken: string): { refused: Answer[]; answers: Promise<Answer[]> } {
  const refused: Answer[] = []
  const answers = paths.map(async (path) => {
    const answer = await api(server, path, accessToken)
    if (answer.status !== 200) refused.push(answer)
    return answer
  })
  return { refused, answers: Promise.all(answers) }
}

const times = (count: number, path: (n: number) => string) => Array.from({ length: count }, (_, n) => path(n))

describe('46: one token sends 30 searches at once', () => {
  const path = (n: number) => `households?name_pattern=x&page=${n % 9}&page_size=1000`

  test('two run, eight wait, the others are refused; token requests and pages of any number still work', async () => {
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    const { refused, answers } = await whileHouseholdsAreLocked(async (holder) => {
      const sent = sendAll(times(30, path), accessToken)
      await until(() => sent.refused.length === 20)
      await until(async () => (await waiting()) === 2)
      expect((await refresh(server, partner, refreshToken)).status).toBe(200)
      const ordinary = api(server, 'households?page=5000&page_size=1000', accessToken)
      await until(async () => (await waiting()) === 3)
      await holder.query('ROLLBACK')
      expect((await ordinary).status).toBe(200)
      return sent
    })
    for (const { status, body, headers } of refused) {
      expect([status, headers.get('retry-after')]).toEqual([429, '1'])
      expect(body).toMatchObject({
        code: 'too_many_requests',
        detail: expect.stringContaining('rel="next"'),
      })
    }
    expect((await answers).filter(({ status }) => status === 200)).toHaveLength(10)
  })

  test('a search with another token still gets a slot', async () => {
    const first = await accessTokenOf(server.database, 'ada')
    const second = await accessTokenOf(server.database, 'ada')
    await whileHouseholdsAreLocked(async (holder) => {
      const sent = sendAll(times(10, path), first)
      await until(async () => (await waiting()) === 2)
      const other = sendAll([path(0)], second)
      await until(async () => (await waiting()) === 3)
      await holder.query('ROLLBACK')
      expect((await other.answers).map(({ status }) => status)).toEqual([200])
      expect((await sent.answers).map(({ status }) => status)).toEqual(times(10, () => 'x').map(() => 200))
    })
  })
})

test('40: searches with many tokens queue up to a limit, and never use more than three connections', async () => {
  const tokens = await Promise.all(times(7, () => '').map(() => accessTokenOf(server.database, 'ada')))
  const sent = await whileHouseholdsAreLocked(async (holder) => {
    const all = tokens.map((token) =>
      sendAll(
        times(10, () => 'households?name_pattern=x'),
        token,
      ),
    )
    await until(() => all.flatMap(({ refused }) => refused).length === 6)
    expect(await waiting()).toBe(3)
    await holder.query('ROLLBACK')
    return all
  })
  for (const { status, body, headers } of sent.flatMap(({ refused }) => refused)) {
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(body).toMatchObject({ code: 'unavailable' })
  }
  const answers = (await Promise.all(sent.map((one) => one.answers))).flat()
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(64)
})

test('46: a sync over a long log of changes takes a place of the token; a short log takes none', async () => {
  await seed(server.database, {
    users: [{ id: 'gil', sees: 'granted', access: ['of-gil'] }],
    households: [{ id: 'gils' }],
    accounts: [{ id: 'of-gil', household: 'gils' }],
  })
  await query(server.database, `UPDATE users SET sees_since = now() - interval '1 day' WHERE id = 'gil'`)
  await query(server.database, `UPDATE firms SET changed_at = now() - interval '1 minute'`)
  const changes = (from: number, to: number) =>
    query(
      server.database,
      `INSERT INTO household_changes SELECT 'firm-1', 'changed-' || n, now() - interval '1 hour' FROM generate_series($1::int, $2) n`,
      [from, to],
    )
  const token = await accessTokenOf(server.database, 'gil')
  const since = new Date(Date.now() - 7_200_000).toISOString()
  const sync = async () =>
    (
      await fetch(`${server.baseUrl}api/v2/households?updated_since=${since}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).status
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  for (let n = 0; n < 10; n++)
    void server.context.expensiveReadLimiter.admit(bearerOf(token).connectionKey, () => held)
  await changes(1, 100)
  expect(await sync()).toBe(200)
  await changes(101, 1100)
  expect(await sync()).toBe(429)
  release()
  await expect.poll(sync).toBe(200)
})
