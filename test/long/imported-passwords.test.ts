import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { hashSync as argon2 } from '@node-rs/argon2'
import { hashSync as bcrypt } from '@node-rs/bcrypt'
import { expect, test } from 'vitest'
import { query, testDatabase } from '../support/database.ts'
import { expensiveHashesAtBounds, verifyAll } from '../support/hashes-at-bounds.ts'
import { writeFiles } from '../support/import.ts'
import { usersFiles } from '../support/imported-users.ts'
import { latchkeyOn, startLatchkey } from '../support/latchkey.ts'
import { freePort } from '../support/ports.ts'
import { Visitor } from '../support/visitor.ts'

const users = 10_000
const loginsPerFormat = 50

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

/** Cheap parameters: the test is about many users, not about expensive hashes. */
const formats: ((password: string, salt: Buffer) => string)[] = [
  (password) => argon2(password, { memoryCost: 8, timeCost: 1, parallelism: 1, algorithm: 1 }),
  (password) => bcrypt(password, 4),
  (password, salt) =>
    `$scrypt$ln=4,r=8,p=1$${base64(salt)}$${base64(scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 }))}`,
  (password, salt) =>
    `$pbkdf2-sha256$i=100$${base64(salt)}$${base64(pbkdf2Sync(password, salt, 100, 32, 'sha256'))}`,
]

const passwordOf = (n: number) => `old password ${n}`

test('76: the most expensive hashes that an import accepts can be verified', async () => {
  expect(await verifyAll(expensiveHashesAtBounds)).toEqual(expensiveHashesAtBounds.map(() => false))
})

test(`${users} users with four formats are imported; ${loginsPerFormat} of each log in, are rehashed and keep their sessions`, {
  timeout: 10 * 60_000,
}, async () => {
  const database = await testDatabase()
  const directory = writeFiles(
    usersFiles(
      Array.from({ length: users }, (_, n) => ({
        id: `u${n}`,
        password_hash: formats[n % formats.length]?.(passwordOf(n), randomBytes(16)) ?? '',
      })),
    ),
  )
  const imported = async () =>
    JSON.parse((await latchkeyOn(database.url, ['import', directory, '--json'])).stdout).files['users.csv']
  expect(await imported()).toMatchObject({ added: users })

  const server = await startLatchkey(['start'], {
    DATABASE_URL: database.url,
    LATCHKEY_SECRET: 'a secret for tests, of 32 bytes or more',
    LATCHKEY_PORT: String(await freePort()),
    LATCHKEY_OPS_PORT: String(await freePort()),
  })
  const authUrl = server.ready.auth_url ?? ''
  try {
    const logIn = async (n: number) => {
      const visitor = new Visitor()
      const page = await visitor.get(`${authUrl}/login`)
      const fields = { email: `u${n}@example.com`, password: passwordOf(n) }
      expect([n, (await visitor.submit(page, '/login', fields)).status]).toEqual([n, 303])
      return visitor
    }
    const numbers = Array.from({ length: loginsPerFormat * formats.length }, (_, n) => n)
    const visitors: Visitor[] = []
    for (let start = 0; start < numbers.length; start += 8) {
      visitors.push(...(await Promise.all(numbers.slice(start, start + 8).map(logIn))))
    }
    const rehashed = async () =>
      (await query(database.database, `SELECT FROM users WHERE password_hash LIKE '$argon2id$%'`)).length
    await expect.poll(rehashed).toBe(numbers.length)
    expect(await imported()).toMatchObject({ added: 0, changed: 0, unchanged: users })
    for (const visitor of visitors) expect((await visitor.get(`${authUrl}/connections`)).status).toBe(200)
    await Promise.all(numbers.slice(0, 8).map(logIn))
  } finally {
    await server.stop()
    await database.drop()
  }
})
