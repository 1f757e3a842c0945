import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { describe, expect, test, vi } from 'vitest'
import { originValue, systemOrigin } from '../../src/audit/origin.ts'
import { hashPassword } from '../../src/directory/passwords.ts'
import { updatePassword } from '../../src/directory/users.sql.ts'
import { query } from '../support/database.ts'
import { seededCost } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { argon2dHash, foreignHashes } from '../support/foreign-hashes.ts'
import {
  bcryptTail,
  expensiveHashesAtBounds,
  hashesAtBounds,
  output,
  salt,
  verifyAll,
} from '../support/hashes-at-bounds.ts'
import { importUsers, refusedImport, storedHash, submitLogin } from '../support/imported-users.ts'
import { holdHashing } from '../support/login.ts'

const server = await serverFixture()

/** Imports a user with each hash, and compares the faults. The import names up to 20. */
async function expectFaults(cases: [hash: string, reason: string][]): Promise<void> {
  const faults = await refusedImport(
    server,
    cases.map(([password_hash], n) => ({ id: `u${n}`, password_hash })),
  )
  expect(faults).toHaveLength(cases.length)
  for (const [n, [hash, reason]] of cases.entries()) {
    expect(faults[n]).toContain(reason)
    expect(faults[n]?.startsWith(`users.csv:${n + 2}: column "password_hash": i`)).toBe(true)
    expect(faults[n]).not.toContain(hash.slice(-8))
  }
}

describe('76: an imported hash whose verification would take the memory or the processors', () => {
  const excessive: [hash: string, reason: string][] = [
    [`$argon2id$v=19$m=131073,t=1,p=1$${salt}$${output}`, 'memory in KiB is 131073; the maximum is 131072'],
    [`$argon2i$v=19$m=4194304,t=1,p=4$${salt}$${output}`, 'memory in KiB is 4194304'],
    [`$argon2id$v=19$m=1024,t=11,p=1$${salt}$${output}`, 'number of passes is 11; the maximum is 10'],
    [
      `$argon2id$v=19$m=131072,t=6,p=1$${salt}$${output}`,
      'memory in KiB times passes is 786432; the maximum is 655360',
    ],
    [`$argon2id$v=19$m=1024,t=1,p=9$${salt}$${output}`, 'number of lanes is 9; the maximum is 8'],
    [`$argon2id$v=19$m=1024,t=1,p=1$${salt}$${'A'.repeat(88)}`, 'output has 66 bytes; it must have 16 to 64'],
    [`$2b$15$${bcryptTail}`, 'bcrypt cost is 15; the maximum is 14'],
    [`$2y$31$${bcryptTail}`, 'bcrypt cost is 31'],
    [`$scrypt$ln=18,r=8,p=1$${salt}$${output}`, 'memory in KiB is 262144; the maximum is 131072'],
    [`$scrypt$ln=63,r=8,p=1$${salt}$${output}`, 'memory in KiB is'],
    [
      `$scrypt$ln=17,r=8,p=3$${salt}$${output}`,
      'memory in KiB times parallelization is 393216; the maximum is 262144',
    ],
    [`$scrypt$ln=1,r=524288,p=1$${salt}$${output}`, 'block size r is 524288; the maximum is 32'],
    [`$scrypt$ln=4,r=33,p=1$${salt}$${output}`, 'block size r is 33; the maximum is 32'],
    [`$scrypt$ln=1,r=1,p=1048576$${salt}$${output}`, 'parallelization p is 1048576; the maximum is 16'],
    [`$scrypt$ln=10,r=8,p=17$${salt}$${output}`, 'parallelization p is 17; the maximum is 16'],
    [`$pbkdf2-sha256$i=2000001$${salt}$${output}`, 'number of iterations is 2000001; the maximum is 2000000'],
    [`$pbkdf2-sha256$999999999999$${salt}$${output}`, 'number of iterations is 999999999999'],
    [
      `$pbkdf2-sha1$i=1000000$${salt}$${'A'.repeat(86)}`,
      'number of iterations times blocks of output is 4000000',
    ],
    [`$pbkdf2-sha512$i=1$${salt}$${'A'.repeat(120)}`, 'output has 90 bytes'],
    [
      'pbkdf2_sha256$2000001$saltsaltsalt$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
      'number of iterations is 2000001',
    ],
    [`$pbkdf2-sha256$i=1000$${salt}$${output}${'A'.repeat(500)}`, 'is longer than 512 characters'],
  ]

  test('is refused by line, with the bound', async () => {
    await expectFaults(excessive.slice(0, 12))
    await expectFaults(excessive.slice(12))
  })

  test('parameters at the bounds are accepted, and can be verified', async () => {
    const hashes = [...hashesAtBounds, ...expensiveHashesAtBounds]
    const users = hashes.map((password_hash, n) => ({ id: `b${n}`, password_hash }))
    expect(await importUsers(server, users)).toMatchObject({ added: hashes.length })
    expect(await verifyAll(hashesAtBounds)).toEqual(hashesAtBounds.map(() => false))
  })

  test('scrypt and PBKDF2 wait for their turn like every other hash', async () => {
    const kinds = ['passlib scrypt', 'passlib pbkdf2_sha256', 'passlib bcrypt 2b']
    const waiting = foreignHashes.filter(({ maker }) => kinds.includes(maker))
    await importUsers(
      server,
      waiting.map(({ hash }, n) => ({ id: `w${n}`, password_hash: hash })),
    )
    const release = holdHashing(server)
    let done = 0
    const logins = waiting.map(({ password }, n) =>
      submitLogin(server, `w${n}`, password).finally(() => {
        done += 1
      }),
    )
    const counted = async () =>
      (await query(server.database, 'SELECT FROM login_failures WHERE count > 0')).length
    await expect.poll(counted).toBe(1 + waiting.length) // one for the source
    expect(done).toBe(0)
    release()
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(kinds.map(() => 303))
  })
})

describe('76: a stored hash that cannot be verified', () => {
  const failures = () => server.logs().match(/"event":"verify_password","outcome":"failed"/g)?.length ?? 0
  const clear = () => query(server.database, 'DELETE FROM login_failures')
  const counted = async () =>
    (await query(server.database, 'SELECT FROM login_failures WHERE count > 0')).length

  test.each([
    ['an older version accepted it', `$scrypt$ln=1,r=524288,p=1$${salt}$${output}`],
    ['its format is unknown', '$6$saltsalt$abcdefgh'],
  ])('fails like a wrong password, with a line in the log: %s', async (_, hash) => {
    await importUsers(server, [{ id: 'stuck', password_hash: foreignHashes[0]?.hash ?? '' }])
    await query(server.database, `UPDATE users SET password_hash = $1 WHERE id = 'stuck'`, [hash])
    await clear()
    const before = failures()
    expect((await submitLogin(server, 'stuck', 'any password')).status).toBe(403)
    expect([failures(), await counted()]).toEqual([before + 1, 2])
    expect(server.logs()).toContain('"user_id":"stuck"')
    expect(server.logs()).not.toContain(hash.slice(-8))
  })

  test('so does one whose verification throws, for its user and as the decoy of a stranger', async () => {
    const scrypt = vi.spyOn(crypto, 'scrypt').mockImplementation(() => {
      throw new RangeError('Invalid scrypt params: memory limit exceeded')
    })
    syncBuiltinESMExports()
    try {
      const hash = `$scrypt$ln=1,r=1,p=1$${salt}$${output}`
      await importUsers(server, [{ id: 'stuck', password_hash: hash }])
      await query(server.database, 'UPDATE users SET password_hash = $1', [hash])
      await clear()
      const before = failures()
      for (const id of ['stuck', 'nobody']) {
        expect((await submitLogin(server, id, 'any password')).status).toBe(403)
      }
      expect(scrypt).toHaveBeenCalledTimes(2)
      expect([failures(), await counted()]).toEqual([before + 2, 3])
      expect(server.logs()).toContain('memory limit exceeded')
    } finally {
      scrypt.mockRestore()
      syncBuiltinESMExports()
    }
  })
})

describe('76: a hash that no password matches, or that another program reads differently', () => {
  const damaged = 'which no password can match'
  const unusable: [hash: string, reason: string][] = [
    [`$argon2id$v=19$m=8,t=0,p=1$${salt}$${output}`, damaged],
    [`$argon2id$v=19$m=8,t=1,p=8$${salt}$${output}`, damaged],
    [`$argon2id$v=20$m=8,t=1,p=1$${salt}$${output}`, damaged],
    [`$argon2id$v=19$m=8,t=1,p=1$c2Fs$${output}`, damaged],
    [`$argon2id$v=19$m=8,t=1,p=1$${salt}$${output.slice(1)}B`, damaged],
    [`$argon2id$v=19$m=8,t=1,p=1$${salt}$AAAA`, damaged],
    [`$2b$12$${bcryptTail.slice(1)}`, damaged],
    [`$2b$12$${bcryptTail.slice(0, -1)}f`, damaged],
    [`$2b$03$${bcryptTail}`, damaged],
    [`$scrypt$ln=0,r=8,p=1$${salt}$${output}`, damaged],
    [`$scrypt$ln=16,r=1,p=1$${salt}$${output}`, damaged],
    [`$scrypt$ln=4,r=8,p=1$sa*t$${output}`, damaged],
    [`$pbkdf2-sha256$i=0$${salt}$${output}`, damaged],
    [`$pbkdf2-sha256$i=10,l=64$${salt}$${output}`, damaged],
    [`$pbkdf2-sha256$i=10$${salt}$AAAA`, 'its output has 3 bytes; it must have 16 to 64'],
    [`$pbkdf2-sha256$i=10$c2Fs$${output}`, 'its salt has 3 bytes; it must have 8 to 64'],
    [argon2dHash, 'is not a supported password hash'],
    [`$argon2id$v=19$m=8,t=1,p=1,keyid=AAAA$${salt}$${output}`, 'is not a supported password hash'],
    [`$2x$12$${bcryptTail}`, 'is not a supported password hash'],
    ['$6$saltsalt$abcdef', 'is not a supported password hash'],
    ['{SSHA}DkMTwBl+a/3DQTxCYEApdUtNXGgdUac3', 'is not a supported password hash'],
    ['the password itself', 'is not a supported password hash'],
  ]

  test('is refused and not repeated', async () => {
    await expectFaults(unusable.slice(0, 12))
    await expectFaults(unusable.slice(12))
  })

  test('a row with a password and a hash is refused: nobody could say which one counts', async () => {
    const both = { id: 'u', password: 'a plain password', password_hash: foreignHashes[0]?.hash ?? '' }
    expect(await refusedImport(server, [both])).toEqual([
      'users.csv:2: column "password_hash": the row has a password too; leave one of the two empty',
    ])
  })
})

describe('76: a hash as a password', () => {
  test('in the column password is refused: anyone who knows it could log in', async () => {
    const hashes = foreignHashes.filter(({ hash }) => !hash.startsWith('$argon2id$')).slice(0, 20)
    expect(
      await refusedImport(
        server,
        hashes.map(({ hash }, n) => ({ id: `u${n}`, password: hash })),
      ),
    ).toEqual(
      hashes.map(
        (_, n) => `users.csv:${n + 2}: column "password": is a hash; put it into the column "password_hash"`,
      ),
    )
  })

  test('typed at the login is a wrong password', async () => {
    const some = foreignHashes.filter((_, n) => n % 5 === 0)
    await importUsers(
      server,
      some.map(({ hash }, n) => ({ id: `h${n}`, password_hash: hash })),
    )
    for (const [n, { hash }] of some.entries()) {
      expect((await submitLogin(server, `h${n}`, hash)).status).toBe(403)
      expect(await storedHash(server, `h${n}`)).toBe(hash)
    }
    for (const { hash } of some) expect(server.logs()).not.toContain(hash.slice(-12))
  })
})

describe('76: a password change while a login replaces the old hash', () => {
  const { hash: foreign = '', password = '' } = foreignHashes[6] ?? {}
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

  test('wins, even if the new hash is ready and waits for it', async () => {
    await importUsers(server, [{ id: 'raced', password_hash: foreign }])
    const next = await hashPassword('what the operator has set', seededCost)
    await server.database.withConnection(async (client) => {
      await client.query('BEGIN')
      await client.query(`UPDATE users SET password_hash = $1 WHERE id = 'raced'`, [next])
      expect((await submitLogin(server, 'raced', password)).status).toBe(303)
      await expect.poll(async () => (await query(server.database, waiting)).length).toBe(1)
      await client.query('COMMIT')
    })
    await expect.poll(() => server.logs()).toContain('"event":"rehash","outcome":"conflict"')
    expect(await storedHash(server, 'raced')).toBe(next)
  })

  test('after 40 races, every user has the new password in the database', async () => {
    await query(server.database, 'DELETE FROM login_failures')
    const ids = Array.from({ length: 40 }, (_, n) => `r${n}`)
    await importUsers(
      server,
      ids.map((id) => ({ id, password_hash: foreign })),
    )
    const next = await hashPassword('what the operator has set', seededCost)
    const statuses: number[] = []
    const before = server.logs().match(/"event":"rehash"/g)?.length ?? 0
    // No more at a time than the pool has connections: on a slow machine, others would wait for one too long.
    for (let start = 0; start < ids.length; start += 4) {
      await Promise.all(
        ids
          .slice(start, start + 4)
          .flatMap((id) => [
            submitLogin(server, id, password).then(({ status }) => statuses.push(status)),
            server.database.run(updatePassword, [id, next, false, originValue(systemOrigin)]),
          ]),
      )
    }
    expect(statuses.every((status) => status === 303 || status === 403)).toBe(true)
    const rehashes = () => server.logs().match(/"event":"rehash"/g)?.length ?? 0
    await expect.poll(rehashes).toBe(before + statuses.filter((status) => status === 303).length)
    const [count] = await query(
      server.database,
      `SELECT count(*)::int AS users FROM users WHERE id LIKE 'r%' AND password_hash = $1`,
      [next],
    )
    expect(count).toEqual({ users: ids.length })
  })
})
