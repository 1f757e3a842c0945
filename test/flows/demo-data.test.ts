import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import type { DemoLogin } from '../../src/demo/data/people.ts'
import { writeDemoData } from '../../src/demo/data/write-demo-data.ts'
import { foldCase } from '../../src/directory/case-folding.ts'
import { verifyPassword } from '../../src/directory/passwords.ts'
import { importDirectory } from '../../src/import/import-directory.ts'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'

const directory = mkdtempSync(join(tmpdir(), 'latchkey-demo-'))

const db = await databaseFixture()
const logins: DemoLogin[] = await writeDemoData(directory)
expect(await importDirectory(db.database, systemOrigin, directory)).toMatchObject({ kind: 'imported' })

afterAll(() => rmSync(directory, { recursive: true }))

async function count(sql: string): Promise<number> {
  const [row] = await query(db.database, `SELECT count(*)::integer AS count FROM ${sql}`)
  return Number(row?.count)
}

test('the demo data is the same every time', async () => {
  const again = join(directory, 'again')
  mkdirSync(again)
  expect(await writeDemoData(again)).toEqual(logins)
  for (const file of readdirSync(again)) {
    expect(readFileSync(join(again, file), 'utf8')).toBe(readFileSync(join(directory, file), 'utf8'))
  }
})

test('every demo login belongs to an active user and has the right password', async () => {
  const users = await query(db.database, `SELECT email, password_hash, status FROM users ORDER BY email`)
  expect(users).toHaveLength(12)
  expect(users.filter(({ status }) => status === 'disabled')).toHaveLength(1)
  const active = users.filter(({ status }) => status === 'active')
  expect(logins.map(({ email }) => email).sort()).toEqual(active.map(({ email }) => email))
  for (const { email, password } of logins) {
    const hash = active.find((user) => user.email === email)?.password_hash
    expect(await verifyPassword(password, String(hash))).toBe(true)
  }
})

test('the demo data has more than two pages of households in one firm and difficult names of every kind', async () => {
  expect(await count(`firms`)).toBe(3)
  expect(await count(`households WHERE firm_id = 'northbridge'`)).toBeGreaterThan(200)
  expect(await count(`households WHERE name IS NULL`)).toBeGreaterThan(5)
  expect(await count(`accounts WHERE status = 'closed'`)).toBeGreaterThan(50)
  const names = (await query(db.database, 'SELECT name FROM households WHERE name IS NOT NULL')).map(
    ({ name }) => String(name),
  )
  for (const part of ['%', '_', '\\', "'", ',', '"', '<b>', '\u0301']) {
    expect(names.some((name) => name.includes(part))).toBe(true)
  }
  const scripts = [
    'Latin',
    'Greek',
    'Cyrillic',
    'Georgian',
    'Arabic',
    'Hebrew',
    'Han',
    'Katakana',
    'Hangul',
    'Devanagari',
    'Thai',
  ]
  for (const script of scripts) {
    expect(
      names.filter((name) => new RegExp(`\\p{Script=${script}}`, 'u').test(name)).length,
    ).toBeGreaterThan(0)
  }
  expect(names.filter((name) => foldCase(name) === 'strassenbau weiss')).toHaveLength(2)
})

test('the demo data has households that no user sees, and some that only a user who sees the whole firm can see', async () => {
  const untouched = (firm: string) => `households h WHERE firm_id = '${firm}' AND NOT EXISTS (
    SELECT FROM accounts a JOIN account_access ON account_id = a.id WHERE a.household_id = h.id)`
  const seesAll = (firm: string) =>
    `users u JOIN roles r ON r.name = u.role AND r.sees = 'firm' WHERE firm_id = '${firm}'`
  expect(await count(untouched('northbridge'))).toBeGreaterThan(50)
  expect(await count(seesAll('northbridge'))).toBe(1)
  expect(await count(untouched('aurora'))).toBeGreaterThan(10)
  expect(await count(seesAll('aurora'))).toBe(0)
})

test('account access never crosses firms', async () => {
  expect(
    await count(`account_access x JOIN users u ON u.id = x.user_id JOIN accounts a ON a.id = x.account_id
                 JOIN households h ON h.id = a.household_id WHERE h.firm_id <> u.firm_id`),
  ).toBe(0)
})
