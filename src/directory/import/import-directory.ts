import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Database } from '../../database/database.ts'
import { checkStaged } from './check-staged.ts'
import type { Passwords } from './copy-rows.ts'
import { Faults } from './faults.ts'
import { type ImportFile, importFiles, tableColumns } from './files.ts'
import { type Counts, mergeFile } from './merge.ts'
import { hashPasswords, prepareUsers } from './merge-users.ts'
import { stageFile } from './stage-file.ts'

/** `done` of `of`, in bytes of a file that is read and in steps otherwise; `what` says what is being done. */
export type OnProgress = (what: string, done: number, of: number) => void

export type ImportOutcome =
  | { kind: 'imported'; files: Record<string, Counts> }
  /** Nothing was changed. The first 20 of `total` faults are named. */
  | { kind: 'refused'; faults: string[]; total: number }
  /** Nothing was changed: for a minute, somebody else held the tables, another import say. */
  | { kind: 'busy' }

type Source = { file: ImportFile; path: string; size: number }

/**
 * Brings the directory's tables to what the CSV files in `directory` say (docs/operate.md): adds and
 * changes, never deletes, all or nothing. The API goes on answering meanwhile.
 */
export async function importDirectory(
  database: Database,
  directory: string,
  onProgress: OnProgress = () => {},
): Promise<ImportOutcome> {
  const faults = new Faults()
  const sources = await findFiles(directory, faults)
  if (!faults.none()) return refused(faults)
  return database.withConnection(async (client) => {
    await client.query('BEGIN')
    try {
      const outcome = await importFilesOf(client, sources, faults, onProgress)
      await client.query(outcome.kind === 'imported' ? 'COMMIT' : 'ROLLBACK')
      return outcome
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      if (error instanceof pg.DatabaseError && error.code === lockNotAvailable) return { kind: 'busy' }
      throw error
    }
  })
}

const lockNotAvailable = '55P03'

/** Against writers only: those who read, and foreign keys that are checked, go on. What is checked then holds until the commit. */
const lockTables = `LOCK TABLE ${importFiles.map((file) => file.table).join(', ')} IN SHARE ROW EXCLUSIVE MODE`

async function findFiles(directory: string, faults: Faults): Promise<Source[]> {
  const names = await readdir(directory).catch(() => null)
  if (names === null) faults.note(`${directory} is not a directory that can be read`)
  const known = importFiles.map((file) => file.file)
  const given = (names ?? []).filter((name) => name.toLowerCase().endsWith('.csv'))
  for (const name of given) {
    if (!known.includes(name))
      faults.note(`${name} is not a file of an import: those are ${known.join(', ')}`)
  }
  if (names !== null && given.length === 0) {
    faults.note(`${directory} has none of the files of an import: ${known.join(', ')}`)
  }
  const files = importFiles.filter((file) => given.includes(file.file))
  return Promise.all(
    files.map(async (file) => {
      const path = join(directory, file.file)
      return { file, path, size: (await stat(path)).size }
    }),
  )
}

async function importFilesOf(
  client: pg.ClientBase,
  sources: Source[],
  faults: Faults,
  onProgress: OnProgress,
): Promise<ImportOutcome> {
  const passwords: Passwords = new Map()
  await prepareStaging(client)
  for (const { file, path, size } of sources) {
    const report = (bytes: number) => onProgress(`reading ${file.file}`, bytes, size)
    report(0)
    await stageFile(client, file, path, { faults, passwords }, report)
  }
  if (!faults.none()) return refused(faults)

  onProgress('checking', 0, 1)
  await client.query(lockTables)
  for (const { file } of sources) await client.query(`ANALYZE staged_${file.table}`)
  await checkStaged(client, faults)
  if (!faults.none()) return refused(faults)
  onProgress('checking', 1, 1)

  await hashPasswords(client, passwords, (count) => onProgress('hashing passwords', count, passwords.size))
  return { kind: 'imported', files: await mergeAll(client, sources, onProgress) }
}

async function prepareStaging(client: pg.ClientBase): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '60s'; SET LOCAL work_mem = '64MB'`)
  for (const file of importFiles) {
    const columns = tableColumns(file).join(', ')
    await client.query(
      `CREATE TEMP TABLE staged_${file.table} ON COMMIT DROP
           AS SELECT ${columns}, NULL::integer AS line FROM ${file.table} WITH NO DATA`,
    )
  }
}

async function mergeAll(
  client: pg.ClientBase,
  sources: Source[],
  onProgress: OnProgress,
): Promise<Record<string, Counts>> {
  const counts: Record<string, Counts> = {}
  await prepareUsers(client)
  for (const { file } of sources) {
    onProgress(`storing ${file.file}`, 0, 1)
    counts[file.file] = await mergeFile(client, file)
    onProgress(`storing ${file.file}`, 1, 1)
  }
  return counts
}

function refused(faults: Faults): ImportOutcome {
  return { kind: 'refused', faults: faults.shown, total: faults.total }
}
