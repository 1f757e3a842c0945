import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { listAudit } from '../../src/audit/list.ts'
import { systemOrigin } from '../../src/audit/origin.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import { queriesOn } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open.ts'
import { Purge } from '../../src/maintenance/purge.ts'
import { createPartner } from '../../src/partners/partners.ts'
import { chainAll } from '../support/audit.ts'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { testRetention } from '../support/purge.ts'
import { testKeys } from '../support/server.ts'

const db = await databaseFixture()
const role = `server_${randomBytes(4).toString('hex')}`
await query(db.database, `CREATE ROLE ${role} LOGIN PASSWORD 'of the server'`)
const url = new URL(db.url)
url.username = role
url.password = 'of the server'
// DATABASE_URL is the server's role, DATABASE_MIGRATION_URL the owner.
const place = { environment: 'sandbox', databaseUrl: url.href, migrationUrl: db.url, dataDir: '' } as const
const server = await openDatabase(place, 'server', () => {})
afterAll(async () => {
  await server.close()
  await query(db.database, `DROP OWNED BY ${role}`)
  await query(db.database, `DROP ROLE ${role}`)
})

const partner = { name: 'Ledger', redirectUris: ['https://partner.example/callback'], requirePkce: true }
const logger = { info() {}, error() {} }

test('58: the role of the server adds rows and chains them, but cannot change or remove any', async () => {
  expect((await createPartner(server, systemOrigin, 'sandbox', partner)).kind).toBe('created')
  await chainAll(server, db.database)
  await new Purge(server, logger, testRetention).round() // makes partitions, as the owner
  const { records } = await listAudit(server, { event: 'partner.created' }, { limit: 1 })
  expect(records).toMatchObject([{ place: expect.any(String), details: { after: { name: 'Ledger' } } }])
  const tables = await query<{ name: string }>(
    db.database,
    `SELECT relname AS name FROM pg_class WHERE relname ~ '^audit_' AND relkind IN ('r', 'p') ORDER BY 1`,
  )
  expect(tables.length).toBeGreaterThanOrEqual(7)
  for (const { name } of tables) {
    for (const attack of [
      `UPDATE ${name} SET `,
      `DELETE FROM ${name}`,
      `TRUNCATE ${name}`,
      `DROP TABLE ${name}`,
    ]) {
      const column = name === 'audit_chain' ? 'looked_to = looked_to' : 'at = at'
      const sql = attack.endsWith('SET ') ? attack + column : attack
      const refused = server.withConnection((client) => client.query(sql))
      await expect(refused, sql).rejects.toThrow(/permission denied|must be owner/)
    }
  }
})

test('58: temporary tables and functions of the server role do not run as the owner', async () => {
  const seen = await server.withConnection(async (client) => {
    await client.query(`
      CREATE TEMP TABLE audit_log (LIKE audit_log);
      INSERT INTO pg_temp.audit_log (id, at, transaction, event, actor_kind, via, target_kind, target_id, details)
      VALUES (1, '2001-01-01', '1', 'x', 'x', 'x', 'x', 'x', '{}');
      CREATE TEMP TABLE audit_chain AS SELECT 1::bigint AS audit_id;
      CREATE TEMP TABLE audit_log_default (at timestamptz);
      CREATE TEMP TABLE request_log_default (at timestamptz);
      INSERT INTO pg_temp.audit_log_default VALUES ('2001-01-01');
      INSERT INTO pg_temp.request_log_default VALUES ('2001-01-01');
      CREATE TEMP TABLE ran_as (role text);
      CREATE FUNCTION pg_temp.run() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO pg_temp.ran_as VALUES (current_user); RETURN OLD; END $$;
      CREATE TRIGGER run BEFORE DELETE ON pg_temp.audit_log_default FOR EACH ROW EXECUTE FUNCTION pg_temp.run();
      CREATE TRIGGER run BEFORE DELETE ON pg_temp.request_log_default FOR EACH ROW EXECUTE FUNCTION pg_temp.run();
      GRANT ALL ON ALL TABLES IN SCHEMA pg_temp TO PUBLIC;`)
    for (const call of ['keep_audit_log(12)', 'keep_request_log(7)'])
      await client.query(`SELECT ${call}`).catch(() => {})
    return (await client.query('SELECT role FROM ran_as')).rows
  })
  expect(seen).toEqual([])
})

test('a month is removed only by the retention, after it was chained; the rest is still verified', async () => {
  const old = (id: number) =>
    query(
      db.database,
      `INSERT INTO audit_log (at, event, actor_kind, via, target_kind, target_id)
       VALUES (now() - interval '20 months', 'user.updated', 'system', 'job', 'user', $1)`,
      [`u${id}`],
    )
  const purge = () => new Purge(server, logger, { ...testRetention, auditMonths: 12 }).round()
  const verify = () =>
    db.database.withConnection((client) => verifyAudit(queriesOn(client), testKeys('sandbox')))
  await old(1)
  expect(await purge()).not.toHaveProperty('audit_log') // it is not chained yet
  await old(2)
  await chainAll(server, db.database)
  expect(await purge()).toMatchObject({ audit_log: 2 })
  await chainAll(server, db.database)
  expect(await verify()).toMatchObject({ fault: null, removed: 2 })
  const { records } = await listAudit(server, { event: 'audit.partition_dropped' }, { limit: 2 })
  expect(records).toMatchObject([{ actor_kind: 'system', details: { rows: 2 } }])
  await query(db.database, `DELETE FROM audit_log WHERE event = 'partner.created'`)
  expect(await verify()).toMatchObject({ fault: { reason: 'the row was removed' } })
})
