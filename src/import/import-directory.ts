import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { Origin } from '../audit/origin.ts'
import { recordEvent } from '../audit/record-event.ts'
import { type Database, queriesOn } from '../database/database.ts'
import { chooseInstant, noteChanges, recordAccessChanges, recordChanges } from './changes.ts'
import { checkStaged, duplicateChecks, storedChecks } from './check-staged.ts'
import type { Passwords } from './copy-rows.ts'
import { Faults } from './faults.ts'
import { type ImportFile, importFiles, tableColumns } from './files.ts'
import { isLockConflict, lockForImport } from './lock.ts'
import { type Counts, findKeptDisabled, hashPasswords, mergeFile, prepareUsers } from './merge.ts'
import { checkRemoved, findRemoved, prepareRemoved, type Removal, removeRows } from './prune.ts'
import { type ImportRefusal, recordRefusal } from './record-refusal.ts'
import { findWeakerLogins, type WeakerLogins } from './requirements.ts'
import { type Reserved, reservedChecks } from './reserved.ts'
import { stageFile } from './stage-file.ts'
import { StagedTables } from './staged.ts'
import { vacuum } from './vacuum.ts'

/** Reports progress. `done` of `of` is in bytes while a file is read, otherwise in steps. `what` names the current step. */
export type OnProgress = (what: string, done: number, of: number) => void

/**
 * Also removes rows that are not in the files, at most `atMost` rows in all tables together. If `atMost` is undefined, the
 * import only reports these rows.
 */
export type Prune = { atMost: number | undefined }

export type ImportOptions = {
  prune?: Prune | undefined
  reserved?: Reserved | undefined
  onProgress?: OnProgress
  /** Ends the import at once. Nothing is changed, unless the outcome is `imported`. */
  signal?: AbortSignal
}

export type ImportOutcome =
  /**
   * `keptDisabled` are users who are active in the files but stay disabled, because the operator disabled them.
   * `vacuumFailure` says why VACUUM failed after the import; null if it succeeded.
   */
  | {
      kind: 'imported'
      files: Record<string, Counts>
      keptDisabled: string[]
      weakerLogins: WeakerLogins
      vacuumFailure: string | null
    }
  /** Nothing was changed. `removals` are the rows that would be removed, for the table of each file. */
  | { kind: 'planned'; removals: Record<string, Removal>; weakerLogins: WeakerLogins }
  /** Nothing was changed. `faults` has the first 20 of `total` faults. */
  | { kind: 'refused'; faults: string[]; total: number }
  /** Nothing was changed: another session, for example another import, held locks on the tables for a minute. */
  | { kind: 'busy' }
  /** Nothing was changed. */
  | { kind: 'interrupted' }

type Imported = Omit<Extract<ImportOutcome, { kind: 'imported' }>, 'vacuumFailure'>
type Merged = Exclude<ImportOutcome, { kind: 'imported' }> | Imported

type Source = { file: ImportFile; path: string; size: number }

/** The state of one running import. */
type Work = {
  client: pg.Client
  staged: StagedTables
  origin: Origin
  sources: Source[]
  /** SHA-256 of each file, in hexadecimal. */
  digests: Map<string, string>
  faults: Faults
  prune: Prune | undefined
  reserved: Reserved | undefined
  onProgress: OnProgress
  signal: AbortSignal
}

/**
 * Makes the directory's tables equal to the CSV files in `directory` (docs/import.md, docs/adr/0013), all or nothing.
 * Adds and changes rows. Deletes rows only with `prune`. The API continues to answer during the import.
 */
export async function importDirectory(
  database: Database,
  origin: Origin,
  directory: string,
  { prune, reserved, onProgress = () => {}, signal = new AbortController().signal }: ImportOptions = {},
): Promise<ImportOutcome> {
  const faults = new Faults()
  const digests = new Map<string, string>()
  const sources = await findFiles(directory, faults)
  if (!faults.none()) {
    await recordRefusal(database, origin, { reason: 'refused', faults: faults.total }, digests)
    return refused(faults)
  }
  return database.withConnection(async (client) => {
    const outcome = await inTransaction({
      ...{ client, staged: new StagedTables(client), origin, sources, digests },
      ...{ faults, prune, reserved, onProgress, signal },
    })
    const isReport = outcome.kind === 'planned' && prune?.atMost === undefined
    if (isReport) return outcome
    if (outcome.kind !== 'imported') {
      await recordRefusal(database, origin, reasonOf(outcome), digests)
      return outcome
    }
    onProgress('settling', 0, 1)
    const failure = await interruptible(client, signal, () => vacuum(client, outcome.files))
    onProgress('settling', 1, 1)
    return { ...outcome, vacuumFailure: failure === interrupted ? 'it was interrupted' : failure }
  })
}

const interrupted = Symbol('interrupted')

/** An abort closes the connection. This ends the running statement and rolls back the open transaction. */
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
    // From here on, an interrupt is ignored: the caller must learn whether the commit succeeded.
    await client.query(outcome.kind === 'imported' ? 'COMMIT' : 'ROLLBACK')
    return outcome
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    if (isLockConflict(error)) return { kind: 'busy' }
    throw error
  }
}

async function findFiles(directory: string, faults: Faults): Promise<Source[]> {
  const names = await readdir(directory).catch(() => null)
  if (names === null) faults.note(`${directory} cannot be read as a directory`)
  const known = importFiles.map((file) => file.file)
  const given = (names ?? []).filter((name) => name.toLowerCase().endsWith('.csv'))
  for (const name of given) {
    if (!known.includes(name))
      faults.note(`${name} is not an import file; import files are ${known.join(', ')}`)
  }
  if (names !== null && given.length === 0) {
    faults.note(`${directory} contains no import files; import files are ${known.join(', ')}`)
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
  const { client, staged, sources, digests, faults, prune, onProgress } = work
  const passwords: Passwords = new Map()
  await prepareStaging(client)
  for (const { file, path, size } of sources) {
    const report = (bytes: number) => onProgress(`reading ${file.file}`, bytes, size)
    report(0)
    digests.set(file.file, await stageFile(staged, file, path, { faults, passwords }, report))
  }
  if (!faults.none()) return refused(faults)

  onProgress('checking', 0, 1)
  await client.query(lockForImport)
  const removals = await check(work)
  if (!faults.none()) return refused(faults)
  onProgress('checking', 1, 1)
  const weakerLogins = await findWeakerLogins(staged)
  if (prune && rowsOf(removals) > (prune.atMost ?? -1)) return { kind: 'planned', removals, weakerLogins }

  await hashPasswords(client, passwords, (count) => onProgress('hashing passwords', count, passwords.size))
  return { kind: 'imported', ...(await mergeAll(work, removals)), weakerLogins }
}

/** VACUUM marks rows as visible to all only after their commit is on disk. `synchronous_commit = off` would delay that. */
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

/** @returns the rows to remove, for the table of each file */
async function check({ staged, sources, faults, prune, reserved }: Work): Promise<Record<string, Removal>> {
  const prunedFiles = prune ? sources.map(({ file }) => file) : []
  const removals = await findRemoved(staged, prunedFiles, reserved)
  await checkStaged(staged, faults, (file) => [
    ...duplicateChecks(file),
    ...storedChecks(file),
    ...(reserved ? reservedChecks(reserved, file) : []),
  ])
  await checkRemoved(staged, faults)
  return removals
}

function rowsOf(removals: Record<string, Removal>): number {
  return Object.values(removals).reduce((sum, { rows }) => sum + rows, 0)
}

async function mergeAll(
  { client, staged, origin, sources, digests, prune, onProgress }: Work,
  removals: Record<string, Removal>,
): Promise<Pick<Imported, 'files' | 'keptDisabled'>> {
  const counts: Record<string, Counts> = {}
  const keptDisabled = await findKeptDisabled(staged)
  const instant = await chooseInstant(staged)
  await noteChanges(staged)
  await recordChanges(staged, instant)
  await prepareUsers(staged)
  for (const { file } of sources) {
    onProgress(`storing ${file.file}`, 0, 1)
    const removal = removals[file.file]
    counts[file.file] = {
      ...(await mergeFile(staged, file, { instant, source: 'import' })),
      ...(removal && { removed: removal.rows }),
    }
    onProgress(`storing ${file.file}`, 1, 1)
  }
  await removeRows(staged)
  await recordAccessChanges(staged, origin, instant)
  const files = Object.entries(counts).map(([file, count]) => [file, { ...count, sha256: digests.get(file) }])
  await recordEvent(queriesOn(client), origin, {
    event: 'directory.imported',
    target: { kind: 'directory', id: 'all' },
    details: { files: Object.fromEntries(files), pruned: prune !== undefined },
  })
  return { files: counts, keptDisabled }
}

function reasonOf(outcome: Exclude<Merged, Imported>): ImportRefusal {
  if (outcome.kind === 'refused') return { reason: 'refused', faults: outcome.total }
  return { reason: outcome.kind === 'planned' ? 'too_many_removals' : outcome.kind }
}
function refused(faults: Faults): ImportOutcome {
  return { kind: 'refused', faults: faults.shown, total: faults.total }
}
