import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Origin } from '../audit/origin.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Environment } from '../config.ts'
import { type Database, queriesOn } from '../database/database.ts'
import { knownMigrations, migrateUpTo } from '../database/migrate.ts'
import { migrateDeployment } from '../database/open.ts'
import { openSigningKeys } from '../keys/keyring.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { recordLostHeartbeats } from '../status/heartbeat.sql.ts'
import { BackupError, type BackupHeader, omittedTables, quotedName } from './backup-format.ts'
import { type AppliedEndings, applyEndingsFromDatabase, endAllGrants } from './endings.ts'
import { applyEndingsFromLog } from './endings-from-log.ts'
import { type BackupReader, readBackup } from './read-backup.ts'

/** The source of the endings since the backup. What ended must stay ended. */
export type EndingsSource =
  | { kind: 'database'; replaced: Database }
  | { kind: 'log'; file: string }
  /** There is no source. Therefore every grant ends. */
  | { kind: 'all' }

export type RestoreOptions = {
  environment: Environment
  /** They must decrypt the signing keys in the backup. */
  keys: SecretKeys
  endings: EndingsSource
  /** Days for which a refresh token may be newer than the backup. */
  tokenWindowDays: number
}

export type RestoreOutcome = {
  createdAt: string
  rows: Record<string, number>
  ended: AppliedEndings
  /** Days for which newer refresh tokens are accepted; 0 if the connections of the backup ended, because it is too old. */
  tokenWindowDays: number
}

/**
 * Restores a backup into an empty database and applies the endings since the backup, all or nothing. First creates the
 * schema of the backup; at the end applies this program's later migrations.
 * @throws {BackupError} when the file is not a complete backup, comes from the other environment or a newer program, or when
 *   the database is not empty
 * @throws {SecretMismatch} when no configured secret is the one of the backup
 */
export async function restore(
  database: Database,
  origin: Origin,
  file: string,
  { environment, keys, endings, tokenWindowDays }: RestoreOptions,
): Promise<RestoreOutcome> {
  const backup = await readBackup(file)
  checkHeader(backup.header, environment)
  await database.withConnection((client) => requireEmpty(client, backup.header))
  await migrateUpTo(database, backup.header.migrations.at(-1) ?? '')
  const rows: Record<string, number> = {}
  const hasTokens = backup.header.migrations.includes(tokenState)
  const ended = await database.withConnection(async (client) => {
    await client.query('BEGIN')
    // A server that started meanwhile has written rows: they must not be lost.
    await client.query('LOCK TABLE firms, users, partners, grants, signing_keys')
    await requireEmpty(client, backup.header)
    await load(client, backup, rows)
    await continueSequences(client)
    await openSigningKeys(queriesOn(client), keys)
    const applied = await apply(client, endings)
    if (hasTokens) await continueConnections(client, tokenWindowDays)
    await client.query('COMMIT')
    return applied
  })
  await migrateDeployment(database, { environment })
  await database.run(recordLostHeartbeats, [])
  await recordEvent(database, origin, {
    event: 'deployment.restored',
    target: { kind: 'deployment', id: environment },
    details: { backup_of: backup.header.created_at, endings: endings.kind, ended },
  })
  await database.withConnection((client) => client.query('ANALYZE'))
  const windowDays = hasTokens ? tokenWindowDays : 0
  return { createdAt: backup.header.created_at, rows, ended, tokenWindowDays: windowDays }
}

/** The migration that gave connections the state of their tokens. Older connections end when it is applied. */
const tokenState = '0015_tokens_without_rows.sql'

/**
 * A partner may have refreshed since the backup: for some days its token may be ahead of the row (docs/adr/0019). Access
 * tokens end, because one that was revoked after the backup must not become valid again. Partners then refresh.
 */
async function continueConnections(client: pg.Client, days: number): Promise<void> {
  await client.query('UPDATE connections SET access_nonce = NULL, previous_access_nonce = NULL')
  await client.query('UPDATE deployment SET accepts_tokens_ahead_until = now() + make_interval(days => $1)', [
    days,
  ])
}

function checkHeader(header: BackupHeader, environment: Environment): void {
  if (header.environment !== environment) {
    throw new BackupError(
      `This backup belongs to ${header.environment}, but LATCHKEY_ENVIRONMENT is ${environment}.`,
    )
  }
  const known = knownMigrations()
  const unknown = header.migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new BackupError(
      `This backup was made by a newer Latchkey: it has the migration ${unknown[0]}. Restore it with that version.`,
    )
  }
}

async function requireEmpty(client: pg.Client, { migrations }: BackupHeader): Promise<void> {
  const { rows: tables } = await client.query<{ table: string }>(
    `SELECT relname AS table FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`,
  )
  const names = tables.map(({ table }) => table)
  if (names.length === 0) return
  const refuse = (what: string) => {
    throw new BackupError(
      `A backup can be restored only into an empty database: ${what}. Nothing was changed.`,
    )
  }
  if (!names.includes('schema_migrations')) refuse('this database has tables of another program')
  const { rows: applied } = await client.query<{ name: string }>('SELECT name FROM schema_migrations')
  if (applied.some(({ name }) => !migrations.includes(name))) {
    refuse('this database has a newer schema than the backup; create a database without tables')
  }
  for (const table of ['firms', 'users', 'partners', 'grants', 'signing_keys']) {
    if (!names.includes(table)) continue
    const { rowCount } = await client.query(`SELECT FROM ${quotedName(table)} LIMIT 1`)
    if (rowCount) refuse(`this database has rows in ${table}`)
  }
}

async function load(client: pg.Client, backup: BackupReader, rows: Record<string, number>): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations'`,
  )
  // A migration may have inserted rows. The backup contains them too.
  await client.query(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`)
  // Its triggers write events, and a restored grant is not a new one. An end that is applied later writes one.
  await client.query('ALTER TABLE grants DISABLE TRIGGER USER')
  for await (const { table, columns, rows: text } of backup.tables()) {
    if (omittedTables.includes(table))
      throw new BackupError(`The backup must not contain the table ${table}.`)
    const names = columns.map(quotedName).join(', ')
    const copy = client.query(copyFrom(`COPY ${quotedName(table)} (${names}) FROM STDIN`))
    await pipeline(text, copy)
    rows[table] = copy.rowCount
  }
  await client.query('ALTER TABLE grants ENABLE TRIGGER USER')
}

/** New ids continue after the highest id in the backup. */
async function continueSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `SELECT c.oid::regclass::text AS table, quote_ident(a.attname) AS column,
            pg_get_serial_sequence(c.oid::regclass::text, a.attname) AS sequence
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> ''
      WHERE c.relnamespace = current_schema()::regnamespace`,
  )
  for (const { table, column, sequence } of rows) {
    await client.query(
      `SELECT setval($1::regclass, greatest(max(${column}), 1), max(${column}) IS NOT NULL) FROM ${table}`,
      [sequence],
    )
  }
}

async function apply(client: pg.Client, endings: EndingsSource): Promise<AppliedEndings> {
  switch (endings.kind) {
    case 'database':
      return endings.replaced.withConnection((replaced) => applyEndingsFromDatabase(replaced, client))
    case 'log':
      return applyEndingsFromLog(client, endings.file)
    case 'all':
      return endAllGrants(client)
  }
}
