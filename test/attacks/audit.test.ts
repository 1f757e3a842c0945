import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chainRows } from '../../src/audit/chain.ts'
import { chainHash } from '../../src/audit/chain-hash.ts'
import { signCheckpoint } from '../../src/audit/checkpoint.ts'
import { systemOrigin } from '../../src/audit/origin.ts'
import { recordEvent } from '../../src/audit/record-event.ts'
import { signRemoval } from '../../src/audit/removals.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import { queriesOn } from '../../src/database/database.ts'
import { secretKeys } from '../../src/secrets/secret-keys.ts'
import { chainAll } from '../support/audit.ts'
import { auditLogFixture } from '../support/audit-log.ts'
import { query } from '../support/database.ts'
import { ofRuns } from '../support/property-runs.ts'

// The attacker owns the database, but has neither LATCHKEY_SECRET nor the server's log.

const world = await auditLogFixture()
const { database, keys, lines, errors, verify, exported, verifyLines } = world
const attackersKeys = secretKeys({
  secret: 'the secret of an attacker, 32 bytes or more',
  environment: 'sandbox',
})

test('without an attack, nothing is found', async () => {
  const kept = await verify(lines)
  expect(kept).toMatchObject({ fault: null, checkpoints: 2 * 3, unverifiable: 0, waiting: 0 })
  expect(kept.rows).toBeGreaterThanOrEqual(12)
  expect(await verifyLines(await exported())).toMatchObject({
    fault: null,
    rows: kept.rows,
    signature: 'verified',
  })
})

describe('58: the audit log is changed in the database', () => {
  const columns = [
    "event = 'partner.deleted'",
    "actor_kind = 'operator'",
    "actor_id = 'someone'",
    "actor_name = 'Someone'",
    "via = 'console'",
    "address = '192.0.2.1'",
    "user_agent = 'curl'",
    "request_id = 'r1'",
    "target_kind = 'user'",
    "target_id = 'u1'",
    "firm_id = 'f1'",
    "user_id = 'u1'",
    "client_id = 'c1'",
    `details = details || '{"more": 1}'`,
    "at = at + interval '1 microsecond'",
    'transaction = (transaction::text::bigint + 1)::text::xid8',
  ]
  test.each(columns)('a column: %s', async (change) => {
    await query(
      database,
      `UPDATE audit_log SET ${change} WHERE id = (SELECT audit_id FROM audit_chain WHERE place = 4)`,
    )
    expect(await verify()).toMatchObject({ fault: { place: '4' } })
  })

  test('a row is deleted, with or without its place in the chain', async () => {
    await query(
      database,
      'DELETE FROM audit_log WHERE id = (SELECT audit_id FROM audit_chain WHERE place = 5)',
    )
    expect(await verify()).toMatchObject({ fault: { place: '5', reason: 'the row was removed' } })
    await query(database, 'DELETE FROM audit_chain WHERE place = 5')
    expect(await verify()).toMatchObject({ fault: { place: '5', reason: expect.stringContaining('gap') } })
    await query(database, 'UPDATE audit_chain SET place = -place WHERE place > 5')
    await query(database, 'UPDATE audit_chain SET place = -place - 1 WHERE place < 0')
    expect(await verify()).toMatchObject({ fault: { place: '5' } })
  })

  test('a row is inserted among earlier ones, also as a copy with the same id', async () => {
    const insert = (values: string) =>
      query(
        database,
        `INSERT INTO audit_log (id, at, transaction, event, actor_kind, via, target_kind, target_id)
         OVERRIDING SYSTEM VALUE SELECT ${values}, 'user.deleted', 'system', 'job', 'user', 'u1' FROM audit_log ORDER BY id LIMIT 1`,
      )
    await insert('1000000, at, transaction')
    await world.chain.round()
    expect((await verify()).fault?.reason).toMatch(/^1 rows are not in the chain.* 1000000$/)
    await query(database, 'DELETE FROM audit_log WHERE id = 1000000')
    await insert(`id, at + interval '1 second', transaction`)
    await world.chain.round()
    expect((await verify()).fault?.reason).toMatch(/^1 rows are not in the chain/)
  })

  test('a row is added with an earlier date, and is chained like every other', async () => {
    await query(
      database,
      `INSERT INTO audit_log (at, event, actor_kind, via, target_kind, target_id)
       VALUES (now() - interval '30 days', 'partner.created', 'os_user', 'cli', 'partner', 'x')`,
    )
    await chainAll(database)
    expect((await verify()).fault?.reason).toMatch(/was stored days later/)
  })

  test('two rows change their places', async () => {
    await query(
      database,
      `UPDATE audit_chain c SET (audit_at, audit_id) = (SELECT audit_at, -audit_id FROM audit_chain o WHERE o.place = 15 - c.place)
        WHERE place IN (7, 8)`,
    )
    await query(database, 'UPDATE audit_chain SET audit_id = -audit_id WHERE audit_id < 0')
    expect(await verify()).toMatchObject({ fault: { place: '7' } })
  })

  /** Chains all rows again, as someone who has the program can. */
  async function chainAgain(): Promise<void> {
    await query(database, 'TRUNCATE audit_chain')
    await chainAll(database)
  }

  test('and all rows are chained again: the checkpoints do not fit', async () => {
    await query(
      database,
      "UPDATE audit_log SET actor_id = 'another' WHERE id = (SELECT min(id) FROM audit_log)",
    )
    await chainAgain()
    expect((await verify()).fault?.reason).toMatch(/^checkpoint 1 has another hash/)
  })

  test('and checkpoints are removed too: they leave a gap; without any, the server that runs and the log tell', async () => {
    await world.chain.sign() // the server has seen the last checkpoint
    await query(
      database,
      "UPDATE audit_log SET actor_id = 'another' WHERE id = (SELECT min(id) FROM audit_log)",
    )
    await chainAgain()
    await query(database, 'DELETE FROM audit_checkpoints WHERE number <= 2')
    expect((await verify()).fault?.reason).toBe('checkpoint 1 was removed')
    await query(database, 'DELETE FROM audit_checkpoints')
    expect((await verify()).signed_to).toBeNull()
    errors.length = 0
    await world.chain.sign()
    expect(errors).toMatchObject([{ event: 'audit_chain', outcome: 'tampered' }])
    expect((await verify(lines)).fault?.reason).toMatch(/^checkpoint 1 has another hash.* \(from the log\)$/)
  })

  test('with checkpoints that the attacker has signed: wrong signature', async () => {
    const [{ hash } = { hash: Buffer.alloc(0) }] = await query<{ hash: Buffer }>(
      database,
      'SELECT hash FROM audit_chain WHERE place = 4',
    )
    const forged = signCheckpoint(attackersKeys, {
      number: '1',
      place: '4',
      hash: hash.toString('hex'),
      at: new Date().toISOString(),
    })
    for (const keyId of [forged.key_id, keys.current.id]) {
      await query(
        database,
        'UPDATE audit_checkpoints SET signature = $1, key_id = $2, at = $3 WHERE number = 1',
        [Buffer.from(forged.signature, 'base64url'), keyId, forged.at],
      )
      const found = await verify()
      if (keyId === keys.current.id) expect(found.fault?.reason).toBe('checkpoint 1 has a wrong signature')
      else expect(found).toMatchObject({ fault: null, unverifiable: 1 })
    }
  })

  test('the tail is cut off: the checkpoint tells, and without it the log', async () => {
    await query(
      database,
      'DELETE FROM audit_log WHERE id IN (SELECT audit_id FROM audit_chain WHERE place > 8)',
    )
    await query(database, 'DELETE FROM audit_chain WHERE place > 8')
    expect((await verify()).fault?.reason).toMatch(/the tail was cut off$/)
    await query(database, 'DELETE FROM audit_checkpoints WHERE place > 8')
    expect((await verify()).fault).toBeNull()
    expect((await verify(lines)).fault?.reason).toMatch(/the tail was cut off \(from the log\)$/)
  })

  /** Deletes rows, dates their places back, and stores a record that says the retention has removed them. */
  async function removeAsRetention(places: number[], details: Record<string, unknown>): Promise<void> {
    await recordEvent(database, systemOrigin, {
      event: 'audit.partition_dropped',
      target: { kind: 'audit', id: 'log' },
      details,
    })
    await chainRows(database)
    const list = places.join(', ')
    await query(
      database,
      `DELETE FROM audit_log WHERE id IN (SELECT audit_id FROM audit_chain WHERE place IN (${list}))`,
    )
    await query(
      database,
      `UPDATE audit_chain SET audit_at = audit_at - interval '1 year' WHERE place IN (${list})`,
    )
  }
  const before = '2999-01-01T00:00:00.000Z'

  test('a forged record of the retention excuses no deleted row', async () => {
    for (const details of [
      { before },
      signRemoval(attackersKeys, { before, places: '{[1,4)}' }),
      { ...signRemoval(keys, { before, places: '{[1,2)}' }), places: '{[1,4)}' },
    ]) {
      await removeAsRetention([3], details)
      expect(await verify()).toMatchObject({ fault: { place: '3', reason: 'the row was removed' } })
    }
  })

  test('the record of a server excuses its places only, and the export begins after them', async () => {
    await removeAsRetention([1, 2], signRemoval(keys, { before, places: '{[1,3)}' }))
    expect(await verify()).toMatchObject({ fault: null, removed: 2 })
    const kept = await exported()
    expect(JSON.parse(kept[0] ?? '').unmapped.place).toBe('3')
    expect((await verifyLines(kept)).fault).toBeNull()
    await removeAsRetention([5], { before })
    expect(await verify()).toMatchObject({ fault: { place: '5', reason: 'the row was removed' } })
  })

  test('any single change is found', async () => {
    const [{ rows } = { rows: 0 }] = await query<{ rows: number }>(
      database,
      'SELECT count(*)::int AS rows FROM audit_chain',
    )
    const change = fc.record({
      place: fc.integer({ min: 1, max: rows }),
      change: fc.constantFrom(...columns, 'delete', 'hash', 'checkpoint'),
    })
    await fc.assert(
      fc.asyncProperty(change, async ({ place, change }) => {
        const row = `id = (SELECT audit_id FROM audit_chain WHERE place = ${place})`
        await database.withConnection(async (client) => {
          await client.query('BEGIN')
          if (change === 'delete') await client.query(`DELETE FROM audit_log WHERE ${row}`)
          else if (change === 'hash')
            await client.query(`UPDATE audit_chain SET hash = sha256(hash) WHERE place = ${place}`)
          else if (change === 'checkpoint')
            await client.query('UPDATE audit_checkpoints SET hash = sha256(hash) WHERE number = 2')
          else await client.query(`UPDATE audit_log SET ${change} WHERE ${row}`)
          const { fault } = await verifyAudit(queriesOn(client), keys)
          if (change === 'checkpoint') expect(fault?.reason).toContain('checkpoint 2')
          else expect(fault?.place).toBe(String(place))
          await client.query('ROLLBACK')
        })
      }),
      { numRuns: ofRuns(200) },
    )
  })
})

describe('58: an export of the audit log is changed', () => {
  const changed: [string, (lines: string[]) => string[]][] = [
    ['a line is removed', (lines) => lines.toSpliced(4, 1)],
    ['the first line is removed', (lines) => lines.slice(1)],
    ['the end is cut off', (lines) => lines.slice(0, -1)],
    ['a line is repeated', (lines) => lines.toSpliced(4, 0, lines[4] ?? '')],
    ['two lines change their places', (lines) => lines.toSpliced(4, 2, lines[5] ?? '', lines[4] ?? '')],
    ['a value is changed', (lines) => lines.with(4, (lines[4] ?? '').replaceAll('partner.', 'user.'))],
    [
      'only what people search is changed',
      (lines) => lines.with(4, (lines[4] ?? '').replace(/"time":\d+/, '"time":1')),
    ],
    ['a line is not JSON', (lines) => lines.with(4, '{')],
    [
      'a field is added to a record',
      (lines) => lines.with(4, (lines[4] ?? '').replace('"record":{', '"record":{"note":"x",')),
    ],
    [
      'a field is added to the seal',
      (lines) => lines.with(0, (lines[0] ?? '').replace('"seal":{', '"seal":{"note":"x",')),
    ],
    [
      'a seal is added to a later line',
      (lines) => {
        const { seal } = JSON.parse(lines[0] ?? '').unmapped
        const line = JSON.parse(lines[4] ?? '')
        line.unmapped.seal = seal
        return lines.with(4, JSON.stringify(line))
      },
    ],
  ]
  test.each(changed)('%s', async (_, change) => {
    const lines = await exported()
    expect((await verifyLines(lines)).fault).toBeNull()
    expect((await verifyLines(change(lines))).fault).not.toBeNull()
  })

  test('and chained again: the seal does not fit', async () => {
    const lines = await exported()
    let previous = Buffer.from(JSON.parse(lines[0] ?? '').unmapped.seal.previous_hash, 'hex')
    const forged = lines.map((line) => {
      const event = JSON.parse(line.replaceAll('Renamed 1', 'Renamed X'))
      previous = Buffer.from(chainHash(previous, event.unmapped.record))
      event.unmapped.hash = previous.toString('hex')
      return JSON.stringify(event)
    })
    expect((await verifyLines(forged)).fault?.reason).toBe('rows were changed and chained again')
  })
})
