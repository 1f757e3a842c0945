import { beforeEach, describe, expect, test } from 'vitest'
import { accessTokenOf } from '../support/access-token.ts'
import { query } from '../support/database.ts'
import { replaceDirectory } from '../support/directory-rows.ts'
import { serverFixture } from '../support/fixtures.ts'
import type { ApiAnswer } from '../support/journey.ts'
import { purge } from '../support/purge.ts'
import { apiV2, page, type Query, walk } from '../support/walks.ts'

let ada: string
let bob: string
const day = 24 * 3600

const server = await serverFixture()

/** Ten households that changed one second apart, starting 100 seconds ago. Ada sees all of them, Bob the first three. */
beforeEach(async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `h${index}`)
  await replaceDirectory(server.database, {
    firms: ['firm-1', 'firm-2'],
    users: [
      { id: 'ada', firm: 'firm-1', sees: 'firm' },
      { id: 'bob', firm: 'firm-1', sees: 'granted' },
    ],
    households: ids.map((id) => ({ id, firm: 'firm-1' })),
    accounts: ids.map((id) => ({ id: `a-${id}`, household: id, status: 'active' })),
    access: ids.slice(0, 3).map((id) => ({ user: 'bob', account: `a-${id}` })),
  })
  await sql(`UPDATE users SET sees_since = now() - interval '1000 days'`)
  await sql(
    `INSERT INTO household_changes SELECT firm_id, id, now() + make_interval(secs => right(id, 1)::int - 100) FROM households`,
  )
  await sql(`UPDATE firms SET changed_at = (SELECT max(changed_at) FROM household_changes)`)
  ada = await accessTokenOf(server.database, 'ada')
  bob = await accessTokenOf(server.database, 'bob')
})

const sql = (text: string) => query(server.database, text)
const ago = async (seconds: number) => {
  const [row] = await query<{ at: string }>(
    server.database,
    `SELECT to_char((now() - make_interval(secs => $1)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`,
    [seconds],
  )
  return row?.at ?? ''
}
const households = (params: Query, accessToken = ada) => apiV2(server, 'households', accessToken, params)
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

const expectExpired = ({ status, body }: ApiAnswer) => {
  expect([status, body]).toMatchObject([
    410,
    {
      code: 'sync_expired',
      detail: expect.stringMatching(/read all households again, without updated_since/),
    },
  ])
}

describe('a sync of changes', () => {
  test('gives data and removed in the order of the changes, and only what the user sees', async () => {
    await sql(`DELETE FROM account_access WHERE household_id = 'h5'; DELETE FROM accounts WHERE household_id = 'h5';
               DELETE FROM households WHERE id = 'h5'; UPDATE households SET firm_id = 'firm-2' WHERE id IN ('h1', 'h8')`)
    const since = await ago(1000)
    const all = await walk(server, ada, { updated_since: since, limit: 3 })
    expect(all.pages.map(({ data, removed }) => [idsOf({ data }), removed])).toEqual([
      [['h0', 'h2'], ['h1']],
      [['h3', 'h4'], ['h5']],
      [['h6', 'h7'], ['h8']],
      [['h9'], []],
    ])
    expect(all.receipt).toMatchObject({ count: 7, removed: 3 })
    expect(await walk(server, bob, { updated_since: since })).toMatchObject({
      data: [{ id: 'h0' }, { id: 'h2' }],
      removed: ['h1'],
    })
  })

  test('gives what changed after the instant, to the microsecond; removed is present only with updated_since', async () => {
    const [row] = await query<{ at: string }>(
      server.database,
      `SELECT to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM household_changes WHERE household_id = 'h6'`,
    )
    const at = row?.at ?? ''
    expect(idsOf(await page(server, ada, { updated_since: at }))).toEqual(['h7', 'h8', 'h9'])
    const before = at.replace(/(\d{6})Z$/, (_, digits) => `${String(Number(digits) - 1).padStart(6, '0')}Z`)
    expect(idsOf(await page(server, ada, { updated_since: before }))).toEqual(['h6', 'h7', 'h8', 'h9'])
    expect(await page(server, ada, { updated_since: at })).toHaveProperty('removed', [])
    expect(await page(server, ada)).not.toHaveProperty('removed')
  })

  test('includes what had changed when it began; later changes come with the next sync', async () => {
    let turn = 0
    const result = await walk(server, ada, { updated_since: await ago(1000), limit: 4 }, async () => {
      if (turn++ > 0) return
      await sql(`UPDATE household_changes SET changed_at = now() WHERE household_id IN ('h1', 'h9');
                 UPDATE firms SET changed_at = now()`)
    })
    expect(idsOf(result)).toEqual(['h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8'])
    const next = await walk(server, ada, { updated_since: result.receipt.as_of })
    expect(idsOf(next)).toEqual(['h1', 'h9'])
  })

  test('ignores access rows of another firm, also if such a row is deleted', async () => {
    await sql(`INSERT INTO households (id, firm_id) VALUES ('theirs', 'firm-2'), ('thence', 'firm-2');
               INSERT INTO accounts (id, household_id, status) VALUES ('a-theirs', 'theirs', 'active');
               INSERT INTO account_access VALUES ('bob', 'a-theirs', 'theirs');
               INSERT INTO access_changes VALUES ('bob', 'theirs', now() - interval '50 seconds'),
                 ('bob', 'thence', now() - interval '40 seconds'), ('bob', 'h9', now() - interval '30 seconds');
               INSERT INTO household_changes VALUES ('firm-2', 'theirs', now() - interval '20 seconds')
               ON CONFLICT DO NOTHING; UPDATE firms SET changed_at = now()`)
    const { data, removed } = await walk(server, bob, { updated_since: await ago(60) })
    expect([data, removed]).toEqual([[], ['h9']])
  })
})

describe('updated_since', () => {
  test.each([
    '',
    'yesterday',
    '2026-11-20',
    '2026-11-20T10:00:00',
    '2026-11-20t10:00:00z',
    '2026-11-20T10:00:00z',
    '2026-11-20 10:00:00Z',
    '2026-11-20T10:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T10:60:00Z',
    '2026-11-20T10:00:60Z',
    '2026-02-30T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-11-20T10:00:00.Z',
    '2026-11-20T10:00:00.1234567Z',
    '2026-11-20T10:00:00+0200',
    '2026-11-20T10:00:00+24:00',
    '2026-11-20T10:00:00 02:00', // a + that was not encoded as %2B
    '0001-01-01T00:00:00+23:00',
    '9999-12-31T23:59:59-23:00',
    '+002026-11-20T10:00:00Z',
    ' 2026-11-20T10:00:00Z',
    'infinity',
    '1763632800',
  ])('%j: 400 with the right format', async (updated_since) => {
    const { status, body } = await households({ updated_since })
    expect([status, body]).toMatchObject([
      400,
      {
        code: 'invalid_parameter',
        errors: [{ parameter: 'updated_since', detail: expect.stringMatching(/%2B/) }],
      },
    ])
  })

  test('with another offset is the same instant, also together with the cursor', async () => {
    const since = await ago(3600)
    const local = new Date(Date.parse(since) + 2 * 3600_000).toISOString().replace('Z', '')
    const micro = since.slice(-4, -1)
    const forms = [since, `${local}${micro}+02:00`]
    const { next_cursor } = await page(server, ada, { updated_since: since, limit: 2 })
    for (const updated_since of forms) {
      const next = await page(server, ada, { updated_since, cursor: next_cursor ?? '', limit: 1 })
      expect(idsOf(next)).toEqual(['h2'])
    }
    const { status, body } = await households({ updated_since: await ago(3601), cursor: next_cursor ?? '' })
    expect([status, body]).toMatchObject([400, { errors: [{ parameter: 'cursor' }] }])
  })

  test('in the future: 400; but the as_of of a summary is always accepted, even if the clock went back', async () => {
    const { status, body } = await households({ updated_since: await ago(-60) })
    expect([status, body]).toMatchObject([
      400,
      { errors: [{ parameter: 'updated_since', detail: expect.stringMatching(/future/) }] },
    ])
    await sql(`UPDATE firms SET changed_at = now() + interval '1 hour'`)
    const { receipt } = await walk(server, ada)
    expect((await walk(server, ada, { updated_since: receipt.as_of })).receipt.as_of).toBe(receipt.as_of)
  })

  test('together with name_contains: 400 that names name_contains', async () => {
    const { status, body } = await households({ updated_since: await ago(5), name_contains: 'x' })
    expect([status, body]).toMatchObject([400, { errors: [{ parameter: 'name_contains' }] }])
    expect((await households({ updated_since: await ago(5), name_contains: '' })).status).toBe(200)
  })
})

describe('410 sync_expired', () => {
  test('for an instant before the user had this role or firm', async () => {
    const since = await ago(10)
    expect((await households({ updated_since: since }, bob)).status).toBe(200)
    await sql(`UPDATE users SET sees_since = now() - interval '5 seconds' WHERE id = 'bob'`)
    expectExpired(await households({ updated_since: since }, bob))
    const { receipt } = await walk(server, bob)
    expect(await walk(server, bob, { updated_since: receipt.as_of })).toMatchObject({ data: [], removed: [] })
  })

  test('in the middle of a sync, if the user’s role or firm changes', async () => {
    const since = await ago(200)
    const { next_cursor } = await page(server, ada, { updated_since: since, limit: 2 })
    await sql(`UPDATE users SET sees_since = now() WHERE id = 'ada'`)
    expectExpired(await households({ cursor: next_cursor ?? '' }))
    await sql(`UPDATE users SET sees_since = now() - interval '1 day' WHERE id = 'ada'`)
    expect((await households({ cursor: next_cursor ?? '' })).status).toBe(200)
  })

  test('for an instant more than 90 days ago', async () => {
    expect((await households({ updated_since: await ago(90 * day - 60) })).status).toBe(200)
    expectExpired(await households({ updated_since: await ago(90 * day + 1) }))
  })

  test('but not if nothing has changed since, regardless of how long ago that is', async () => {
    await sql(`UPDATE firms SET changed_at = now() - interval '200 days'; DELETE FROM household_changes`)
    const { receipt } = await walk(server, ada)
    const next = await walk(server, ada, { updated_since: receipt.as_of })
    expect(next).toMatchObject({ data: [], removed: [], receipt: { as_of: receipt.as_of } })
    expectExpired(await households({ updated_since: await ago(200 * day + 1) }))
  })

  test('for every instant whose changes may have been purged', async () => {
    const times = ['90 days 2 minutes', '90 days 5 seconds', '90 days', '89 days 23 hours 50 minutes']
    await sql('DELETE FROM household_changes; DELETE FROM access_changes')
    for (const [index, time] of times.entries()) {
      await sql(`INSERT INTO household_changes VALUES ('firm-1', 'h${index}', now() - interval '${time}');
                 INSERT INTO access_changes VALUES ('bob', 'h${index}', now() - interval '${time}')`)
    }
    expect(await purge(server.database)).toEqual({ household_changes: 1, access_changes: 1 })
    await sql(`UPDATE firms SET changed_at = now()`)
    expectExpired(await households({ updated_since: await ago(90 * day + 2) }))
    expect(idsOf(await page(server, ada, { updated_since: await ago(90 * day - 60) }))).toEqual(['h3'])
  })
})

test('a full sync expires if the user’s role or firm changes during it, but not because of an earlier change', async () => {
  await sql('UPDATE households SET name = id, name_folded = id')
  const first = await page(server, ada, { limit: 4 })
  const found = await page(server, ada, { limit: 4, name_contains: 'h' })
  const second = await page(server, ada, { cursor: first.next_cursor ?? '' })
  expect(second.receipt).toMatchObject({ count: 10 })
  await sql(`UPDATE users SET sees_since = clock_timestamp() WHERE id = 'ada'`)
  for (const { next_cursor } of [first, found]) expectExpired(await households({ cursor: next_cursor ?? '' }))
})
