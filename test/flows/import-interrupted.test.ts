import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { query, type TestDatabase, testDatabase } from '../support/database.ts'
import { base, emptyDirectory, everything, taken, usersHeader, writeFiles } from '../support/import.ts'
import { errorOf, type Finished, program } from '../support/latchkey.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db?.drop())
beforeEach(() => emptyDirectory(db.database))

const changed = { ...base, 'firms.csv': 'id,name\nf1,Renamed\nf2,Second\n' }

/** Runs an import, sends the signal when the output names this step, and waits for the end of the process. */
async function interruptedAt(
  step: string,
  files: Record<string, string>,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<Finished> {
  const child = spawn(process.execPath, [program, 'import', writeFiles(files), '--json'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: db.url,
      LATCHKEY_SECRET: 'a secret of 32 bytes, or even more',
    },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    const before = stderr.includes(`${step} …`)
    stderr += chunk
    if (!before && stderr.includes(`${step} …`)) child.kill(signal)
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

/** Waits until no import holds its table lock any longer: its connection has ended. */
async function expectNoneLeft(): Promise<void> {
  const sql = `SELECT FROM pg_locks WHERE relation = 'firms'::regclass AND mode = 'ShareRowExclusiveLock'`
  await expect.poll(async () => (await query(db.database, sql)).length, { timeout: 20_000 }).toBe(0)
}

describe.each(['SIGINT', 'SIGTERM'] as const)('an import that gets %s', (signal) => {
  test('while it waits for a lock reports that nothing was changed', async () => {
    await taken(db.database, base)
    const before = await everything(db.database)
    const finished = await db.database.withConnection(async (holder) => {
      await holder.query('BEGIN; LOCK TABLE firms IN ROW EXCLUSIVE MODE')
      return interruptedAt('checking', changed, signal)
    })
    expect(finished).toMatchObject({ code: 130, stdout: '' })
    expect(errorOf(finished)).toEqual({ code: 'interrupted', message: 'Interrupted: nothing was changed.' })
    await expectNoneLeft()
    expect(await everything(db.database)).toEqual(before)
  })
})

test('an import that is interrupted while it stores rows changes nothing', async () => {
  await taken(db.database, base)
  const before = await everything(db.database)
  const finished = await db.database.withConnection(async (holder) => {
    await holder.query(`BEGIN; SELECT FROM firms WHERE id = 'f1' FOR UPDATE`)
    return interruptedAt('storing firms.csv', changed)
  })
  expect(errorOf(finished).message).toBe('Interrupted: nothing was changed.')
  await expectNoneLeft()
  expect(await everything(db.database)).toEqual(before)
})

test('an import that is interrupted while it reads files or hashes passwords changes nothing', async () => {
  const users = Array.from(
    { length: 2000 },
    (_, n) => `u${n},f1,u${n}@example.com,U,advisor,active,password-${n}`,
  )
  const files = {
    ...base,
    'users.csv': `${usersHeader}${users.join('\n')}\n`,
    'account_access.csv': 'user_id,account_id\n',
  }
  for (const step of ['reading users.csv', 'hashing passwords']) {
    const finished = await interruptedAt(step, files)
    expect(finished).toMatchObject({ code: 130, stdout: '' })
    expect(errorOf(finished).message).toBe('Interrupted: nothing was changed.')
    expect(await query(db.database, 'SELECT id FROM users')).toEqual([])
  }
})

test('interrupted after the commit: the output has the counts and says that VACUUM failed', async () => {
  const finished = await db.database.withConnection(async (holder) => {
    // This lock allows inserts but blocks VACUUM.
    await holder.query('BEGIN; LOCK TABLE household_changes IN SHARE UPDATE EXCLUSIVE MODE')
    return interruptedAt('settling', base)
  })
  expect(finished).toMatchObject({ code: 0 })
  expect(finished.stderr).toContain('All data is stored, but VACUUM failed (it was interrupted)')
  expect(JSON.parse(finished.stdout).files['firms.csv']).toEqual({ added: 2, changed: 0, unchanged: 0 })
  expect(await query(db.database, 'SELECT id FROM firms ORDER BY id')).toHaveLength(2)
})
