import { expect, test } from 'vitest'
import { chainRows } from '../../src/audit/chain.ts'
import { systemOrigin } from '../../src/audit/origin.ts'
import { recordEvent } from '../../src/audit/record-event.ts'
import { queriesOn } from '../../src/database/database.ts'
import { chainAll } from '../support/audit.ts'
import { auditLogFixture } from '../support/audit-log.ts'
import { query } from '../support/database.ts'

const { database, verify } = await auditLogFixture()

test('rows of transactions that run at the same time are all chained, in their order, by two servers at once', async () => {
  await chainAll(database)
  const before = await verify()
  await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      database.withConnection(async (client) => {
        await client.query('BEGIN')
        const queries = queriesOn(client)
        const record = () =>
          recordEvent(queries, systemOrigin, { event: 'user.updated', target: { kind: 'user', id: `u${n}` } })
        await record()
        await Promise.all([chainRows(database), chainRows(database)])
        await record()
        await client.query(n % 4 === 3 ? 'ROLLBACK' : 'COMMIT')
      }),
    ),
  )
  await Promise.all([chainAll(database), chainAll(database)])
  const after = await verify()
  expect(after.fault).toBeNull()
  expect(after.rows - before.rows).toBe(18)
  const order = await query<{ sorted: boolean }>(
    database,
    `SELECT bool_and((transaction, id) > (before, before_id)) AS sorted FROM (
       SELECT a.transaction, a.id, lag(a.transaction) OVER w AS before, lag(a.id) OVER w AS before_id
         FROM audit_chain c JOIN audit_log a ON a.id = c.audit_id WINDOW w AS (ORDER BY c.place)) AS rows`,
  )
  expect(order).toEqual([{ sorted: true }])
})

test('in a database that was copied to another cluster, new rows are chained although their transactions have lower numbers', async () => {
  await query(
    database,
    `UPDATE audit_chain SET looked_to = '99999999999' WHERE place = (SELECT max(place) FROM audit_chain)`,
  )
  const before = await verify()
  for (const id of ['one', 'two']) {
    await recordEvent(database, systemOrigin, { event: 'user.updated', target: { kind: 'user', id } })
    await chainAll(database)
  }
  const after = await verify()
  expect(after.fault).toBeNull()
  expect(after.rows - before.rows).toBe(2)
})
