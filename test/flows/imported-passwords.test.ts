import { describe, expect, test } from 'vitest'
import { hashPassword } from '../../src/directory/passwords.ts'
import { changePassword, newPassword } from '../support/change-password.ts'
import { query } from '../support/database.ts'
import { seededCost } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { foreignHashes, longBcryptHashes, longPassword } from '../support/foreign-hashes.ts'
import { importUsers, replacedHashes, storedHash, submitLogin } from '../support/imported-users.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { Visitor } from '../support/visitor.ts'

const server = await serverFixture()

const ourKind = /^\$argon2id\$v=19\$m=8,t=1,p=1\$/
const users = foreignHashes.map(({ hash, password }, n) => ({ id: `u${n}`, password_hash: hash, password }))
const rows = users.map(({ id, password_hash }) => ({ id, password_hash }))
const [first = { id: '', password_hash: '', password: '' }] = users

const loginVersions = () => query(server.database, 'SELECT id, login_version FROM users ORDER BY id')

test('users of every format log in with their old passwords, are rehashed and keep their sessions', async () => {
  expect(await importUsers(server, rows)).toEqual({ added: users.length, changed: 0 })
  const before = await loginVersions()
  const visitors: Visitor[] = []
  for (const [n, { id, password }] of users.entries()) {
    const visitor = new Visitor()
    const wrong = await submitLogin(server, id, `${password}x`)
    const right = await submitLogin(server, id, password, visitor)
    expect([foreignHashes[n]?.maker, wrong.status, right.status]).toEqual([foreignHashes[n]?.maker, 403, 303])
    visitors.push(visitor)
  }
  await replacedHashes(server, users.length)
  for (const { id } of users) expect(await storedHash(server, id)).toMatch(ourKind)
  for (const visitor of visitors) expect(await isLoggedIn(visitor, server)).toBe(true)
  expect(await loginVersions()).toEqual(before)
  const again = await submitLogin(server, first.id, first.password)
  expect(again.status).toBe(303)
  expect((await submitLogin(server, first.id, `${first.password}x`)).status).toBe(403)
})

describe('another import of the same file', () => {
  test('changes nothing after a login has replaced the hash', async () => {
    const visitor = new Visitor()
    await submitLogin(server, first.id, first.password, visitor)
    const hash = await storedHash(server, first.id)
    expect(await importUsers(server, rows)).toEqual({ added: 0, changed: 0 })
    expect(await storedHash(server, first.id)).toBe(hash)
    expect(await isLoggedIn(visitor, server)).toBe(true)
  })

  test('keeps a password that the user has changed', async () => {
    const visitor = new Visitor()
    await submitLogin(server, first.id, first.password, visitor)
    expect((await changePassword(visitor, server, newPassword, first.password)).status).toBe(303)
    expect(await importUsers(server, rows)).toEqual({ added: 0, changed: 0 })
    expect(await isLoggedIn(visitor, server)).toBe(true)
    expect((await submitLogin(server, first.id, newPassword)).status).toBe(303)
  })
})

test('another hash replaces the password and ends the sessions and known browsers of this user only', async () => {
  const [visitor, other] = [new Visitor(), new Visitor()]
  await submitLogin(server, first.id, newPassword, visitor)
  await submitLogin(server, 'u1', users[1]?.password ?? '', other)
  const before = await loginVersions()
  const changed = { id: first.id, password_hash: users[5]?.password_hash ?? '' }
  expect(await importUsers(server, [changed, ...rows.slice(1)])).toEqual({ added: 0, changed: 1 })
  expect(await isLoggedIn(visitor, server)).toBe(false)
  expect(await isLoggedIn(other, server)).toBe(true)
  const different = (await loginVersions()).filter(
    (row, n) => JSON.stringify(row) !== JSON.stringify(before[n]),
  )
  expect(different.map((row) => row.id)).toEqual([first.id])
  expect((await submitLogin(server, first.id, newPassword)).status).toBe(403)
  expect((await submitLogin(server, first.id, users[5]?.password ?? '')).status).toBe(303)
})

test('a hash that was stored before imports remembered hashes is recognized', async () => {
  const hash = await hashPassword('a password of old times', seededCost)
  await importUsers(server, [{ id: 'old', password_hash: hash }])
  await query(server.database, `UPDATE users SET imported_hash_digest = NULL WHERE id = 'old'`)
  const visitor = new Visitor()
  await submitLogin(server, 'old', 'a password of old times', visitor)
  await importUsers(server, [{ id: 'old', password_hash: hash }])
  expect(await isLoggedIn(visitor, server)).toBe(true)
})

describe('the column password', () => {
  test('takes an argon2id hash like the column password_hash, as older exports write it', async () => {
    const hash = await hashPassword('made elsewhere', { ...seededCost, timeCost: 2 })
    await importUsers(server, [{ id: 'arg', password: hash }])
    expect(await storedHash(server, 'arg')).toBe(hash)
    expect((await submitLogin(server, 'arg', 'made elsewhere')).status).toBe(303)
    await expect.poll(() => storedHash(server, 'arg')).toMatch(ourKind)
    expect(await importUsers(server, [{ id: 'arg', password: hash }])).toEqual({ added: 0, changed: 0 })
    expect(await importUsers(server, [{ id: 'arg', password_hash: hash }])).toEqual({ added: 0, changed: 0 })
  })

  test('in plain text sets the password back each time; a hash that follows counts as another one', async () => {
    await importUsers(server, [{ id: 'plain', password_hash: first.password_hash }])
    await importUsers(server, [{ id: 'plain', password: 'set by the platform' }])
    expect((await submitLogin(server, 'plain', 'set by the platform')).status).toBe(303)
    expect((await submitLogin(server, 'plain', first.password)).status).toBe(403)
    await importUsers(server, [{ id: 'plain', password_hash: first.password_hash }])
    expect((await submitLogin(server, 'plain', first.password)).status).toBe(303)
    expect(await importUsers(server, [{ id: 'plain' }])).toEqual({ added: 0, changed: 0 })
  })
})

test.each(longBcryptHashes)(
  'bcrypt reads 72 bytes of a password, and the new hash all of them: %s',
  async (hash) => {
    const id = hash.slice(1, 3)
    await importUsers(server, [{ id, password_hash: hash }])
    const typed = `${longPassword.slice(0, 72)}, and more`
    expect((await submitLogin(server, id, longPassword.slice(0, 71))).status).toBe(403)
    expect((await submitLogin(server, id, typed)).status).toBe(303)
    await expect.poll(() => storedHash(server, id)).toMatch(ourKind)
    expect((await submitLogin(server, id, longPassword)).status).toBe(403)
    expect((await submitLogin(server, id, typed)).status).toBe(303)
  },
)
