import { hashSync } from '@node-rs/argon2'
import type { Database } from '../../src/database/database.ts'
import { foldCase } from '../../src/directory/case-folding.ts'
import { query } from './database.ts'

export const password = 'correct horse battery staple'

/** Hashed at the lowest cost. Otherwise each login in a test would take 40 ms for a hash that protects no real user. */
export const seededCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }
const hash = hashSync(password, seededCost)

type SeedHousehold = { id: string; firm?: string; name?: string | null }
type SeedAccount = { id: string; household: string; status?: string; name?: string }
type SeedUser = {
  id: string
  firm?: string
  sees?: 'firm' | 'granted'
  status?: 'active' | 'disabled'
  access?: string[]
}

/** The email address of a seeded user, who logs in with `password`. */
export function emailOf(userId: string): string {
  return `${userId}@example.com`
}

/** A string is an id: of a user in the first firm who sees the whole firm, or of a household in that firm. */
export type SeedRows = {
  users?: (string | SeedUser)[]
  households?: (string | SeedHousehold)[]
  accounts?: SeedAccount[]
}

const withId = <Row extends { id: string }>(row: string | Row): Row | { id: string } =>
  typeof row === 'string' ? { id: row } : row

/** Adds these rows to the directory, with the firms and roles that they refer to. */
export async function seed(database: Database, rows: SeedRows): Promise<void> {
  const households = (rows.households ?? [])
    .map(withId)
    .map((row) => ({ firm: 'firm-1', name: row.id, ...row }))
  const users = (rows.users ?? [])
    .map(withId)
    .map((row) => ({ firm: 'firm-1', sees: 'firm' as const, status: 'active', access: [], ...row }))
  await insertRows(database, {
    firms: [...households, ...users].map(({ firm }) => firm),
    users,
    households,
    accounts: (rows.accounts ?? []).map((row) => ({ status: 'active', ...row })),
    access: users.flatMap(({ id, access }) => access.map((account) => ({ user: id, account }))),
  })
}

export type DirectoryRows = {
  firms: string[]
  users: { id: string; firm: string; sees: 'firm' | 'granted'; status?: string }[]
  households: { id: string; firm: string; name?: string | null }[]
  accounts: { id: string; household: string; status: string; name?: string }[]
  access: { user: string; account: string }[]
}

/** Runs one statement for each table. */
export async function insertRows(database: Database, rows: DirectoryRows): Promise<void> {
  const users = rows.users.map((row) => ({ ...row, email: emailOf(row.id), hash }))
  const households = rows.households.map((row) => ({
    ...row,
    folded: row.name ? foldCase(row.name) : row.name,
  }))
  const inserts: [string, unknown[]][] = [
    [
      'INSERT INTO firms SELECT id, id FROM jsonb_to_recordset($1) AS r(id text) ON CONFLICT DO NOTHING',
      rows.firms.map((id) => ({ id })),
    ],
    [
      `INSERT INTO roles SELECT 'sees-' || sees, sees FROM jsonb_to_recordset($1) AS r(sees text) ON CONFLICT DO NOTHING`,
      [{ sees: 'firm' }, { sees: 'granted' }],
    ],
    [
      `INSERT INTO households (id, firm_id, name, name_folded)
       SELECT * FROM jsonb_to_recordset($1) AS r(id text, firm text, name text, folded text)`,
      households,
    ],
    [
      `INSERT INTO accounts (id, household_id, status, name)
       SELECT * FROM jsonb_to_recordset($1) AS r(id text, household text, status text, name text)`,
      rows.accounts,
    ],
    [
      `INSERT INTO users (id, firm_id, email, email_folded, name, role, status, password_hash)
       SELECT id, firm, email, email, 'User ' || id, 'sees-' || sees, coalesce(status, 'active'), hash
         FROM jsonb_to_recordset($1) AS r(id text, firm text, email text, sees text, status text, hash text)`,
      users,
    ],
    [
      `INSERT INTO account_access (user_id, account_id, household_id)
       SELECT "user", account, a.household_id FROM jsonb_to_recordset($1) AS r("user" text, account text)
         JOIN accounts a ON a.id = account`,
      rows.access,
    ],
  ]
  for (const [text, values] of inserts) {
    if (values.length > 0) await query(database, text, [JSON.stringify(values)])
  }
}
