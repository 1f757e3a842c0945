import { expect, test } from 'vitest'
import { newKey } from '../support/admin.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { directoryCaller, remove, upsert } from '../support/directory-api.ts'
import { serverFixture } from '../support/fixtures.ts'
import { emptyDirectory, everything, take } from '../support/import.ts'

const server = await serverFixture()
const { database } = server
const send = directoryCaller(server, await newKey(server, ['directory:write']))

test('82: two programs and an import that write the same rows at once: each is stored as a whole, in the order of the instants', async () => {
  await emptyDirectory(database)
  await send([upsert('firm', { id: 'f1', name: 'x' })])
  const ids = Array.from({ length: 20 }, (_, n) => `h${n}`)
  const batch = (name: string) => ids.map((id) => upsert('household', { id, firm_id: 'f1', name }))
  const instants = new Map<string, Date>()
  const program = async (who: string) => {
    for (let turn = 0; turn < 15; turn++) {
      const name = `${who} ${turn}`
      const { status, body } = await send(turn % 2 === 0 ? batch(name) : batch(name).reverse())
      if (status === 200) instants.set(name, new Date(body.changed_at))
      else expect(status).toBe(503)
    }
  }
  const importer = async () => {
    for (let turn = 0; turn < 4; turn++) {
      const name = `import ${turn}`
      const rows = ids.map((id) => `${id},f1,${name}`).join('\n')
      expect(await take(database, { 'households.csv': `id,firm_id,name\n${rows}` })).toMatchObject({
        kind: 'imported',
      })
    }
  }
  let isOver = false
  const seen: { names: string[]; changed: Date }[] = []
  const reader = async () => {
    while (!isOver) {
      const [row] = await query<{ names: string[]; changed: Date }>(
        database,
        `SELECT array_agg(DISTINCT h.name) AS names, f.changed_at AS changed
           FROM firms f JOIN households h ON h.firm_id = f.id GROUP BY f.id`,
      )
      if (row) seen.push(row)
    }
  }
  const reading = reader()
  await Promise.all([program('one'), program('two'), importer()])
  isOver = true
  await reading
  expect(instants.size).toBeGreaterThan(10)
  for (const [index, { names, changed }] of seen.entries()) {
    expect(names).toHaveLength(1)
    const instant = instants.get(names[0] ?? '')
    if (instant) expect(changed).toEqual(instant)
    if (index > 0) expect(changed >= (seen[index - 1]?.changed ?? changed)).toBe(true)
  }
})

test('82: a user who is created or disabled while a change runs', async () => {
  await emptyDirectory(database)
  await seed(database, { users: ['ada'] })
  const ada = {
    id: 'ada',
    firm_id: 'firm-1',
    email: 'ada@example.com',
    name: 'A',
    role: 'sees-firm',
    status: 'active',
  }
  const rounds = Array.from({ length: 10 }, (_, n) => n)
  await Promise.all([
    ...rounds.map((n) => send([upsert('user', { ...ada, name: `A ${n}` })])),
    query(database, `UPDATE users SET status = 'disabled', disabled_by_operator_at = now() WHERE id = 'ada'`),
    ...rounds.map((n) =>
      query(
        database,
        `INSERT INTO users (id, firm_id, email, email_folded, name, role, status)
         VALUES ($1, 'firm-1', $2, $2, 'B', 'sees-firm', 'active') ON CONFLICT DO NOTHING`,
        [`b${n}`, `b${n}@example.com`],
      ),
    ),
    ...rounds.map(async (n) => {
      const { status } = await send([upsert('user', { ...ada, id: `c${n}`, email: `b${n}@example.com` })])
      expect([200, 422, 503]).toContain(status)
    }),
  ])
  expect(await query(database, `SELECT status FROM users WHERE id = 'ada'`)).toEqual([{ status: 'disabled' }])
  const [counts] = await query<{ users: number; addresses: number }>(
    database,
    'SELECT count(*)::integer AS users, count(DISTINCT email_folded)::integer AS addresses FROM users',
  )
  expect(counts?.addresses).toBe(counts?.users)
})

test('82: bodies that are too large, too deep or poisoned change nothing and are no error of the server', async () => {
  await emptyDirectory(database)
  await send([upsert('firm', { id: 'f1', name: 'x' })])
  const before = await everything(database)
  const bodies = [
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    `{"op":"upsert","type":"firm","id":"f2","name":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
    '{"op":"upsert","type":"firm","id":"f2","__proto__":{"name":"x"}}',
    '{"op":"upsert","type":"__proto__","id":"f2","name":"x"}',
    '{"op":"upsert","type":"constructor","id":"f2","name":"x"}',
    '{"op":"upsert","type":"firm","id":["f2"],"name":"x"}',
    `{"op":"upsert","type":"firm","id":"f2","name":"${'x'.repeat(2_000_000)}"}`,
    '{"op":"upsert","type":"firm","id":"f2\'; DROP TABLE firms; --","name":"x"}',
    '{"op":"delete","type":"firm","id":"f1"}\n{"op":"upsert","type":"household","id":"h1","firm_id":"f1"}',
  ]
  for (const body of bodies) expect((await send(body)).status).toBe(422)
  expect((await send('x'.repeat(17 * 1024 * 1024))).status).toBe(413)
  expect((await send([remove('firm', { id: 'f1', op: 'upsert' })])).status).toBe(422)
  expect(await everything(database)).toEqual(before)
})
