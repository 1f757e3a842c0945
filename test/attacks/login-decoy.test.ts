import { hash, parseOptions } from '@node-rs/argon2'
import { beforeAll, describe, expect, test } from 'vitest'
import { beginLogin, replaceHash } from '../../src/login/login.sql.ts'
import { query } from '../support/database.ts'
import { emailOf, password, seed } from '../support/directory.ts'
import { explain } from '../support/explain.ts'
import { serverFixture } from '../support/fixtures.ts'
import { attempt, right } from '../support/login.ts'

/** Different from the server's parameters, and quick to compute. */
const cost = { memoryCost: 8192, timeCost: 3, parallelism: 2 }

const server = await serverFixture()

const key = (n: number) => Buffer.alloc(32, n)
const begin = async (email: string) => {
  await query(server.database, 'DELETE FROM login_failures')
  return server.database.one(beginLogin, [key(1), key(2), email, key(3), [key(4)], []])
}

describe('12: timing, when imported hashes have another cost', () => {
  test('without any password in the table there is no difference to measure', async () => {
    const found = await begin(emailOf('nobody'))
    expect([found.id, found.password_hash]).toEqual([null, null])
    expect((await attempt(server, { email: emailOf('nobody'), password: '' })).status).toBe(403)
  })

  test('a user who does not exist, is disabled or has no password costs as much time as any other', async () => {
    const users = ['bob', 'dora', 'frank', 'gone', 'hugo'].map((id) => ({ id }))
    await seed(server.database, { users })
    await query(server.database, 'UPDATE users SET password_hash = $1', [await hash(password, cost)])
    await query(server.database, `UPDATE users SET password_hash = NULL WHERE id = 'frank'`)
    await query(server.database, `UPDATE users SET status = 'disabled' WHERE id = 'gone'`)

    expect((await begin(emailOf('bob'))).id).toBe('bob')
    const others = ['aaron', 'carl', 'frank', 'gone', 'zoe', '']
    for (const id of ['bob', 'hugo', ...others]) {
      const found = await begin(emailOf(id))
      expect(parseOptions(found.password_hash ?? '')).toMatchObject(cost)
    }
    for (const id of others) expect((await begin(emailOf(id))).id).toBeNull()
    // The password of the user whose hash was verified instead works only for that user.
    for (const id of ['bob', ...others]) {
      const { status, headers } = await attempt(server, right(id))
      expect([id, status]).toEqual([id, id === 'bob' ? 303 : 403])
      expect(headers.getSetCookie().join().includes('latchkey-session')).toBe(id === 'bob')
    }
  })

  test('the decoy hash is found by index, even if many users have no password', async () => {
    await query(
      server.database,
      `INSERT INTO users (id, firm_id, email, email_folded, name, role, status)
       SELECT 'x' || n, 'firm-1', n, 'm' || n, 'X', 'sees-firm', 'active' FROM generate_series(1, 20000) n`,
    )
    await query(server.database, 'ANALYZE users')
    const values = [key(1), key(2), 'm5', key(3), [key(4)], []]
    const { plan } = await explain(server.database, 'core', beginLogin, values)
    expect(plan).toContain('users_by_login_version')
    expect(plan).not.toContain('Seq Scan on users')
  })
})

describe('12: timing, when users have hashes of several formats', () => {
  const ids = Array.from({ length: 40 }, (_, n) => `mixed${String(n).padStart(2, '0')}`)
  const hashOf = (id: string) => `${formats[Number(id.slice(5)) % formats.length]}${id}`
  const formats = ['$argon2id$', '$2b$', '$scrypt$', '$pbkdf2-sha256$']
  const decoyOf = async (email: string) => {
    const values = [key(1), key(2), email, key(3), [key(4)], []]
    return (await server.database.one(beginLogin, values)).password_hash ?? ''
  }
  const formatOf = (hash: string) => formats.find((format) => hash.startsWith(format))

  beforeAll(async () => {
    await query(server.database, `INSERT INTO deployment (environment) VALUES ('sandbox')`) // every server does
    await query(server.database, 'DELETE FROM users')
    await seed(server.database, { users: ids.map((id) => ({ id })) })
    for (const id of ids) {
      const values = [id, hashOf(id)]
      await query(server.database, 'UPDATE users SET password_hash = $2 WHERE id = $1', values)
    }
  })

  test('one unknown address always has the same decoy, also after logins have replaced other hashes', async () => {
    const strangers = Array.from({ length: 20 }, (_, n) => emailOf(`stranger${n}`))
    const decoys = await Promise.all(strangers.map(decoyOf))
    const owners = decoys.map((decoy) => decoy.slice(decoy.lastIndexOf('$') + 1))
    for (const moved of ids.filter((id) => !owners.includes(id))) {
      await server.database.run(replaceHash, [moved, hashOf(moved), `$argon2id$${moved}`])
    }
    expect(await Promise.all(strangers.map(decoyOf))).toEqual(decoys)
    for (const id of ids) {
      await query(server.database, 'UPDATE users SET password_hash = $2 WHERE id = $1', [id, hashOf(id)])
    }
  })

  test('unknown addresses have decoys of every format, as often as users have the format', async () => {
    const decoys = await Promise.all(Array.from({ length: 200 }, (_, n) => decoyOf(emailOf(`stranger${n}`))))
    for (const format of formats) {
      const share = decoys.filter((decoy) => formatOf(decoy) === format).length
      expect([format, share > 10]).toEqual([format, true])
    }
  })

  test('the format for a similar address does not tell whether an address has a user', async () => {
    // With the next user in the order as the decoy, the addresses around a user without an account would all take the time of
    // that user. Then only an address with a user could differ from the one after it.
    let equal = 0
    for (const [n, id] of ids.entries()) {
      expect(await decoyOf(emailOf(id))).toBe(hashOf(id))
      const after = await decoyOf(`${emailOf(id)}a`)
      if (after === hashOf(ids[n + 1] ?? '') || after === hashOf(id)) equal += 1
    }
    expect(equal).toBeLessThan(15)
  })

  test('a disabled user costs as much time as before', async () => {
    await query(server.database, `UPDATE users SET status = 'disabled' WHERE id = 'mixed01'`)
    expect(await begin(emailOf('mixed01'))).toMatchObject({ id: null, password_hash: hashOf('mixed01') })
  })
})
