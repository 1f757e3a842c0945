import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import type { Database } from '../../src/database/database.ts'
import { type ImportOutcome, importDirectory, type Prune } from '../../src/import/import-directory.ts'
import { query } from './database.ts'

export type ImportFiles = Record<string, string | Buffer>

export const usersHeader = 'id,firm_id,email,name,role,status,password\n'
export const accountsHeader = 'id,household_id,name,type,number_masked,custodian,currency,status,opened_on\n'

export const base = {
  'firms.csv': 'id,name\nf1,First\nf2,Second\n',
  'roles.csv': 'name,sees\nprincipal,firm\nadvisor,granted\n',
  'users.csv': `${usersHeader}u1,f1,Ann@Example.com,Ann,principal,active,ann-has-a-password\nu2,f2,bob@example.com,Bob,advisor,active,\n`,
  'households.csv': 'id,firm_id,name\nh1,f1,Straße\nh2,f1,\nh3,f2,"Baker, ""Butcher"""\n',
  'accounts.csv': `${accountsHeader}a1,h1,Main,checking,**** 1234,Bank,EUR,active,2020-02-29\na2,h3,,,,,,closed,\n`,
  'account_access.csv': 'user_id,account_id\nu2,a2\n',
}

/** A directory with these files. It is removed when the test ends. */
export function writeFiles(files: ImportFiles): string {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-import-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return directory
}

/** Imports in this process, without the command. */
export function take(database: Database, files: ImportFiles, prune?: Prune): Promise<ImportOutcome> {
  return importDirectory(database, systemOrigin, writeFiles(files), { prune })
}

/** Imports and must succeed. @returns what the import did to each file */
export async function taken(database: Database, files: ImportFiles, prune?: Prune) {
  const outcome = await take(database, files, prune)
  if (outcome.kind !== 'imported') throw new Error(JSON.stringify(outcome))
  return outcome.files
}

/** Imports and must be refused. @returns the faults */
export async function refusal(database: Database, files: ImportFiles, prune?: Prune): Promise<string[]> {
  const outcome = await take(database, files, prune)
  if (outcome.kind !== 'refused') throw new Error(JSON.stringify(outcome))
  return outcome.faults
}

/** Starts an import and waits until it reaches this step. The outcome is wrapped in an object so that it is not awaited. */
export async function startedUntil(
  database: Database,
  step: string,
  files: ImportFiles,
): Promise<{ outcome: Promise<ImportOutcome> }> {
  const directory = writeFiles(files)
  return new Promise((reached) => {
    const onProgress = (what: string) => {
      if (what === step) reached({ outcome })
    }
    const outcome = importDirectory(database, systemOrigin, directory, { onProgress })
  })
}

export async function emptyDirectory(database: Database): Promise<void> {
  await query(database, 'TRUNCATE firms, roles, users, households, accounts, account_access CASCADE')
}

/** All rows that an import may change. */
export async function everything(database: Database): Promise<unknown[]> {
  const tables = ['firms', 'roles', 'users', 'households', 'accounts', 'account_access', 'sessions']
  return Promise.all(tables.map((table) => query(database, `SELECT * FROM ${table} ORDER BY 1, 2`)))
}

/** Adds a session, as a login would. */
export async function addSession(database: Database, user: string): Promise<void> {
  const sql = `INSERT INTO sessions (hash, user_id, login_version, acr, amr, expires_at)
   VALUES ($1, $2, gen_random_uuid(), 'acr', '{pwd}', now() + '1 day')`
  await query(database, sql, [Buffer.from(user), user])
}
