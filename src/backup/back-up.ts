import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Environment } from '../config.ts'
import type { Database } from '../database/database.ts'
import {
  BackupError,
  type BackupHeader,
  endOfRows,
  newDigest,
  omittedTables,
  quotedName,
  type TableHeader,
} from './backup-format.ts'

/** `rows` is the number of rows of each table in the file. */
export type BackupOutcome = { createdAt: string; rows: Record<string, number> }

/**
 * Writes all data to one file (mode 0600). A transaction reads one consistent snapshot while servers continue to run. The
 * file gets its final name after it is complete.
 * @throws {BackupError} when the file cannot be written
 * @throws {DatabaseUnavailable}
 */
export async function backUp(
  database: Database,
  environment: Environment,
  file: string,
  now: Date,
): Promise<BackupOutcome> {
  const rows: Record<string, number> = {}
  const createdAt = now.toISOString()
  const draft = `${file}.${process.pid}.part`
  try {
    await database.withConnection(async (client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const text = backupText(client, { createdAt, environment }, (table, count) => {
        rows[table] = count
      })
      // 'wx' fails if the file exists: it must not overwrite another backup.
      await pipeline(text, createGzip(), createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }))
    })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    if (error instanceof Error && 'syscall' in error && 'path' in error) {
      throw new BackupError(`The backup cannot be written to ${file}: ${error.message}`)
    }
    throw error
  }
  return { createdAt, rows }
}

async function* backupText(
  client: pg.Client,
  { createdAt, environment }: { createdAt: string; environment: Environment },
  onTable: (table: string, rows: number) => void,
): AsyncGenerator<Buffer> {
  const digest = newDigest()
  const hashed = (bytes: Buffer) => {
    digest.update(bytes)
    return bytes
  }
  const line = (value: object) => hashed(Buffer.from(`${JSON.stringify(value)}\n`))

  const { rows: migrations } = await client.query<{ name: string }>(
    'SELECT name FROM schema_migrations ORDER BY name',
  )
  const header: BackupHeader = {
    latchkey_backup: 1,
    created_at: createdAt,
    environment,
    migrations: migrations.map(({ name }) => name),
  }
  yield line(header)
  for (const table of await tablesInOrder(client)) {
    yield line(table)
    const columns = table.columns.map(quotedName).join(', ')
    // A query, because COPY does not read a partitioned table by its name.
    const copy = client.query(copyTo(`COPY (SELECT ${columns} FROM ${quotedName(table.table)}) TO STDOUT`))
    for await (const bytes of copy) yield hashed(bytes)
    yield hashed(Buffer.from(`${endOfRows}\n`))
    onTable(table.table, copy.rowCount)
  }
  yield Buffer.from(`${JSON.stringify({ complete: true, sha256: digest.digest('hex') })}\n`)
}

/** All tables with their columns except generated ones. A table comes before the tables that refer to it. */
async function tablesInOrder(client: pg.Client): Promise<TableHeader[]> {
  const { rows: tables } = await client.query<TableHeader & { needs: string[] }>(
    `SELECT c.relname AS table,
            ARRAY(SELECT attname::text FROM pg_attribute a
                   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                   ORDER BY a.attnum) AS columns,
            ARRAY(SELECT f.confrelid::regclass::text FROM pg_constraint f
                   WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS needs
       FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition AND c.relname <> ALL ($1)
      ORDER BY c.relname`,
    [omittedTables],
  )
  const ordered: TableHeader[] = []
  while (ordered.length < tables.length) {
    const placed = new Set(ordered.map(({ table }) => table))
    const next = tables.find(
      ({ table, needs }) => !placed.has(table) && needs.every((need) => placed.has(need)),
    )
    if (!next) throw new Error('tables refer to each other in a circle')
    ordered.push({ table: next.table, columns: next.columns })
  }
  return ordered
}
