import type { Database } from '../../src/database/database.ts'
import { foldCase } from '../../src/directory/case-folding.ts'
import { hashPassword } from '../../src/directory/passwords.ts'
import { query } from './database.ts'

export const password = 'correct horse battery staple'
let hashed: Promise<string> | undefined

export type SeedHousehold = { id: string; firm?: string; name?: string | null }
export type SeedAccount = { id: string; household: string; status?: string; name?: string }
export type SeedUser = {
  id: string
  firm?: string
  sees?: 'firm' | 'granted'
  status?: 'active' | 'disabled'
  access?: string[]
}

/** The address by which a seeded user logs in, with `password`. */
export function emailOf(userId: string): string {
  return `${userId}@example.com`
}

/** Puts just these rows into the directory; firms and roles come into being as they are named. */
export async function seed(
  database: Database,
  rows: { users?: SeedUser[]; households?: SeedHousehold[]; accounts?: SeedAccount[] },
): Promise<void> {
  hashed ??= hashPassword(password)
  const hash = await hashed
  await query(
    database,
    `INSERT INTO roles VALUES ('sees-firm', 'firm'), ('sees-granted', 'granted') ON CONFLICT DO NOTHING`,
  )
  const firm = async (id: string) => {
    await query(database, 'INSERT INTO firms VALUES ($1, $1) ON CONFLICT DO NOTHING', [id])
    return id
  }
  for (const { id, firm: firmId = 'firm-1', name = id } of rows.households ?? []) {
    const folded = name === null ? null : foldCase(name)
    await query(database, 'INSERT INTO households (id, firm_id, name, name_folded) VALUES ($1, $2, $3, $4)', [
      id,
      await firm(firmId),
      name,
      folded,
    ])
  }
  for (const { id, household, status = 'active', name } of rows.accounts ?? []) {
    await query(database, 'INSERT INTO accounts (id, household_id, status, name) VALUES ($1, $2, $3, $4)', [
      id,
      household,
      status,
      name ?? null,
    ])
  }
  for (const { id, firm: firmId = 'firm-1', sees = 'firm', status = 'active', access = [] } of rows.users ??
    []) {
    await query(
      database,
      `INSERT INTO users (id, firm_id, email, email_folded, name, role, status, password_hash)
       VALUES ($1, $2, $3, $3, $4, $5, $6, $7)`,
      [id, await firm(firmId), emailOf(id), `User ${id}`, `sees-${sees}`, status, hash],
    )
    for (const account of access) {
      await query(
        database,
        'INSERT INTO account_access (user_id, account_id, household_id) SELECT $1, id, household_id FROM accounts WHERE id = $2',
        [id, account],
      )
    }
  }
}
