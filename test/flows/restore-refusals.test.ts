import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { query, type TestDatabase, testDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { type TestServer, testServer } from '../support/server.ts'

const secret = 'a secret for backups, of 32 bytes or more'

let source: TestDatabase
let server: TestServer
let target: TestDatabase
let directory: string
let file: string

const cliFor = (database: TestDatabase, more: Record<string, string> = {}) =>
  commandLine({ DATABASE_URL: database.url, LATCHKEY_SECRET: secret, ...more })

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'latchkey-backup-'))
  file = join(directory, 'backup.gz')
  source = await testDatabase()
  server = await testServer({ on: source, secret })
  await seed(source.database, { users: [{ id: 'ada' }] })
  await cliFor(source).text('backup', file)
})
afterAll(async () => {
  await server?.close()
  await source?.drop()
  rmSync(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  target = await testDatabase()
  await query(target.database, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public')
})
afterEach(() => target.drop())

describe('restore refuses a backup and leaves the database without rows', () => {
  const expectRefused = async (file: string, text: string, more: Record<string, string> = {}) => {
    const { code, stderr } = await cliFor(target, more).run('restore', file, '--end-all-grants')
    expect([code, stderr]).toEqual([1, expect.stringContaining(text)])
    const [created] = await query(target.database, `SELECT FROM pg_tables WHERE tablename = 'users'`)
    if (created) expect(await query(target.database, 'SELECT FROM users')).toEqual([])
  }
  const changedCopy = (change: (text: string) => string) => {
    const copy = `${file}.changed`
    writeFileSync(copy, gzipSync(change(gunzipSync(readFileSync(file)).toString())))
    return copy
  }

  test('when it is incomplete, modified, truncated or not a backup', async () => {
    await expectRefused(
      changedCopy((text) => text.slice(0, text.lastIndexOf('{'))),
      'is incomplete',
    )
    await expectRefused(
      changedCopy((text) => text.replace('ada@example.com', 'eva@example.com')),
      'was changed',
    )
    const cut = `${file}.cut`
    writeFileSync(cut, readFileSync(file).subarray(0, -20))
    await expectRefused(cut, 'cannot be read')
    writeFileSync(cut, 'hello')
    await expectRefused(cut, 'cannot be read')
    await expectRefused(
      changedCopy(() => 'hello\n'),
      'is not a backup',
    )
    await expectRefused(join(directory, 'nothing.gz'), 'cannot be read')
    // The same database still accepts the intact backup afterwards.
    await cliFor(target).json('restore', file, '--end-all-grants')
  })

  test('when it comes from the other environment, a newer Latchkey or another secret', async () => {
    await expectRefused(file, 'belongs to sandbox', { LATCHKEY_ENVIRONMENT: 'production' })
    const newer = changedCopy((text) => text.replace('"migrations":[', '"migrations":["9999_future.sql",'))
    await expectRefused(newer, 'made by a newer Latchkey')
    await expectRefused(file, 'another secret than LATCHKEY_SECRET', {
      LATCHKEY_SECRET: 'another secret, also of 32 bytes or more',
    })
  })

  test('when the database is not empty', async () => {
    const { code, stderr } = await cliFor(source).run('restore', file, '--end-all-grants')
    expect([code, stderr]).toEqual([1, expect.stringContaining('only into an empty database')])
  })
})
