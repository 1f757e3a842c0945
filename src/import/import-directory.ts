import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Database } from '../database/database.ts'
import { chooseInstant, recordAccessChanges, recordChanges } from './changes.ts'
import { checkStaged } from './check-staged.ts'
import type { Passwords } from './copy-rows.ts'
import { Faults } from './faults.ts'
import { type ImportFile, importFiles, tableColumns } from './files.ts'
import { type Counts, hashPasswords, keepDisabled, mergeFile, prepareUsers } from './merge.ts'
import { checkRemoved, findRemoved, prepareRemoved, type Removal, removeRows } from './prune.ts'
import { stageFile } from './stage-file.ts'

/** `done` of `of`, in bytes of a file that is read and in steps otherwise; `what` says what is being done. */
export type OnProgress = (what: string, done: number, of: number) => void

/** Rows that are not in the files go as well, `atMost` so many of all tables together; without it, they are only told. */
export type Prune = { atMost: number | undefined }

export type ImportOptions = {
  prune?: Prune | undefined
  onProgress?: OnProgress
  /** Ends the import at once. Nothing was changed then, unless the outcome says otherwise. */
  signal?: AbortSignal
}

export type ImportOutcome =
  /**
   * `keptDisabled` are users who are active in the files and stay disabled, since the operator disabled them.
   * `unsettled` says why PostgreSQL could not tidy up after the import.
   */
  | { kind: 'imported'; files: Record<string, Counts>; keptDisabled: string[]; unsettled: string | null }
  /** Nothing was changed. This is what would go, from the table of each file. */
  | { kind: 'planned'; removals: Record<string, Removal> }
  /** Nothing was changed. The first 20 of `total` faults are named. */
  | { kind: 'refused'; faults: string[]; total: number }
  /** Nothing was changed: for a minute, another session held locks on the tables, for example another import. */
  | { kind: 'busy' }
  /** Nothing was changed. */
  | { kind: 'interrupted' }

type Imported = Omit<Extract<ImportOutcome, { kind: 'imported' }>, 'unsettled'>
type Merged = Exclude<ImportOutcome, { kind: 'imported' }> | Imported

type Source = { file: ImportFile; path: string; size: number }

/** One import on its way. */
type Work = {
  client: pg.Client
  sources: Source[]
  faults: Faults
  prune: Prune | undefined
  onProgress: OnProgress
  signal: AbortSignal
}

/**
 * Brings the directory's tables to what the CSV files in `directory` say (docs/import.md, docs/adr/0013): adds and
 * changes, deletes only where `prune` says so, all or nothing. The API goes on answering meanwhile.
 */
export async function importDirectory(
  database: Database,
  directory: string,
  { prune, onProgress = () => {}, signal = new AbortController().signal }: ImportOptions = {},
): Promise<ImportOutcome> {
  const faults = new Faults()
  const sources = await findFiles(directory, faults)
  if (!faults.none()) return refused(faults)
  return database.withConnection(async (client) => {
    const outcome = await inTransaction({ client, sources, faults, prune, onProgress, signal })
    if (outcome.kind !== 'imported') return outcome
    onProgress('settling', 0, 1)
    const unsettled = await interruptible(client, signal, () => settle(client, outcome.files))
    onProgress('settling', 1, 1)
    return { ...outcome, unsettled: unsettled === interrupted ? 'it was interrupted' : unsettled }
  })
}

const interrupted = Symbol('interrupted')

/** Closing the connection ends the statement that runs on it, and undoes what is not committed. */
async function interruptible<T>(
  client: pg.Client,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T | typeof interrupted> {
  const close = () => void client.end()
  signal.addEventListener('abort', close)
  try {
    return signal.aborted ? interrupted : await work()
  } catch (error) {
    if (signal.aborted) return interrupted
    throw error
  } finally {
    signal.removeEventListener('abort', close)
  }
}

async function inTransaction(work: Work): Promise<Merged> {
  const { client, signal } = work
  await client.query('BEGIN')
  try {
    const outcome = await interruptible(client, signal, () => importSources(work))
    if (outcome === interrupted || signal.aborted) return { kind: 'interrupted' }
    // From here on an interrupt comes too late: whether the commit succeeded has to be seen.
    await client.query(outcome.kind === 'imported' ? 'COMMIT' : 'ROLLBACK')
    return outcome
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    if (error instanceof pg.DatabaseError && lockConflicts.has(error.code ?? '')) return { kind: 'busy' }
    throw error
  }
}

/** A lock timeout, and a deadlock that PostgreSQL resolved by ending this import. */
const lockConflicts = new Set(['55P03', '40P01'])

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

async function importSources(work: Work): Promise<Merged> {
  const { client, sources, faults, prune, onProgress } = work
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
  const removals = await check(work)
  if (!faults.none()) return refused(faults)
  onProgress('checking', 1, 1)
  if (prune && rowsOf(removals) > (prune.atMost ?? -1)) return { kind: 'planned', removals }

  await hashPasswords(client, passwords, (count) => onProgress('hashing passwords', count, passwords.size))
  return { kind: 'imported', ...(await mergeAll(work, removals)) }
}

/** VACUUM takes rows for visible to all only once their commit is on disk, which `synchronous_commit = off` puts off. */
const commitToDisk = `
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`

async function prepareStaging(client: pg.ClientBase): Promise<void> {
  await client.query(commitToDisk)
  await client.query(`SET LOCAL lock_timeout = '60s'; SET LOCAL work_mem = '64MB'`)
  for (const file of importFiles) {
    const columns = tableColumns(file).join(', ')
    await client.query(
      `CREATE TEMP TABLE staged_${file.table} ON COMMIT DROP
           AS SELECT ${columns}, NULL::integer AS line FROM ${file.table} WITH NO DATA`,
    )
  }
  await prepareRemoved(client)
}

/** @returns what is to be removed, from the table of each file */
async function check({ client, sources, faults, prune }: Work): Promise<Record<string, Removal>> {
  const pruned = prune ? sources.map(({ file }) => file) : []
  const removals = await findRemoved(client, pruned)
  await checkStaged(
    client,
    faults,
    pruned.map(({ table }) => table),
  )
  await checkRemoved(client, faults, pruned)
  return removals
}

function rowsOf(removals: Record<string, Removal>): number {
  return Object.values(removals).reduce((sum, { rows }) => sum + rows, 0)
}

async function mergeAll(
  { client, sources, prune, onProgress }: Work,
  removals: Record<string, Removal>,
): Promise<Omit<Imported, 'kind'>> {
  const counts: Record<string, Counts> = {}
  const keptDisabled = await keepDisabled(client)
  const instant = await chooseInstant(client)
  await recordChanges(client, instant)
  await prepareUsers(client)
  for (const { file } of sources) {
    onProgress(`storing ${file.file}`, 0, 1)
    const removal = removals[file.file]
    counts[file.file] = {
      ...(await mergeFile(client, file, instant)),
      ...(removal && { removed: removal.rows }),
    }
    onProgress(`storing ${file.file}`, 1, 1)
  }
  const files = sources.map(({ file }) => file)
  if (prune) await removeRows(client, files)
  await recordAccessChanges(client, instant)
  return { files: counts, keptDisabled }
}

function refused(faults: Faults): ImportOutcome {
  return { kind: 'refused', faults: faults.shown, total: faults.total }
}

/**
 * What autovacuum would do within minutes, done now: until then, each page reads the tables in addition to the indexes, and each
 * search the list of what the index has not taken in yet. Readers and writers go on meanwhile.
 * @returns why it could not be done, or null
 */
async function settle(client: pg.ClientBase, files: Record<string, Counts>): Promise<string | null> {
  const changed = importFiles.filter(({ file }) => {
    const { added = 0, changed = 0, removed = 0 } = files[file] ?? {}
    return added + changed + removed > 0
  })
  if (changed.length === 0) return null
  const tables = new Set(changed.map(({ table }) => table))
  for (const written of ['firms', 'households', 'account_access', 'household_changes', 'access_changes'])
    tables.add(written)
  // Without the right to, PostgreSQL does not fail but warns and skips the table.
  const warnings: string[] = []
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING') warnings.push(message ?? severity)
  })
  try {
    await client.query(`SET lock_timeout = '60s'`)
    await client.query(`VACUUM (ANALYZE) ${[...tables].join(', ')}`)
    return warnings[0] ?? null
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.message
    throw error
  }
}
