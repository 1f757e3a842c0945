import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openPool } from '../../src/database/database.ts'

export type TestDatabase = { url: string; database: Database; drop(): Promise<void> }

/** A separate database, cloned from the migrated template. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(server, `CREATE DATABASE ${name} TEMPLATE latchkey STRATEGY FILE_COPY`)
  const url = server.replace(/\/latchkey$/, `/${name}`)
  const database = openPool(url, () => {})
  const aside = new pg.Pool({ connectionString: url, max: 4 })
  aside.on('error', () => {})
  pools.set(database, aside)
  urls.set(database, url)
  return {
    url,
    database,
    async drop() {
      await database.close()
      await aside.end()
      await administer(server, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** For statements that tests themselves run on a `testDatabase`. A new connection for each would be slow. */
const pools = new WeakMap<Database, pg.Pool>()

const urls = new WeakMap<Database, string>()

/** Connection string of a `testDatabase`. */
export function urlOf(database: Database): string {
  const url = urls.get(database)
  if (url === undefined) throw new Error('not a test database')
  return url
}

/** Runs a statement that only a test needs. @returns its rows */
export async function query<Row extends pg.QueryResultRow>(
  database: Database,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const pool = pools.get(database)
  if (pool) return (await pool.query<Row>(text, values)).rows
  return database.withConnection(async (client) => (await client.query<Row>(text, values)).rows)
}

/** One connection for all test files of a worker. It does not keep the worker running. */
let administrator: pg.Pool | undefined

async function administer(server: string, statement: string): Promise<void> {
  administrator ??= new pg.Pool({
    connectionString: server.replace(/\/latchkey$/, '/postgres'),
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  const client = await administrator.connect()
  try {
    // Two clones of one template at the same time block each other.
    await client.query('SELECT pg_advisory_lock(1)')
    await client.query(statement)
  } finally {
    await client.query('SELECT pg_advisory_unlock(1)')
    client.release()
  }
}
