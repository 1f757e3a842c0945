import { expect } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { importDirectory } from '../../src/import/import-directory.ts'
import { query } from './database.ts'
import { writeFiles } from './import.ts'
import { loginPage } from './login.ts'
import type { TestServer } from './server.ts'
import { type Page, Visitor } from './visitor.ts'

export type ImportedUser = { id: string; password?: string; password_hash?: string }

/** The files of an import of these users, with both password columns. */
export function usersFiles(users: ImportedUser[]): Record<string, string> {
  const quoted = (text = '') => `"${text}"`
  const rows = users.map(({ id, password, password_hash }) =>
    [
      id,
      'f1',
      `${id}@example.com`,
      `User ${id}`,
      'principal',
      'active',
      quoted(password),
      quoted(password_hash),
    ].join(','),
  )
  return {
    'firms.csv': 'id,name\nf1,First\n',
    'roles.csv': 'name,sees\nprincipal,firm\n',
    'users.csv': `id,firm_id,email,name,role,status,password,password_hash\n${rows.join('\n')}\n`,
  }
}

/** Imports these users. @returns how many were added and changed */
export async function importUsers(server: TestServer, users: ImportedUser[]) {
  const outcome = await importDirectory(server.database, systemOrigin, writeFiles(usersFiles(users)))
  if (outcome.kind !== 'imported') throw new Error(JSON.stringify(outcome))
  const { added = 0, changed = 0 } = outcome.files['users.csv'] ?? {}
  return { added, changed }
}

/** Imports these users and must be refused. @returns the faults */
export async function refusedImport(server: TestServer, users: ImportedUser[]): Promise<string[]> {
  const outcome = await importDirectory(server.database, systemOrigin, writeFiles(usersFiles(users)))
  if (outcome.kind !== 'refused') throw new Error(JSON.stringify(outcome))
  return outcome.faults
}

export async function submitLogin(
  server: TestServer,
  id: string,
  password: string,
  visitor = new Visitor(),
): Promise<Page> {
  const fields = { email: `${id}@example.com`, password }
  return visitor.submit(await loginPage(server, visitor), '/login', fields)
}

export async function storedHash(server: TestServer, id: string): Promise<string> {
  const [row] = await query<{ password_hash: string }>(
    server.database,
    'SELECT password_hash FROM users WHERE id = $1',
    [id],
  )
  return row?.password_hash ?? ''
}

/** Waits until the hashes of so many users were replaced after a login. */
export async function replacedHashes(server: TestServer, count: number): Promise<void> {
  const replaced = () => server.logs().match(/"event":"rehash","outcome":"replaced"/g)?.length ?? 0
  await expect.poll(replaced, { timeout: 10_000 }).toBe(count)
}
