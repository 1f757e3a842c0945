import pg from 'pg'
import { importFiles } from './files.ts'

// Imports and changes by API exclude each other from here to the end of their transactions. Therefore their instants become
// visible in their order, and the results of checks stay valid.

const tables = importFiles.map(({ table }) => table).join(', ')

/** Excludes all other writers of the tables, but not readers and checks of foreign keys. */
export const lockForImport = `LOCK TABLE ${tables} IN SHARE ROW EXCLUSIVE MODE`

/** The advisory lock of changes by API. */
const changesLock = 4_710_005

/**
 * Waits for other changes, and for imports. The table locks are those that any write takes: only the lock of an import
 * excludes them. A stronger lock would wait for VACUUM and stop autovacuum, a hundred times a second.
 */
export const lockForChange = `SELECT pg_advisory_xact_lock(${changesLock}); LOCK TABLE ${tables} IN ROW EXCLUSIVE MODE`

/**
 * Errors of a change that may succeed when it is repeated: those of locks, and a row that another writer has just stored or
 * removed, for example `latchkey user create`. Our checks have found no such row.
 */
export function isChangeConflict(error: unknown): boolean {
  return (
    isLockConflict(error) ||
    (error instanceof pg.DatabaseError && ['23503', '23505'].includes(error.code ?? ''))
  )
}

/** A lock timeout, and a deadlock that PostgreSQL resolved by ending this transaction. */
const lockConflicts = new Set(['55P03', '40P01'])

export function isLockConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && lockConflicts.has(error.code ?? '')
}
