import type { Database } from '../../src/database/database.ts'
import { query } from './database.ts'
import { type DirectoryRows, insertRows } from './directory.ts'

/** Replaces the whole directory by these rows, and deletes all rows that belonged to the old one. */
export async function replaceDirectory(database: Database, rows: Partial<DirectoryRows>): Promise<void> {
  await query(
    database,
    'DELETE FROM account_access; DELETE FROM accounts; DELETE FROM households; DELETE FROM users; DELETE FROM firms',
  )
  await insertRows(database, {
    firms: ['firm-1'],
    users: [],
    households: [],
    accounts: [],
    access: [],
    ...rows,
  })
}

/** The sort order of every listing. */
export function byteOrder(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
