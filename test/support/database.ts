import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openPool } from '../../src/database/database.ts'

export type TestDatabase = { url: string; database: Database; drop(): Promise<void> }

/** A database of one's own, cloned from the migrated template. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(server, `CREATE DATABASE ${name} TEMPLATE latchkey`)
  const url = server.replace(/\/latchkey$/, `/${name}`)
  const database = openPool(url, () => {})
  return {
    url,
    database,
    async drop() {
      await database.close()
      await administer(server, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** Rows of a statement that only a test needs. */
export async function query<Row extends pg.QueryResultRow>(
  database: Database,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return database.withConnection(async (client) => (await client.query<Row>(text, values)).rows)
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.replace(/\/latchkey$/, '/postgres') })
  await client.connect()
  try {
    // Two clones of one template at the same moment get in each other's way.
    await client.query('SELECT pg_advisory_lock(1)')
    await client.query(statement)
  } finally {
    await client.end()
  }
}
