import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newPasswordFaults } from '../../src/directory/new-password.ts'
import { changePassword, loginStatus, newPassword } from '../support/change-password.ts'
import { tokensFor } from '../support/connection.ts'
import { password, seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, connect } from '../support/journey.ts'
import { cookieOf, plant } from '../support/login.ts'
import { loggedIn } from '../support/pages.ts'
import { isLoggedIn, listedSessions, sessionsPage } from '../support/sessions.ts'
import { Visitor } from '../support/visitor.ts'

const db = await databaseFixture()
const server = await serverFixture({ on: db })
const other = await serverFixture({ on: db })
await seed(db.database, { users: ['ada', 'bob', 'cleo', 'dan'] })

describe('a changed password', () => {
  test('replaces the old password on every server', async () => {
    const visitor = await loggedIn(server, 'ada')
    const done = await changePassword(visitor, server)
    expect([done.status, done.headers.get('location')]).toEqual([303, '/password/changed'])
    const page = await visitor.follow(done)
    expect(page.document.querySelector('[role=status]')?.text).toContain('Your password is changed')
    expect(await loginStatus(other, 'ada', password)).toBe(403)
    expect(await loginStatus(other, 'ada', newPassword)).toBe(303)
  })

  test('ends the other sessions on every server; this session continues with a new id and the same expiry', async () => {
    const visitor = await loggedIn(server, 'bob')
    const elsewhere = [await loggedIn(server, 'bob'), await loggedIn(other, 'bob')]
    const old = (await cookieOf(visitor, server, 'latchkey-session')) ?? ''
    const expiry = async () => {
      const rows = await db.database.withConnection((client) =>
        client.query<{ expires_at: Date; auth_time: Date }>(
          `SELECT expires_at, auth_time FROM sessions WHERE user_id = 'bob' ORDER BY id`,
        ),
      )
      return rows.rows
    }
    const [own] = await expiry()
    await changePassword(visitor, server)
    expect(await expiry()).toEqual([own])
    expect(await isLoggedIn(visitor, other)).toBe(true)
    expect(listedSessions(await sessionsPage(visitor, server)).length).toBe(1)
    for (const browser of elsewhere) expect(await isLoggedIn(browser, other)).toBe(false)
    const thief = new Visitor()
    await plant(thief, server, 'latchkey-session', old)
    expect(await isLoggedIn(thief, server)).toBe(false)
    expect(await cookieOf(visitor, server, 'latchkey-session')).not.toBe(old)
  })

  test('does not disconnect apps', async () => {
    const partner = await server.partner()
    const { accessToken } = await tokensFor(server, partner, 'cleo')
    const visitor = await loggedIn(server, 'cleo')
    await changePassword(visitor, server)
    expect((await api(other, 'households', accessToken)).status).toBe(200)
    const again = await connect(server, partner, 'cleo', {}, visitor) // still logged in
    expect(again.searchParams.get('code')).toMatch(/^lk_test_ac_/)
  })
})

describe('an invalid new password', () => {
  test.each([
    ['of 14 characters', 'owls eat plums', 'at least 15 characters'],
    ['of 14 characters and 28 bytes', 'äöüßéèêâîôûñçø', 'at least 15 characters'],
    ['abcdefgh', 'abcdefgh', 'at least 15 characters'],
    ['of 1025 bytes', `${'é'.repeat(512)}x`, 'too long'],
    ['of two lines', 'this is line one\nline two', 'line break'],
    ['that contains the user’s name', 'USER-DAN is so brave', 'contains your name'],
    ['that contains the name of the service', 'my latchkey secrets', 'the name of this service'],
    ['of the user’s address', 'dan@example.com 1', 'contains your name'],
    ['that repeats itself', 'passwordpassword', 'repeats itself'],
    ['of a row of keys', 'qwertzuiopasdfghjkl', 'follows a pattern'],
    ['of letters in order', 'abcdefghijklmnopq', 'follows a pattern'],
    ['that many people use', '1qaz2wsx3edc4rfv', 'Many people use'],
    ['of two common words', 'Sunshine Sunday', 'a few common words'],
  ])('%s is refused with the reason, and nothing is changed', async (_case, next, reason) => {
    const visitor = await loggedIn(server, 'dan')
    const page = await changePassword(visitor, server, next)
    expect(page.status).toBe(400)
    expect(page.document.querySelector('[role=alert]')?.text).toContain(reason)
    expect(page.document.querySelector('[name=new_password]')?.getAttribute('aria-invalid')).toBe('true')
    expect(page.text).not.toContain(next)
    expect(await isLoggedIn(visitor, server)).toBe(true)
    expect(await loginStatus(server, 'dan', password)).toBe(303)
  })

  test('passwords of 15 characters and of 1024 bytes and the current password are accepted', async () => {
    const visitor = await loggedIn(server, 'dan')
    const longest = randomBytes(512).toString('hex')
    let current = password
    for (const next of ['owls eat plums?', longest, longest]) {
      expect((await changePassword(visitor, server, next, current)).status).toBe(303)
      current = next
    }
  })
})

test.each([
  [7, 'kX9#mQ2', 'too_short'],
  [8, 'abcdefgh', 'pattern'],
  [8, 'Sunshine', 'common'],
  [8, 'kX9#mQ2v', undefined],
])('with a second factor, %i characters: %s', async (_characters, chosen, kind) => {
  const owner = { name: 'Dan', email: 'dan@example.com', service: 'Latchkey', hasSecondFactor: true }
  expect((await newPasswordFaults(chosen, owner)).map((fault) => fault.kind)).toEqual(kind ? [kind] : [])
  expect(await newPasswordFaults(chosen, { ...owner, hasSecondFactor: false })).toEqual([
    { kind: 'too_short', characters: 15 },
  ])
})
