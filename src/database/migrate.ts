import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ExplainedError } from '../explained-error.ts'
import type { Database } from './database.ts'

const ownMigrations = fileURLToPath(new URL('../../migrations', import.meta.url))
const migrating = 4_710_003

export class MigrationError extends ExplainedError {}

/**
 * Brings the database to this program's schema: each file in a transaction of its own, one node at a time, forward only.
 * @param upTo the last file to apply; every file by default
 * @returns the names of the files applied now
 * @throws {MigrationError} when the database is newer than the program, or an applied file was changed
 */
export function migrate(database: Database, directory = ownMigrations, upTo?: string): Promise<string[]> {
  return database.withConnection(async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [migrating])
    // Asked first: IF NOT EXISTS would want the right to create tables even where there is nothing to create.
    const { rowCount } = await client.query(`SELECT WHERE to_regclass('schema_migrations') IS NOT NULL`)
    if (rowCount === 0) {
      await client.query(`CREATE TABLE schema_migrations (
        name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`)
    }
    const { rows } = await client.query<{ name: string; digest: string }>(
      'SELECT name, digest FROM schema_migrations',
    )
    const files = migrations(directory).filter(({ name }) => upTo === undefined || name <= upTo)
    refuseNewerOrChanged(rows, files)
    const pending = files.filter((file) => !rows.some((row) => row.name === file.name))
    for (const { name, digest, sql } of pending) {
      try {
        await client.query('BEGIN')
        await client.query(sql)
        await client.query('INSERT INTO schema_migrations (name, digest) VALUES ($1, $2)', [name, digest])
        await client.query('COMMIT')
      } catch (cause) {
        await client.query('ROLLBACK').catch(() => {})
        throw new MigrationError(`Migration ${name} failed and was undone: ${cause}`, { cause })
      }
    }
    return pending.map((file) => file.name)
  })
}

/** The names of this program's migrations, in order. */
export function knownMigrations(): string[] {
  return migrations(ownMigrations).map(({ name }) => name)
}

function migrations(directory: string) {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(directory, name), 'utf8')
      return { name, sql, digest: createHash('sha256').update(sql).digest('hex') }
    })
}

function refuseNewerOrChanged(
  applied: { name: string; digest: string }[],
  files: ReturnType<typeof migrations>,
): void {
  for (const { name, digest } of applied) {
    const file = files.find((candidate) => candidate.name === name)
    if (!file) {
      throw new MigrationError(
        `The database is newer than this program: it has ${name}. Run the newer Latchkey on it.`,
      )
    }
    if (file.digest !== digest) {
      throw new MigrationError(
        `${name} was changed after it had been applied. Migrations go forward only: add a new one.`,
      )
    }
  }
}
