import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { ExplainedError } from '../explained-error.ts'
import type { Database } from './database.ts'

const includedMigrations = fileURLToPath(new URL('../../migrations', import.meta.url))
const migrationLock = 4_710_003

export class MigrationError extends ExplainedError {}

/** `compatible`: a program that does not know this migration still works with the database. */
type Kind = 'compatible' | 'breaking'

/** `digest` leaves out the first line, which holds the kind: some databases applied the files before they had that line. */
type Migration = { name: string; kind: Kind; sql: string; digest: string }

/** `kind` is null in a database that was last migrated before kinds were recorded. */
type Applied = { name: string; digest: string; kind: string | null }

export type SchemaState =
  | { kind: 'none' }
  /** All migrations of this program are applied. Other applied migrations are compatible. */
  | { kind: 'current'; version: string }
  | { kind: 'outdated'; version: string; needed: string; pending: Pick<Migration, 'name' | 'kind'>[] }

/** How long to wait for the locks of one migration. Times are in milliseconds. */
type LockRetry = { lockTimeout: number; attempts: number; pause: number }

/**
 * While a migration waits for a table's lock, every later statement on that table waits behind the migration. Therefore it
 * waits at most two seconds, lets the other statements run, and tries again.
 */
const defaultLockRetry: LockRetry = { lockTimeout: 2000, attempts: 10, pause: 1000 }

/**
 * Applies the pending migrations, each file in its own transaction. One process at a time does this; the others wait.
 * @returns the names of the files applied now
 * @throws {MigrationError} when the database is newer than the program, an applied file was changed, or a table stayed
 *   locked. The migrations before the one that failed stay applied; the one that failed is undone.
 */
export function migrate(
  database: Database,
  directory = includedMigrations,
  lockRetry: LockRetry = defaultLockRetry,
): Promise<string[]> {
  return applyPending(database, readMigrations(directory), lockRetry)
}

/** Applies the pending migrations up to `last`, for a backup with that schema. */
export function migrateUpTo(database: Database, last: string): Promise<string[]> {
  const files = readMigrations(includedMigrations).filter(({ name }) => name <= last)
  return applyPending(database, files, defaultLockRetry)
}

/** The names of this program's migrations, in order. */
export function knownMigrations(): string[] {
  return readMigrations(includedMigrations).map(({ name }) => name)
}

function applyPending(database: Database, files: Migration[], lockRetry: LockRetry): Promise<string[]> {
  return database.withConnection(async (client) => {
    await lockSchema(client, 'pg_advisory_lock', '10min')
    const applied = await readApplied(client)
    compare(applied, files)
    const pending = files.filter((file) => !applied.some(({ name }) => name === file.name))
    if (pending.length > 0) {
      await inTransaction(client, 'of schema_migrations', lockRetry, () => client.query(createRecord))
    }
    for (const migration of pending) await apply(client, migration, lockRetry)
    return pending.map(({ name }) => name)
  })
}

/**
 * Compares the database with this program and changes nothing. Waits for a migration that runs.
 * @throws {MigrationError} when the database is newer than the program, or an applied file was changed
 */
export async function readSchema(
  client: pg.ClientBase,
  directory = includedMigrations,
): Promise<SchemaState> {
  const files = readMigrations(directory)
  await lockSchema(client, 'pg_advisory_lock_shared', '1min')
  try {
    return compare(await readApplied(client), files)
  } finally {
    await client.query('SELECT pg_advisory_unlock_shared($1)', [migrationLock])
  }
}

/** Explains why this program cannot use the schema, and which command to run. */
export function explainSchema(state: Exclude<SchemaState, { kind: 'current' }>): string {
  if (state.kind === 'none') return 'The database has no schema yet. Run `latchkey migrate`.'
  const { version, needed } = state
  return `The database has schema ${version}; this program needs ${needed}. Run \`latchkey migrate\`.`
}

async function lockSchema(client: pg.ClientBase, lock: string, timeout: string): Promise<void> {
  await client.query(`SET lock_timeout = '${timeout}'`)
  try {
    await client.query(`SELECT ${lock}($1)`, [migrationLock])
  } catch (cause) {
    if (!isLockFault(cause)) throw cause
    throw new MigrationError(
      `Another process has been migrating this database for more than ${timeout}. Try again after it has finished.`,
      { cause },
    )
  }
  await client.query('RESET lock_timeout')
}

async function readApplied(client: pg.ClientBase): Promise<Applied[]> {
  const found = await client.query(`SELECT WHERE to_regclass('schema_migrations') IS NOT NULL`)
  if (found.rowCount === 0) return []
  // As JSON, because the column `kind` may be missing.
  const { rows } = await client.query<Applied>(
    `SELECT name, digest, to_jsonb(m)->>'kind' AS kind FROM schema_migrations m ORDER BY name`,
  )
  return rows
}

/** No migration creates this table, because it must exist before the first migration. */
const createRecord = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
  ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS
    kind text NOT NULL DEFAULT 'breaking' CHECK (kind IN ('compatible', 'breaking'))`

async function apply(client: pg.ClientBase, migration: Migration, lockRetry: LockRetry): Promise<void> {
  const { name, digest, kind, sql } = migration
  await inTransaction(client, name, lockRetry, async () => {
    await client.query(sql)
    const insert = 'INSERT INTO schema_migrations (name, digest, kind) VALUES ($1, $2, $3)'
    await client.query(insert, [name, digest, kind])
  })
}

async function inTransaction(
  client: pg.ClientBase,
  name: string,
  { lockTimeout, attempts, pause }: LockRetry,
  work: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('BEGIN')
      await client.query(`SET LOCAL lock_timeout = ${lockTimeout}`)
      await work()
      await client.query('COMMIT')
      return
    } catch (cause) {
      await client.query('ROLLBACK').catch(() => {})
      if (!isLockFault(cause)) {
        throw new MigrationError(`Migration ${name} failed and was undone: ${cause}`, { cause })
      }
      if (attempt === attempts) throw new MigrationError(lockedOut(name, attempts), { cause })
    }
    await sleep(pause)
  }
}

function lockedOut(name: string, attempts: number): string {
  return (
    `Migration ${name} was not applied: another session kept a lock on its tables during ${attempts} attempts. ` +
    'It changed nothing. An import or a long transaction may hold the lock; pg_stat_activity shows the sessions. ' +
    'After that session has ended, run `latchkey migrate` again.'
  )
}

/** A lock timeout, or a deadlock that PostgreSQL resolved by ending this transaction. */
function isLockFault(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '55P03' || error.code === '40P01')
}

function readMigrations(directory: string): Migration[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(directory, name), 'utf8')
      const first = /^-- (compatible|breaking)\n/.exec(text)
      if (!first) throw new Error(`The first line of ${name} must be \`-- compatible\` or \`-- breaking\`.`)
      const sql = text.slice(first[0].length)
      const kind = first[1] === 'compatible' ? 'compatible' : 'breaking'
      return { name, kind, sql, digest: createHash('sha256').update(sql).digest('hex') }
    })
}

function compare(applied: Applied[], files: Migration[]): SchemaState {
  const known = new Map(files.map((file) => [file.name, file]))
  const pending = files.filter(({ name }) => !applied.some((row) => row.name === name))
  for (const { name, digest, kind } of applied) {
    const file = known.get(name)
    if (!file && kind !== 'compatible') {
      throw new MigrationError(
        `The database is newer than this program: it has ${name}, which is a breaking change. Use a newer version of Latchkey.`,
      )
    }
    if (!file && pending[0]) {
      throw new MigrationError(
        `The database has ${name}, which this program does not know, and lacks ${pending[0].name}. The two come from different branches of development.`,
      )
    }
    if (file && file.digest !== digest) {
      throw new MigrationError(
        `${name} was changed after it had been applied. Never change an applied migration: add a new one.`,
      )
    }
  }
  const last = applied.at(-1)
  if (!last) return { kind: 'none' }
  const version = versionOf(last.name)
  if (pending.length === 0) return { kind: 'current', version }
  return { kind: 'outdated', version, needed: versionOf(files.at(-1)?.name ?? ''), pending }
}

/** `0010` of `0010_changes.sql`. */
function versionOf(name: string): string {
  return name.split('_')[0] ?? name
}
