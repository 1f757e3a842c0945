import { expect, test } from 'vitest'
import { FailedLogins } from '../../src/audit/failed-logins.ts'
import { systemOrigin } from '../../src/audit/origin.ts'
import { recordEvent } from '../../src/audit/record-event.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import { queriesOn } from '../../src/database/database.ts'
import { chainAll } from '../support/audit.ts'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { testKeys } from '../support/server.ts'

const { database } = await databaseFixture()
const verify = () =>
  database.withConnection((client) => verifyAudit(queriesOn(client), testKeys('sandbox'), []))

test.each([
  ['9007199254740992', '9007199254740993'],
  ['0.1', '0.10000000000000000001'],
  ['1e400', '2e400'],
  ['0', '1e-400'],
])('58: the number %s in a record becomes %s, which is the same in JavaScript', async (before, after) => {
  await recordEvent(database, systemOrigin, { event: 'audit.exported', target: { kind: 'audit', id: 'log' } })
  const change = (number: string) =>
    query(
      database,
      `UPDATE audit_log SET details = '{"rows": [{"n": ${number}}]}' WHERE id = (SELECT max(id) FROM audit_log)`,
    )
  await query(database, 'ALTER TABLE audit_log DISABLE TRIGGER ALL')
  await change(before)
  await chainAll(database)
  expect((await verify()).fault).toBeNull()
  await change(after)
  expect((await verify()).fault).toMatchObject({ reason: 'the row or its place was changed' })
  await change(before)
})

test('58: failed logins that cannot be written are kept for the next write', async () => {
  let isAway = true
  const sometimes: typeof database = {
    ...database,
    run: (statement, values) =>
      isAway ? Promise.reject(new Error('away')) : database.run(statement, values),
  }
  const logger = { warn: () => {}, error: () => {} }
  const failures = new FailedLogins(sometimes, logger, () => new Date())
  const failure = { method: 'password', reason: 'refused', address: '192.0.2.7' } as const
  failures.count(failure)
  failures.count({ ...failure, address: '192.0.2.8' })
  await failures.write()
  isAway = false
  failures.count(failure)
  await failures.write()
  const rows = await query(
    database,
    `SELECT address, (details->>'count')::int AS count FROM audit_log WHERE event = 'login.failed' ORDER BY address`,
  )
  expect(rows).toEqual([
    { address: '192.0.2.7', count: 2 },
    { address: '192.0.2.8', count: 1 },
  ])
})
