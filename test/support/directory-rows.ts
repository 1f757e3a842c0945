import type { Database } from '../../src/database/database.ts'
import { query } from './database.ts'
import { insertRows } from './directory.ts'

export type DirectoryRows = {
  firms: string[]
  users: { id: string; firm: string; sees: 'firm' | 'granted' }[]
  households: { id: string; firm: string; name?: string | null }[]
  accounts: { id: string; household: string; status: string }[]
  access: { user: string; account: string }[]
}

/** Makes these rows the whole directory; everything that belonged to the old one is deleted with it. */
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

/** The order of every listing. */
export function byteOrder(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
