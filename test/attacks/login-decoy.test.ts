import { hash, parseOptions } from '@node-rs/argon2'
import { describe, expect, test } from 'vitest'
import { beginLogin } from '../../src/login/login.sql.ts'
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
    expect([found.user_id, found.password_hash]).toEqual([null, null])
    expect((await attempt(server, { email: emailOf('nobody'), password: '' })).status).toBe(403)
  })

  test('a user who does not exist, is disabled or has no password costs as much time as any other', async () => {
    const users = ['bob', 'dora', 'frank', 'gone', 'hugo'].map((id) => ({ id }))
    await seed(server.database, { users })
    await query(server.database, 'UPDATE users SET password_hash = $1', [await hash(password, cost)])
    await query(server.database, `UPDATE users SET password_hash = NULL WHERE id = 'frank'`)
    await query(server.database, `UPDATE users SET status = 'disabled' WHERE id = 'gone'`)

    expect((await begin(emailOf('bob'))).user_id).toBe('bob')
    const others = ['aaron', 'carl', 'frank', 'gone', 'zoe', '']
    for (const id of ['bob', 'hugo', ...others]) {
      const found = await begin(emailOf(id))
      expect(parseOptions(found.password_hash ?? '')).toMatchObject(cost)
    }
    for (const id of others) expect((await begin(emailOf(id))).user_id).toBeNull()
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
    expect(plan).toContain('users_with_password')
    expect(plan).not.toContain('Seq Scan on users')
  })
})
