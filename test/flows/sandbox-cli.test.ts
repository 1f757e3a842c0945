import { expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { importDirectory } from '../../src/import/import-directory.ts'
import { reservedRows } from '../../src/sandbox/data.ts'
import { loadSandbox } from '../../src/sandbox/load.ts'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'
import {
  accountsHeader,
  base,
  everything,
  type ImportFiles,
  usersHeader,
  writeFiles,
} from '../support/import.ts'
import { errorOf, hostedLatchkey } from '../support/latchkey.ts'

const db = await databaseFixture()
const load = () => loadSandbox(db.database, systemOrigin, { households: 30 })
const first = await load()

/** Imports into a sandbox. */
const take = (files: ImportFiles, atMost?: number) =>
  importDirectory(db.database, systemOrigin, writeFiles(files), {
    reserved: reservedRows,
    ...(atMost !== undefined && { prune: { atMost } }),
  })

/** The rows of a table without the column `login_version`. */
const withoutVersion = (rows: unknown) =>
  Array.isArray(rows) ? rows.map(({ login_version: _, ...row }) => row) : expect.fail('not rows')

test('loading again restores what was changed, and changes nothing else', async () => {
  const files = (outcome: Awaited<ReturnType<typeof load>>) =>
    outcome.kind === 'imported' ? outcome.files : expect.fail(JSON.stringify(outcome))
  expect(files(first)).toMatchObject({
    'firms.csv': { added: 2 },
    'users.csv': { added: 6 },
    'households.csv': { added: 42 },
  })
  const loaded = await everything(db.database)
  expect(files(await load())).toMatchObject({
    'users.csv': { unchanged: 6 },
    'households.csv': { unchanged: 42 },
  })
  expect(await everything(db.database)).toEqual(loaded)
  await query(
    db.database,
    `DELETE FROM account_access; UPDATE users SET status = 'disabled', password_hash = NULL`,
  )
  expect(files(await load())).toMatchObject({
    'users.csv': { changed: 6 },
    'account_access.csv': { added: 9 },
  })
  // Without the instant of the firm's last change. A restored password ends sessions, so each user has a new login_version.
  const restored = (await everything(db.database)).slice(1)
  expect(restored.map(withoutVersion)).toEqual(loaded.slice(1).map(withoutVersion))
})

test('an import with --prune leaves the sandbox alone, and does not count its rows', async () => {
  const kept = await everything(db.database)
  expect(await take(base)).toMatchObject({ kind: 'imported' })
  const header = (text: string | Buffer | undefined) => `${String(text).split('\n')[0]}\n`
  const empty = Object.fromEntries(Object.entries(base).map(([file, text]) => [file, header(text)]))
  const plan = await take(empty, 0)
  expect(plan).toMatchObject({
    kind: 'planned',
    removals: {
      'users.csv': { rows: 2, of: 2 },
      'households.csv': { rows: 3, of: 3 },
      'roles.csv': { rows: 2, of: 2 },
    },
  })
  expect(await take(empty, 100)).toMatchObject({ kind: 'imported' })
  expect(await everything(db.database)).toEqual(kept)
})

test('an import of a sandbox refuses rows of the sandbox and references to them', async () => {
  const outcome = await take(
    {
      'firms.csv': 'id,name\nsandbox,Mine\nf9,Nine\n',
      'roles.csv': 'name,sees\nsandbox-firm,granted\n',
      'users.csv': `${usersHeader}sandbox-firm,f9,x@y.example,X,sandbox-firm,active,\nu9,f9,granted@sandbox.example,X,sandbox-granted,active,\n`,
      'households.csv': 'id,firm_id,name\nh9,sandbox-large,x\nsandbox-hh-01,f9,x\n',
      'accounts.csv': `${accountsHeader}a9,sandbox-hh-02,,,,,,active,\nsandbox-hh-03-ac-1,h9,,,,,,active,\n`,
      'account_access.csv': 'user_id,account_id\nsandbox-granted,sandbox-hh-04-ac-1\n',
    },
    1000,
  )
  const tail = ' belongs to `latchkey sandbox load`, and imports leave it alone'
  const faults = outcome.kind === 'refused' ? outcome.faults : expect.fail(JSON.stringify(outcome))
  expect(faults.flatMap((fault) => (fault.endsWith(tail) ? fault.slice(0, -tail.length) : []))).toEqual([
    'firms.csv:2: column "id": "sandbox"',
    'roles.csv:2: column "name": "sandbox-firm"',
    'users.csv:2: column "id": "sandbox-firm"',
    'users.csv:2: column "role": "sandbox-firm"',
    'users.csv:3: column "role": "sandbox-granted"',
    'households.csv:3: column "id": "sandbox-hh-01"',
    'households.csv:2: column "firm_id": "sandbox-large"',
    'accounts.csv:3: column "id": "sandbox-hh-03-ac-1"',
    'accounts.csv:2: column "household_id": "sandbox-hh-02"',
    'account_access.csv:2: column "user_id": "sandbox-granted"',
    'account_access.csv:2: column "account_id": "sandbox-hh-04-ac-1"',
  ])
  expect(faults).toContain(
    'users.csv:3: column "email": "granted@sandbox.example" belongs to the user "sandbox-granted"',
  )
})

test('production refuses the load, and treats a firm "sandbox" like any other', async () => {
  const production = await databaseFixture()
  const secret = 'the secret of this deployment, 32 bytes or more'
  const env = { LATCHKEY_ENVIRONMENT: 'production', LATCHKEY_SECRET: secret, DATABASE_URL: production.url }
  const refused = await hostedLatchkey(['sandbox', 'load', '--json'], env)
  expect(errorOf(refused)).toMatchObject({ code: 'refused', message: expect.stringMatching(/is production/) })
  const files = writeFiles({ 'firms.csv': 'id,name\nsandbox,Ours\n' })
  expect((await hostedLatchkey(['import', files, '--json'], env)).code).toBe(0)

  const sandbox = { ...env, LATCHKEY_ENVIRONMENT: 'sandbox', DATABASE_URL: db.url }
  const faulty = await hostedLatchkey(['import', files, '--json'], sandbox)
  expect(errorOf(faulty).message).toContain('firms.csv:2: column "id": "sandbox" belongs to')
})
