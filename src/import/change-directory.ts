import type pg from 'pg'
import type { Origin } from '../audit/origin.ts'
import { recordEvent } from '../audit/record-event.ts'
import { type Database, DatabaseUnavailable, type Queries, queriesOn } from '../database/database.ts'
import Type, { Compile } from '../typebox.ts'
import { quoted } from '../visible-text.ts'
import { findPasswordHashes } from './change-directory.sql.ts'
import { type ChangeFault, type ChangeSet, type ChangeType, changeTypes, typeNames } from './change-set.ts'
import { chooseInstant, noteChanges, recordAccessChanges, recordChanges } from './changes.ts'
import { checkStaged, storedChecks } from './check-staged.ts'
import type { ImportFile } from './files.ts'
import { isChangeConflict, isLockConflict, lockForChange } from './lock.ts'
import { type Counts, findKeptDisabled, keepOrHash, mergeFile, prepareUsers, type Source } from './merge.ts'
import { findReferred, removeRows } from './prune.ts'
import { findWeakerLogins, type WeakerLogins } from './requirements.ts'
import { belongsTo, isReservedRow, type Reserved, reservedChecks } from './reserved.ts'
import { removedName } from './staged.ts'
import { StagedRows } from './staged-rows.ts'

/** Numbers of rows of one type. `missing`: rows to delete that did not exist. */
type TypeCounts = Omit<Counts, 'removed'> & { deleted: number; missing: number }

export type ChangeOutcome =
  /**
   * `keptDisabled` are users who are active in the change but stay disabled, because the operator disabled them.
   * `changedAt` is the instant of the change: null if it changed nothing.
   */
  | {
      kind: 'changed'
      counts: Partial<Record<ChangeType, TypeCounts>>
      keptDisabled: string[]
      weakerLogins: WeakerLogins
      changedAt: Date | null
    }
  /** Nothing was changed. `faults` has the first 1,000 of `total` faults, in the order of lines. */
  | { kind: 'refused'; faults: ChangeFault[]; total: number }

/** A transaction that holds the lock of the directory. */
export type DirectoryTransaction = Queries & { client: pg.PoolClient }

/** Milliseconds that a change waits for imports and other changes. */
const longestWait = 2000

/**
 * Runs work under the directory's lock. It commits if `keeps` says so for the result.
 * @returns `busy` if an import or other changes held the lock for two seconds, or another writer changed the same rows
 * @throws {DatabaseUnavailable}
 */
export async function inDirectoryTransaction<T>(
  database: Database,
  work: (transaction: DirectoryTransaction) => Promise<T>,
  keeps: (result: T) => boolean,
): Promise<T | 'busy'> {
  const deadline = performance.now() + longestWait
  const millisecondsLeft = () => Math.round(deadline - performance.now())
  try {
    return await database.withChangeConnection(async (client) => {
      if (!(await hasLock(client, Math.max(1, millisecondsLeft())))) return 'busy'
      const result = await work({ ...queriesOn(client), client })
      await client.query(keeps(result) ? 'COMMIT' : 'ROLLBACK')
      return result
    })
  } catch (error) {
    const isUnavailable = error instanceof DatabaseUnavailable
    if (isChangeConflict(isUnavailable ? error.cause : error)) return 'busy'
    // All connections for changes were busy, or PostgreSQL did not answer.
    if (isUnavailable && millisecondsLeft() <= 0) return 'busy'
    throw error
  }
}

/** Begins a transaction, and waits so many milliseconds for the lock. Without it, the connection is as before. */
async function hasLock(client: pg.PoolClient, milliseconds: number): Promise<boolean> {
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${milliseconds}; ${lockForChange}`)
    return true
  } catch (error) {
    if (!isLockConflict(error)) throw error
    // A new connection would have to plan all statements again.
    await client.query('ROLLBACK')
    return false
  }
}

/**
 * Does what needs no lock, before the transaction: finds all faults of a change that has some already, and hashes passwords. If
 * a user's password changes meanwhile, the change sets it back, as it would a moment later.
 * @returns the refusal of a change that already has faults
 */
export async function prepareChange(
  database: Database,
  change: ChangeSet,
  reserved: Reserved | undefined,
): Promise<ChangeOutcome | undefined> {
  if (change.faults.total > 0) {
    await database.withChangeConnection((client) =>
      checkChange(new StagedRows(client, change.rows), change, reserved),
    )
    return refusal(change)
  }
  const ids = [...change.passwords.keys()].map(({ id }) => String(id))
  const rows = ids.length > 0 ? await database.run(findPasswordHashes, [ids]) : []
  const stored = new Map(rows.map(({ id, password_hash: hash }) => [id, hash]))
  // One after the other: logins need the other cores.
  for (const [row, password] of change.passwords) {
    row.password_hash = await keepOrHash(password, stored.get(String(row.id)) ?? null)
  }
  return undefined
}

/** Finds the faults of a change that only the stored rows show. */
async function checkChange(
  staged: StagedRows,
  change: ChangeSet,
  reserved: Reserved | undefined,
): Promise<void> {
  const { faults } = change
  const [{ named, total }] = await Promise.all([
    findReferred(staged, faults.namedAtMost),
    checkStaged(staged, faults, (file) => [
      ...storedChecks(file),
      ...(reserved ? reservedChecks(reserved, file) : []),
    ]),
    reserved && checkRemovedReserved(staged, change, reserved),
  ])
  for (const { parent, value, child, by } of named) {
    const detail = `the ${parent.noun} ${quoted(value)} cannot be deleted because the ${child.noun} ${quoted(by)} refers to it`
    faults.add(parent, change.lineOf(parent, value), parent.key.at(-1) ?? '', detail)
  }
  faults.count(total - named.length)
}

const keys = Compile(Type.Array(Type.Object({ key: Type.String() })))

async function checkRemovedReserved(
  staged: StagedRows,
  change: ChangeSet,
  reserved: Reserved,
): Promise<void> {
  const files = Object.values(changeTypes).filter((file) => staged.count(removedName(file)) > 0)
  const check = async (file: ImportFile) => {
    const found = await staged.query(
      `SELECT concat_ws(' ', ${file.key.map((column) => `t.${column}`).join(', ')}) AS key
         FROM ${removedName(file)} t WHERE ${isReservedRow(reserved, file)} ORDER BY 1`,
    )
    for (const { key } of keys.Parse(found)) {
      change.faults.add(file, change.lineOf(file, key), file.key.at(-1) ?? '', belongsTo(key, reserved.owner))
    }
  }
  await Promise.all(files.map(check))
}

/**
 * Stores a change without faults, with what partners need to read changes only, and with its audit row. All or nothing.
 * @param transaction of `inDirectoryTransaction`, which must not commit if the change is refused
 */
export async function applyChange(
  transaction: DirectoryTransaction,
  origin: Origin,
  change: ChangeSet,
  reserved: Reserved | undefined,
): Promise<ChangeOutcome> {
  const outcome = await storeChange(transaction, origin, change, { reserved, source: 'api' })
  if (outcome.kind === 'changed' && outcome.changedAt !== null) {
    const user = onlyUserOf(change)
    await recordEvent(transaction, origin, {
      event: 'directory.changed',
      target: { kind: 'directory', id: 'all' },
      about: user === undefined ? {} : { user },
      details: { counts: outcome.counts, ...(change.size <= mostAuditedKeys && { ids: idsOf(change) }) },
    })
  }
  return outcome
}

/** As `applyChange`, without the audit row of the change itself: the caller writes it. `source` goes to the changed rows. */
export async function storeChange(
  { client }: DirectoryTransaction,
  origin: Origin,
  change: ChangeSet,
  { reserved, source }: { reserved: Reserved | undefined; source: Source },
): Promise<ChangeOutcome> {
  const staged = new StagedRows(client, change.rows)
  // Otherwise PostgreSQL would compare each of the many rows with each other.
  if (staged.hasManyRows) await client.query('SET LOCAL enable_hashjoin = on')
  const [, , weakerLogins, keptDisabled, instant] = await inOneWrite(client, () => [
    staged.run(lockUsers),
    checkChange(staged, change, reserved),
    findWeakerLogins(staged),
    findKeptDisabled(staged),
    chooseInstant(staged),
    noteChanges(staged),
  ])
  if (change.faults.total > 0) return refusal(change)

  const files = typeNames.map((type) => changeTypes[type])
  const [, , merged, removed] = await inOneWrite(client, () => [
    recordChanges(staged, instant),
    prepareUsers(staged),
    Promise.all(files.map((file) => mergeFile(staged, file, { instant, source }))),
    removeRows(staged),
    recordAccessChanges(staged, origin, instant),
  ])
  const counts = countsOf(staged, merged, removed)
  const written = Object.values(counts).reduce(
    (sum, { added, changed, deleted }) => sum + added + changed + deleted,
    0,
  )
  return { kind: 'changed', counts, keptDisabled, weakerLogins, changedAt: written > 0 ? instant : null }
}

/** Sends statements without waiting for answers between them, and with one system call instead of one for each. */
function inOneWrite<T extends unknown[]>(
  { connection: { stream } }: pg.PoolClient,
  send: () => [...T],
): Promise<{ [Index in keyof T]: Awaited<T[Index]> }> {
  stream.cork()
  try {
    return Promise.all(send())
  } finally {
    stream.uncork()
  }
}

function countsOf(
  staged: StagedRows,
  merged: Counts[],
  removed: Map<string, number>,
): Partial<Record<ChangeType, TypeCounts>> {
  const counts: Partial<Record<ChangeType, TypeCounts>> = {}
  for (const [index, type] of typeNames.entries()) {
    const file = changeTypes[type]
    const { added = 0, changed = 0, unchanged = 0 } = merged[index] ?? {}
    const [of, deleted] = [staged.count(removedName(file)), removed.get(file.table) ?? 0]
    if (added + changed + unchanged + of > 0) {
      counts[type] = { added, changed, unchanged, deleted, missing: of - deleted }
    }
  }
  return counts
}

/**
 * Keeps logins and password changes from writing these users between our statements: their values are compared in one statement
 * and written in another.
 */
const lockUsers = `
  SELECT FROM users u JOIN (SELECT id FROM staged_users UNION ALL SELECT id FROM removed_users) changed ON changed.id = u.id
   ORDER BY u.id FOR NO KEY UPDATE OF u`

function refusal({ faults }: ChangeSet): ChangeOutcome {
  const inOrder = faults.named.toSorted((one, other) => one.line - other.line)
  return { kind: 'refused', faults: inOrder, total: faults.total }
}

/** Up to this number, the audit row has the keys of all rows. */
const mostAuditedKeys = 20

function idsOf(change: ChangeSet): Partial<Record<ChangeType, string[]>> {
  return Object.fromEntries(
    typeNames.flatMap((type) => {
      const ids = change.keysOf(changeTypes[type])
      return ids.length > 0 ? [[type, ids]] : []
    }),
  )
}

/** The user whom the change is about, if it is one. */
function onlyUserOf(change: ChangeSet): string | undefined {
  const users = new Set([
    ...change.keysOf(changeTypes.user),
    ...change.keysOf(changeTypes.access).map((key) => key.split(' ')[0] ?? ''),
  ])
  return users.size === 1 ? [...users][0] : undefined
}
