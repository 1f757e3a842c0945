import type { Database } from '../../src/database/database.ts'
import { foldCase } from '../../src/directory/case-folding.ts'
import { query } from './database.ts'

export type DirectoryRows = {
  firms: string[]
  users: { id: string; firm: string; sees: 'firm' | 'granted' }[]
  households: { id: string; firm: string; name?: string | null }[]
  accounts: { id: string; household: string; status: string }[]
  access: { user: string; account: string }[]
}

/** Makes these rows the whole directory, in one statement a table; everything that hung on the old one goes with it. */
export async function replaceDirectory(database: Database, rows: Partial<DirectoryRows>): Promise<void> {
  const { firms = ['firm-1'], users = [], households = [], accounts = [], access = [] } = rows
  const inserts: [string, unknown[]][] = [
    [
      'INSERT INTO firms SELECT id, id FROM jsonb_to_recordset($1) AS r(id text)',
      firms.map((id) => ({ id })),
    ],
    [
      `INSERT INTO users (id, firm_id, email, email_folded, name, role, status)
       SELECT id, firm, id, id, id, 'sees-' || sees, 'active' FROM jsonb_to_recordset($1) AS r(id text, firm text, sees text)`,
      users,
    ],
    [
      'INSERT INTO households (id, firm_id, name, name_folded) SELECT * FROM jsonb_to_recordset($1) AS r(id text, firm text, name text, folded text)',
      households.map((row) => ({ ...row, folded: typeof row.name === 'string' ? foldCase(row.name) : null })),
    ],
    [
      `INSERT INTO accounts (id, household_id, status)
       SELECT * FROM jsonb_to_recordset($1) AS r(id text, household text, status text)`,
      accounts,
    ],
    [
      `INSERT INTO account_access (user_id, account_id, household_id)
       SELECT "user", account, a.household_id FROM jsonb_to_recordset($1) AS r("user" text, account text)
         JOIN accounts a ON a.id = account`,
      access,
    ],
  ]
  await query(
    database,
    `DELETE FROM account_access; DELETE FROM accounts; DELETE FROM households; DELETE FROM users; DELETE FROM firms;
     INSERT INTO roles VALUES ('sees-firm', 'firm'), ('sees-granted', 'granted') ON CONFLICT DO NOTHING`,
  )
  for (const [text, values] of inserts) await query(database, text, [JSON.stringify(values)])
}

/** The order of every listing. */
export function byteOrder(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
