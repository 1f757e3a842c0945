import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { ann, base, type ChangeRow, directoryCaller, remove, upsert } from '../support/directory-api.ts'
import { serverFixture } from '../support/fixtures.ts'
import { emptyDirectory, everything } from '../support/import.ts'

const server = await serverFixture()
const { database } = server
const key = await newKey(server, ['directory:write'])
const call = adminCaller(server, key)
const send = directoryCaller(server, key)

beforeEach(() => emptyDirectory(database))

describe('many rows', () => {
  test('are stored together, in any order of lines, and the answer counts them', async () => {
    const stored = await send(base)
    expect(stored).toMatchObject({ status: 200, body: { kept_disabled: [] } })
    const one = { added: 1, changed: 0, unchanged: 0, deleted: 0, missing: 0 }
    const all = { firm: one, role: one, user: one, household: one, account: one, access: one }
    expect(stored.body.counts).toEqual(all)
    expect((await send(base)).body).toMatchObject({ changed_at: null, counts: { user: { unchanged: 1 } } })
    const deleted = await send([
      remove('account', { id: 'a1' }),
      remove('access', { user_id: 'u1', account_id: 'a1' }),
      remove('household', { id: 'h9' }),
    ])
    expect(deleted.body.counts).toMatchObject({
      account: { deleted: 1 },
      access: { deleted: 1 },
      household: { deleted: 0, missing: 1 },
    })
  })

  test('all faults are named by line and field, and nothing is changed', async () => {
    await send(base)
    const before = await everything(database)
    const gone: [string, string] = ['firm_id', 'there is no firm "f1"'] // line 17 deletes it
    const lines: [row: ChangeRow | string, ...faults: [parameter: string, detail: string][]][] = [
      ['{"op":', ['line', 'is not JSON: write one object on each line']],
      ['[]', ['line', 'is not a JSON object']],
      ['', ...[]],
      [upsert('hosehold', { id: 'x' }), ['type', 'is not firm, role, user, household, account, access']],
      [{ type: 'firm', id: 'x' }, ['op', 'is not upsert or delete']],
      [upsert('firm', { id: 'x', name: 'X', nmae: 'X' }), ['nmae', 'is not a field of this change']],
      [remove('firm', { id: 'y', name: 'X' }), ['name', 'is not a field of this change']],
      [upsert('firm', { id: 'z', name: 7 }), ['name', 'is not text: write it as a JSON string']],
      [upsert('firm', { id: 'a b', name: null }), ['id', 'is not an id'], ['name', 'is empty']],
      [
        '{"op":"upsert","type":"firm","id":"s","name":"\\ud800"}',
        ['name', 'contains half of a surrogate pair'],
      ],
      ['{"op":"upsert","type":"firm","id":"n","name":"a\\u0000"}', ['name', 'contains a NUL character']],
      [
        upsert('account', { id: 'a2', household_id: 'h9', status: 'active' }),
        ['household_id', 'there is no household "h9"'],
      ],
      [
        upsert('account', { id: 'a3', household_id: 'h1', status: 'active', opened_on: '2021-02-29' }),
        ['opened_on', 'is not a date'],
      ],
      [
        upsert('account', { id: 'a3', household_id: 'h1', status: 'active' }),
        ['id', '"a3" is already on line 13'],
      ],
      [upsert('user', { ...ann, id: 'u2' }), ['email', '"Ann@Example.com" belongs to the user "u1"'], gone],
      [
        upsert('user', { ...ann, id: 'u3', email: 'ANN@example.com', role: 'none' }),
        ['email', '"ANN@example.com" is already on line 15'],
        ['role', 'there is no role "none"'],
        ['email', 'belongs to the user "u1"'],
        gone,
      ],
      [
        remove('firm', { id: 'f1' }),
        ['id', 'cannot be deleted because the user "u1" refers to it'],
        ['id', 'because the household "h1" refers to it'],
      ],
      [
        remove('account', { id: 'a1' }),
        ['id', 'the account "a1" cannot be deleted because the access row "u1 a1" refers to it'],
      ],
      [
        upsert('user', {
          ...ann,
          id: 'u4',
          email: 'u4@x.example',
          password: 'a',
          password_hash: '$2b$12$abcdefghijklmnopqrstuunTbthqMCXWVUA9RLyG5CjyN0KGy8oJW',
        }),
        ['password_hash', 'the row has a password too'],
        gone,
      ],
      [upsert('household', { id: 'h7', firm_id: 'f1' }), gone],
    ]
    const text = lines.map(([row]) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\r\n')
    const { status, body } = await send(text)
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_content' })
    const expected = lines.flatMap(([, ...faults], index) =>
      faults.map(([parameter, detail]) => ({
        ...{ line: index + 1, parameter, detail: expect.stringContaining(detail) },
      })),
    )
    expect(body.errors).toHaveLength(expected.length)
    expect(body.errors).toEqual(expect.arrayContaining(expected))
    expect(await everything(database)).toEqual(before)
  })

  test('a batch has at most 10,000 rows', async () => {
    await send(base)
    const rows = Array.from({ length: 10_000 }, (_, n) =>
      upsert('household', { id: `n${n}`, firm_id: 'f1', name: `Name ${n}` }),
    )
    expect((await send([...rows, upsert('firm', { id: 'f2', name: 'x' })])).body.detail).toContain(
      'a request has at most 10000 rows',
    )
    expect((await send(rows)).body.counts.household).toMatchObject({ added: 10_000 })
    const [renamed, gone] = [rows.slice(0, 300), rows.slice(300, 600)]
    const changes = [
      ...renamed.map((row) => ({ ...row, name: `${row.name} again` })),
      ...gone.map(({ id }) => remove('household', { id })),
    ]
    expect((await send(changes)).body.counts.household).toMatchObject({ changed: 300, deleted: 300 })
  })

  test('a body that is not NDJSON in UTF-8 is refused', async () => {
    expect((await send('{}', { 'content-type': 'application/json' })).body).toMatchObject({
      status: 415,
      detail: 'Send the body as application/x-ndjson, in UTF-8 and not compressed.',
    })
    expect((await send(Buffer.from([0xff]))).body.errors).toEqual([
      { line: 1, parameter: 'line', detail: 'the body is not UTF-8' },
    ])
    expect((await send('\n')).body.errors).toMatchObject([{ detail: 'the body has no rows' }])
  })

  test('the scope directory:write is needed', async () => {
    const reading = directoryCaller(server, await newKey(server, ['directory:read', 'users:write']))
    expect((await reading(base)).body).toMatchObject({ status: 403, code: 'insufficient_scope' })
  })
})

describe('a request with an Idempotency-Key', () => {
  const headers = () => ({ 'idempotency-key': crypto.randomUUID() })

  test('is carried out once', async () => {
    const same = headers()
    const first = await send(base, same)
    await send([upsert('firm', { id: 'f1', name: 'Renamed' })])
    const again = await send(base, same)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.body).toEqual(first.body)
    expect(await query(database, 'SELECT name FROM firms')).toEqual([{ name: 'Renamed' }])
    expect((await send([...base].reverse(), same)).body).toMatchObject({ code: 'idempotency_key_reused' })
  })

  test('many times at once is carried out once', async () => {
    const same = headers()
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(base, same)))
    const done = answers.filter(
      ({ status, headers }) => status === 200 && !headers.get('idempotency-replayed'),
    )
    expect(done).toHaveLength(1)
    for (const { status } of answers) expect([200, 503]).toContain(status)
  })

  test('may be sent again after it was refused', async () => {
    const same = headers()
    expect((await send(base.slice(0, 2), same)).status).toBe(422)
    expect((await send(base, same)).status).toBe(200)
  })
})

describe('while an import holds the lock', () => {
  const releases: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const release of releases.splice(0)) await release()
  })

  const lock = () =>
    new Promise<() => Promise<unknown>>((locked) => {
      const held = database.withConnection(async (client) => {
        await client.query('BEGIN; LOCK TABLE firms, users IN SHARE ROW EXCLUSIVE MODE')
        await new Promise<void>((release) => {
          const end = async () => {
            release()
            await held
          }
          releases.push(end)
          locked(end)
        })
      })
    })

  test('a change answers 503 after two seconds, and changes nothing', async () => {
    await send(base)
    const before = await everything(database)
    await lock()
    const started = performance.now()
    const rows = Array.from({ length: 6 }, (_, n) => [upsert('firm', { id: `n${n}`, name: 'x' })])
    const answers = await Promise.all(rows.map((row) => send(row)))
    expect(performance.now() - started).toBeGreaterThan(1500)
    for (const { status, headers, body } of answers) {
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(answers[0]?.body.detail).toContain('Nothing was changed')
    await releases[0]?.()
    expect(await everything(database)).toEqual(before)
    expect((await send(rows[0] ?? [])).status).toBe(200)
  })

  test('a change that waits is stored when the import ends, with the later instant', async () => {
    await send(base)
    const release = await lock()
    const waiting = send([upsert('firm', { id: 'f1', name: 'Later' })])
    await new Promise((resolve) => setTimeout(resolve, 200))
    const [{ now } = { now: new Date(8e15) }] = await query<{ now: Date }>(
      database,
      'SELECT clock_timestamp() AS now',
    )
    await release()
    const { body } = await waiting
    expect(new Date(body.changed_at).getTime()).toBeGreaterThanOrEqual(now.getTime())
  })
})

test('rows of the sandbox are left alone', async () => {
  await seed(database, {
    households: [{ id: 'sh', firm: 'sandbox' }],
    users: [{ id: 'su', firm: 'sandbox' }],
  })
  const before = await everything(database)
  const { body } = await send([
    upsert('household', { id: 'sh', firm_id: 'sandbox' }),
    remove('user', { id: 'su' }),
  ])
  const detail = 'belongs to `latchkey sandbox load`, and imports leave it alone'
  expect(body.errors.filter((error: { detail: string }) => error.detail.endsWith(detail))).toMatchObject([
    { line: 1, parameter: 'id' },
    { line: 1, parameter: 'firm_id' },
    { line: 2, parameter: 'id' },
  ])
  expect((await call('DELETE', '/directory/households/sh')).status).toBe(409)
  expect(await everything(database)).toEqual(before)
})
