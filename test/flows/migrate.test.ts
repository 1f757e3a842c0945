import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MigrationError, migrate } from '../../src/database/migrate.ts'
import { query, type TestDatabase, testDatabase } from '../support/database.ts'
import { errorOf, latchkey, latchkeyOn } from '../support/latchkey.ts'

const ownNames = readdirSync(new URL('../../migrations', import.meta.url)).sort()
let db: TestDatabase
let directory: string

beforeEach(async () => {
  db = await testDatabase()
  directory = mkdtempSync(join(tmpdir(), 'latchkey-migrations-'))
})
afterEach(async () => {
  await db.drop()
  rmSync(directory, { recursive: true, force: true })
})

function rows<Row extends pg.QueryResultRow>(sql: string) {
  return query<Row>(db.database, sql)
}

async function emptyDatabase(): Promise<void> {
  await rows('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
}

async function tables(): Promise<string[]> {
  const found = await rows<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  )
  return found.map(({ name }) => name)
}

async function applied(): Promise<string[]> {
  const found = await rows<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')
  return found.map(({ name }) => name)
}

function write(name: string, sql: string, kind = 'compatible'): void {
  writeFileSync(join(directory, name), `-- ${kind}\n${sql}`)
}

/** Runs `latchkey migrate` on this database in a separate process. Two of them can wait for each other. */
function run() {
  const env = { DATABASE_URL: db.url, LATCHKEY_SECRET: 'a secret for tests, of 32 bytes or more' }
  return latchkey(['migrate', '--json'], env)
}

/** Waits until this many sessions of this database wait for an advisory lock. */
async function sessionsWaitingForLock(sessions: number): Promise<void> {
  const count = async () =>
    (
      await rows(`SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
                  WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`)
    ).length
  await expect.poll(count, { timeout: 20_000 }).toBe(sessions)
}

async function holdLock(key: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: db.url })
  client.on('error', () => {})
  await client.connect()
  await client.query('SELECT pg_advisory_lock($1)', [key])
  return client
}

describe('Latchkey’s migrations', () => {
  test('create the schema of an empty database, and are applied only once', async () => {
    const schema = await tables()
    expect(schema).toContain('connections')
    await emptyDatabase()
    expect(await migrate(db.database)).toEqual(ownNames)
    expect(await tables()).toEqual(schema)
    expect(await migrate(db.database)).toEqual([])
    expect(await applied()).toEqual(ownNames)
  })

  test('run by two processes at once: both succeed, and each file is applied once', async () => {
    await emptyDatabase()
    const gate = await holdLock(4_710_003) // both processes wait for this lock before either begins
    const both = Promise.all([run(), run()])
    await sessionsWaitingForLock(2)
    await gate.end()
    const appliedBy: string[][] = []
    for (const { code, stdout, stderr } of await both) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toMatchObject({ migrated: true })
      appliedBy.push(JSON.parse(stdout).applied)
    }
    expect(appliedBy.sort((one, other) => one.length - other.length)).toEqual([[], ownNames])
    expect(await applied()).toEqual(ownNames)
  })

  test('are refused on a database that a newer Latchkey has migrated, and leave it unchanged', async () => {
    await rows(`INSERT INTO schema_migrations (name, digest) VALUES ('9999_future.sql', 'x')`)
    const finished = await run()
    expect(finished).toMatchObject({ code: 1, stdout: '' })
    expect(errorOf(finished)).toEqual({
      code: 'schema',
      message:
        'The database is newer than this program: it has 9999_future.sql, which is a breaking change. Use a newer version of Latchkey.',
    })
    expect(await applied()).toEqual([...ownNames, '9999_future.sql'])
  })

  test('are refused if a file was changed after it was applied', async () => {
    await rows(`UPDATE schema_migrations SET digest = 'other' WHERE name = '${ownNames[0]}'`)
    expect(errorOf(await run())).toEqual({
      code: 'schema',
      message: `${ownNames[0]} was changed after it had been applied. Never change an applied migration: add a new one.`,
    })
  })
})

describe('a migration that fails half way', () => {
  beforeEach(async () => {
    await emptyDatabase()
    await rows('CREATE TABLE gate (n int)')
    write('0001_fine.sql', 'CREATE TABLE first (id int);')
    // Fails until the gate has a row.
    write(
      '0002_broken.sql',
      'CREATE TABLE second (id int);\nSELECT 1 / count(*) FROM gate;\nCREATE TABLE third ();',
    )
    write('0003_later.sql', 'CREATE TABLE fourth (id int);')
  })

  test('is named in the error and undone; earlier migrations stay', async () => {
    const failure = await migrate(db.database, directory).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(MigrationError)
    expect(String(failure)).toMatch(/Migration 0002_broken\.sql failed and was undone: .*division by zero/)
    expect(await tables()).toEqual(['first', 'gate', 'schema_migrations'])
    expect(await applied()).toEqual(['0001_fine.sql'])
  })

  test('can be run again, and completes', async () => {
    await expect(migrate(db.database, directory)).rejects.toThrow(MigrationError)
    await rows('INSERT INTO gate VALUES (1)')
    expect(await migrate(db.database, directory)).toEqual(['0002_broken.sql', '0003_later.sql'])
    expect(await tables()).toEqual(['first', 'fourth', 'gate', 'schema_migrations', 'second', 'third'])
  })

  test('leaves no lock and no open transaction behind', async () => {
    await expect(migrate(db.database, directory)).rejects.toThrow(MigrationError)
    const [row] = await rows<{ locks: number; open: number }>(
      `SELECT (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND database =
                (SELECT oid FROM pg_database WHERE datname = current_database())) AS locks,
              (SELECT count(*)::int FROM pg_stat_activity
                WHERE datname = current_database() AND state LIKE 'idle in transaction%') AS open`,
    )
    expect(row).toEqual({ locks: 0, open: 0 })
  })
})

describe('42: a migration killed half way', () => {
  const halfWay = 77
  beforeEach(async () => {
    await emptyDatabase()
    write(
      '0001_slow.sql',
      `CREATE TABLE early (id int); SELECT pg_advisory_xact_lock(${halfWay}); CREATE TABLE late ();`,
    )
  })

  test('with its process (SIGKILL): it leaves nothing behind, and the next run completes', async () => {
    const gate = await holdLock(halfWay)
    const modules = ['database', 'migrate'].map(
      (name) => new URL(`../../dist/database/${name}.js`, import.meta.url),
    )
    const script = `
      import { openPool } from '${modules[0]}'
      import { migrate } from '${modules[1]}'
      await migrate(openPool(process.env.DATABASE_URL, () => {}), process.env.DIRECTORY)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      env: { PATH: process.env.PATH, DATABASE_URL: db.url, DIRECTORY: directory },
      stdio: 'ignore',
    })
    await sessionsWaitingForLock(1)
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    expect(await exited).toEqual([null, 'SIGKILL'])
    await gate.end()
    expect(await migrate(db.database, directory)).toEqual(['0001_slow.sql'])
    expect(await tables()).toEqual(['early', 'late', 'schema_migrations'])
  })

  test('with its connection: the error is reported, it leaves nothing behind, and the next run completes', async () => {
    const gate = await holdLock(halfWay)
    const failing = migrate(db.database, directory).catch((error: unknown) => error)
    await sessionsWaitingForLock(1)
    await rows(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
    const failure = await failing
    expect(failure).toBeInstanceOf(MigrationError)
    expect(String(failure)).toMatch(/0001_slow\.sql .*terminat/)
    expect(await tables()).toEqual(['schema_migrations'])
    await gate.end()
    expect(await migrate(db.database, directory)).toEqual(['0001_slow.sql'])
  })
})

test('an unreachable database is reported without a stack trace or the password', async () => {
  const { code, stdout, stderr } = await latchkeyOn('postgres://latchkey:hunter2@127.0.0.1:1/latchkey', [
    'migrate',
  ])
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'the database is unavailable: connect ECONNREFUSED 127.0.0.1:1\n',
  })
})

test('a wrong database password is reported the same way', async () => {
  const { code, stderr } = await latchkeyOn(db.url.replace(/:[^:@]+@/, ':hunter2@'), ['migrate'])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'the database is unavailable: password authentication failed for user "latchkey"\n',
  })
})
