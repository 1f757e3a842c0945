import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openEmbedded } from '../../src/database/embedded/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import { query, type TestDatabase, testDatabase } from '../support/database.ts'
import { newDeployment } from '../support/deployment.ts'
import { writeFiles } from '../support/import.ts'
import { errorOf, hostedLatchkey, latchkey, startLatchkey } from '../support/latchkey.ts'
import { freePort } from '../support/ports.ts'

const ownNames = readdirSync('migrations').sort()
const latest = ownNames.at(-1)?.slice(0, 4)
const secret = 'the secret of this deployment, 32 bytes or more'
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

/** Runs `start` in a separate process: it would not end in the process that the other commands share. */
const run = (...args: string[]) =>
  (args[0] === 'start' ? latchkey : hostedLatchkey)(args, { DATABASE_URL: db.url, LATCHKEY_SECRET: secret })

/** Applies the migrations up to and including this one. */
async function schemaOf(last: string): Promise<void> {
  await query(db.database, 'DROP SCHEMA public CASCADE')
  await query(db.database, 'CREATE SCHEMA public')
  for (const name of ownNames.filter((name) => name.slice(0, 4) <= last)) {
    cpSync(join('migrations', name), join(directory, name))
  }
  await migrate(db.database, directory)
}

/** Restores the state before the kinds of migrations were recorded. */
async function withoutKinds(): Promise<void> {
  await query(db.database, 'ALTER TABLE schema_migrations DROP COLUMN kind')
}

/** The columns of all tables, and all rows that a command might write. */
async function everything(): Promise<unknown> {
  return Promise.all([
    query(
      db.database,
      `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
    ),
    query(db.database, `SELECT * FROM schema_migrations ORDER BY name`).catch(() => []),
    query(db.database, 'SELECT * FROM signing_keys').catch(() => []),
  ])
}

async function addMigration(kind: string): Promise<void> {
  await query(
    db.database,
    `INSERT INTO schema_migrations (name, digest, kind) VALUES ('9999_future.sql', 'x', '${kind}')`,
  )
}

async function expectStarts(): Promise<void> {
  const [port, opsPort] = [String(await freePort()), String(await freePort())]
  const env = {
    DATABASE_URL: db.url,
    LATCHKEY_SECRET: secret,
    LATCHKEY_PORT: port,
    LATCHKEY_OPS_PORT: opsPort,
  }
  const server = await startLatchkey(['start'], env)
  expect(await server.stop()).toBe(0)
}

describe('a server database with an older schema', () => {
  test('all commands but start, demo and migrate print the command to run, and change nothing; migrate names the applied files; then commands work', async () => {
    await schemaOf('0010')
    await withoutKinds()
    const before = await everything()
    const files = writeFiles({ 'firms.csv': 'id,name\nf1,First\n' })
    const message = `The database has schema 0010; this program needs ${latest}. Run \`latchkey migrate\`.`
    for (const args of [
      ['partner', 'list'],
      ['user', 'list'],
      ['grant', 'list'],
      ['key', 'rotate'],
      ['import', files],
    ]) {
      const finished = await run(...args, '--json')
      expect([args, finished]).toMatchObject([args, { code: 1, stdout: '' }])
      expect([args, errorOf(finished)]).toEqual([args, { code: 'schema', message }])
      expect([args, await everything()]).toEqual([args, before])
    }
    const applied = ownNames.filter((name) => name > '0011')
    expect(JSON.parse((await run('migrate', '--json')).stdout)).toEqual({ migrated: true, applied })
    expect((await run('partner', 'list')).stdout).toBe('There are no partners.\n')
    const kinds = await query(db.database, `SELECT name, kind FROM schema_migrations WHERE name > '0011'`)
    expect(kinds).toContainEqual({ name: '0013_deployment.sql', kind: 'compatible' })
  })

  test('doctor reports the pending migrations and their kinds, changes nothing, and exits with 1', async () => {
    await schemaOf('0008')
    const before = await everything()
    const { code, stdout } = await run('doctor', '--json')
    expect(code).toBe(1)
    const { ok, checks } = JSON.parse(stdout)
    expect(ok).toBe(false)
    expect(checks.at(-1)).toMatchObject({ check: 'schema', ok: false })
    expect(checks.at(-1).detail).toContain(
      `The database has schema 0008; this program needs ${latest}. Run \`latchkey migrate\`. ` +
        'Pending: 0009_listing_at_scale.sql (breaking), 0010_changes.sql (breaking)',
    )
    expect(await everything()).toEqual(before)
  })

  test('start brings it up to date as well', async () => {
    await schemaOf('0010')
    await expectStarts()
    expect((await run('doctor')).stdout).toContain(`schema         ${latest}, compatible with this program\n`)
  })
})

test('a server database without a schema: only start, demo and migrate create one', async () => {
  await query(db.database, 'DROP SCHEMA public CASCADE')
  await query(db.database, 'CREATE SCHEMA public')
  expect(await run('partner', 'list')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The database has no schema yet. Run `latchkey migrate`.\n',
  })
  expect((await run('doctor')).stdout).toContain('FAULT  schema         The database has no schema yet.')
  expect(await query(db.database, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([])
  expect(await run('migrate')).toMatchObject({ code: 0, stderr: '' })
})

describe('a database with a newer schema', () => {
  test('with compatible changes only: servers start, and commands and doctor work', async () => {
    await addMigration('compatible')
    await expectStarts()
    expect(await run('partner', 'list')).toMatchObject({ code: 0, stderr: '' })
    expect(await run('migrate')).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' })
    expect((await run('doctor')).stdout).toMatch(/ok {5}schema +9999, compatible with this program\n/)
  })

  test.each([[['start']], [['partner', 'list']], [['migrate']]])(
    'with a breaking change: %j is refused',
    async (args) => {
      await addMigration('breaking')
      const { code, stderr } = await run(...args)
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr:
          'The database is newer than this program: it has 9999_future.sql, which is a breaking change. Use a newer version of Latchkey.\n',
      })
    },
  )

  test('that lacks a migration that this program needs is refused', async () => {
    await addMigration('compatible')
    await query(db.database, `DELETE FROM schema_migrations WHERE name = '${ownNames.at(-1)}'`)
    expect((await run('start')).stderr).toMatch(
      /does not know, and lacks .* different branches of development/,
    )
  })
})

describe('migrations', () => {
  test.each([
    ['0001_directory.sql', '5269893a239400bf98ac1a13d22619adb5f38d594080b3ba80d433fe951350bb'],
    ['0009_listing_at_scale.sql', '8b980fe705041f59605f693a21cca117037b1270c19d60025498f3455557b232'],
    ['0010_changes.sql', '5c3c3a54bda424b90a0c287f324957c539fa8e4e7c54da1ec53912ace233bf30'],
  ])('%s has the digest that was recorded before its first line named the kind', async (name, digest) => {
    const sql = 'SELECT digest FROM schema_migrations WHERE name = $1'
    expect(await query(db.database, sql, [name])).toEqual([{ digest }])
  })

  test('without a kind in the first line are refused', async () => {
    writeFileSync(join(directory, '0001_nothing.sql'), 'CREATE TABLE x ();')
    const message = /first line of 0001_nothing\.sql must be `-- compatible` or `-- breaking`/
    expect(() => migrate(db.database, directory)).toThrow(message)
  })
})

describe('a migration whose table is locked', () => {
  const short = { lockTimeout: 100, attempts: 3, pause: 10 }
  beforeEach(async () => {
    await query(db.database, 'DROP TABLE schema_migrations; CREATE TABLE busy (n int)')
    writeFileSync(join(directory, '0001_wide.sql'), '-- compatible\nALTER TABLE busy ADD COLUMN m int;')
  })

  test('gives up, reports it, and leaves nothing behind', async () => {
    await db.database.withConnection(async (holder) => {
      await holder.query('BEGIN; SELECT FROM busy')
      await expect(migrate(db.database, directory, short)).rejects.toThrow(
        /Migration 0001_wide\.sql was not applied: .* during 3 attempts\. It changed nothing\./,
      )
    })
    expect(await query(db.database, 'SELECT name FROM schema_migrations')).toEqual([])
    expect(await migrate(db.database, directory)).toEqual(['0001_wide.sql'])
  })

  test('retries, and lets the statements that wait behind it run in between', async () => {
    await db.database.withConnection(async (holder) => {
      await holder.query('BEGIN; SELECT FROM busy')
      const migrated = migrate(db.database, directory, { ...short, attempts: 1000 })
      const waiting = async () => {
        const sql = `SELECT FROM pg_locks WHERE relation = 'busy'::regclass AND mode = 'AccessExclusiveLock'`
        return (await query(db.database, sql)).length
      }
      await expect.poll(waiting, { timeout: 20_000, interval: 5 }).toBe(1)
      // Waits behind the migration in the lock queue, and is answered although the holder keeps its lock.
      for (let turn = 0; turn < 5; turn++) await query(db.database, 'SELECT FROM busy')
      await holder.query('ROLLBACK')
      expect(await migrated).toEqual(['0001_wide.sql'])
    })
  })
})

describe('the embedded database', () => {
  test('is created by any command if it does not exist; after that, only start and migrate migrate it', async () => {
    const deployment = await newDeployment()
    try {
      expect(await deployment.command('partner', 'list')).toBe('There are no partners.\n')
      const postgres = await openEmbedded({ dataDir: deployment.dataDir, as: 'command' })
      const client = new pg.Client({ connectionString: postgres.url })
      await client.connect()
      await client.query(`DELETE FROM schema_migrations WHERE name = '0014_users_and_partners.sql';
        ALTER TABLE users DROP COLUMN disabled_by_operator_at; ALTER TABLE partners DROP COLUMN site`)
      await client.end()
      await postgres.leave()
      const refused = await latchkey(['partner', 'list', '--json'], deployment.env)
      expect(errorOf(refused)).toMatchObject({
        code: 'schema',
        message: expect.stringContaining('Run `latchkey migrate`'),
      })
      expect(await deployment.command('migrate')).toBe(
        'applied 0014_users_and_partners.sql\nThe database is up to date.\n',
      )
      expect(await deployment.command('partner', 'list')).toBe('There are no partners.\n')
    } finally {
      deployment.remove()
    }
  })

  test('is not created by doctor, and neither is the data directory or the secret', async () => {
    const dataDir = join(directory, 'not', 'there')
    const { code, stdout, stderr } = await latchkey(['doctor'], { LATCHKEY_DATA_DIR: dataDir })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/^ok {5}configuration .*\nFAULT {2}database +there is none in .* yet: /)
    expect(existsSync(join(directory, 'not'))).toBe(false)
  })
})
