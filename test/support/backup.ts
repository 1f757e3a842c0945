import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { type CommandLine, commandLine } from './command-line.ts'
import { query, type TestDatabase, testDatabase } from './database.ts'
import type { SeedRows } from './directory.ts'
import { databaseFixture, serverFixture } from './fixtures.ts'
import { type TestServer, testServer } from './server.ts'

export const backupSecret = 'a secret for backups, of 32 bytes or more'

type Backups = {
  /** What is backed up, and a server on it. */
  source: TestDatabase
  server: TestServer
  /** Where the files are. */
  directory: string
  /** A database without tables, another one for each test. */
  readonly target: TestDatabase
  /** Commands on a database. */
  cliFor(database: TestDatabase, more?: Record<string, string>): CommandLine
  /** Backs up the source. @returns the file */
  backup(): Promise<string>
  /** Runs `work` with a second server, on the restored database. */
  withRestored(work: (restored: TestServer) => Promise<void>): Promise<void>
}

/** For files that back up and restore. Call it at the top level of the file. */
export async function backupFixture(rows: SeedRows): Promise<Backups> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-backup-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  const source = await databaseFixture()
  const server = await serverFixture({ on: source, secret: backupSecret, ...rows })
  let target = source
  beforeEach(async () => {
    target = await emptyDatabase()
  })
  afterEach(() => target.drop())
  const cliFor: Backups['cliFor'] = (database, more = {}) =>
    commandLine({ DATABASE_URL: database.url, LATCHKEY_SECRET: backupSecret, ...more })
  let files = 0
  return {
    source,
    server,
    directory,
    get target() {
      return target
    },
    cliFor,
    async backup() {
      const file = join(directory, `backup-${files++}.gz`)
      await cliFor(source).json('backup', file)
      return file
    },
    async withRestored(work) {
      const restored = await testServer({ on: target, secret: backupSecret })
      try {
        await work(restored)
      } finally {
        await restored.close()
      }
    },
  }
}

/** A database without tables. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const empty = await testDatabase()
  await query(empty.database, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  return empty
}
