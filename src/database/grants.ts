import type pg from 'pg'
import type { Database } from './database.ts'
import { MigrationError } from './migrate.ts'

/** Tables to which the server's role may only add rows. */
const appendOnly = ['audit_log', 'audit_chain', 'audit_checkpoints']

/** The role and the database of a connection. */
async function whoIs(database: Database): Promise<{ role: string; database: string; schema: string }> {
  return database.withConnection(async (client) => {
    const { rows } = await client.query<{ role: string; database: string; schema: string }>(
      'SELECT quote_ident(current_user) AS role, current_database() AS database, quote_ident(current_schema()) AS schema',
    )
    if (!rows[0]) throw new Error('the connection has no role')
    return rows[0]
  })
}

/**
 * Gives the server's role its rights on the tables of their owner, after a migration: on the audit log it may only insert and
 * read, and the migrations it may only read.
 * @throws {MigrationError} when the two connections lead to different databases
 */
export async function grantToServer(owner: Database, server: Database): Promise<void> {
  const [{ database: owned }, { role, database, schema }] = await Promise.all([whoIs(owner), whoIs(server)])
  if (owned !== database) {
    throw new MigrationError(
      `DATABASE_MIGRATION_URL leads to the database ${owned}, and DATABASE_URL to ${database}. Both must be the same.`,
    )
  }
  await owner.withConnection(async (client) => {
    const { rows } = await client.query<{ role: string }>('SELECT quote_ident(current_user) AS role')
    if (rows[0]?.role === role) return // one role for both: it owns the tables
    await client.query('BEGIN')
    await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
    await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`)
    await client.query(`GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`)
    const protectedTables = [...(await withPartitions(client)), 'schema_migrations'].join(', ')
    await client.query(`REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ${protectedTables} FROM ${role}`)
    await client.query(`GRANT INSERT ON ${appendOnly.join(', ')} TO ${role}`)
    await client.query('COMMIT')
  })
}

/** Rights of the parent table do not apply to statements that name a partition. */
async function withPartitions(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_log'::regclass`,
  )
  return [...appendOnly, ...rows.map(({ name }) => name)]
}
