import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { backupFixture } from '../support/backup.ts'
import { query } from '../support/database.ts'

const backups = await backupFixture({ users: ['ada'] })
const { source, directory, cliFor } = backups
const file = await backups.backup()

describe('restore refuses a backup and leaves the database without rows', () => {
  const expectRefused = async (file: string, text: string, more: Record<string, string> = {}) => {
    const { code, stderr } = await cliFor(backups.target, more).run('restore', file, '--end-all-grants')
    expect([code, stderr]).toEqual([1, expect.stringContaining(text)])
    const [created] = await query(backups.target.database, `SELECT FROM pg_tables WHERE tablename = 'users'`)
    if (created) expect(await query(backups.target.database, 'SELECT FROM users')).toEqual([])
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
    await cliFor(backups.target).json('restore', file, '--end-all-grants')
  })

  test('when it comes from the other environment, a newer Latchkey or another secret', async () => {
    await expectRefused(file, 'belongs to sandbox', { LATCHKEY_ENVIRONMENT: 'production' })
    const newer = changedCopy((text) => text.replace('"migrations":[', '"migrations":["9999_future.sql",'))
    await expectRefused(newer, 'made by a newer Latchkey')
    await expectRefused(file, 'another secret than LATCHKEY_SECRET', {
      LATCHKEY_SECRET: 'another secret, also of 32 bytes or more',
    })
  })

  test.each(['31', '-1', '7.5', 'a week', ''])('when --token-window is "%s"', async (days) => {
    const options = ['--end-all-grants', `--token-window=${days}`]
    const { code, stderr } = await cliFor(backups.target).run('restore', file, ...options)
    expect([code, stderr]).toEqual([1, expect.stringContaining('--token-window must be a number of days')])
    const tables = await query(backups.target.database, `SELECT FROM pg_tables WHERE schemaname = 'public'`)
    expect(tables).toEqual([])
  })

  test('when the database is not empty', async () => {
    const { code, stderr } = await cliFor(source).run('restore', file, '--end-all-grants')
    expect([code, stderr]).toEqual([1, expect.stringContaining('only into an empty database')])
  })
})
