import { describe, expect, test } from 'vitest'
import { hashPassword } from '../../src/directory/passwords.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { changePassword, loginStatus, newPassword } from '../support/change-password.ts'
import { query } from '../support/database.ts'
import { password, seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { isLoginPage, loggedIn } from '../support/pages.ts'
import { isLoggedIn } from '../support/sessions.ts'

const server = await serverFixture()
const ids = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gus', 'hal', 'ivy', 'jim']
await seed(server.database, { users: ids.map((id) => ({ id })) })

async function sessionCount(userId: string): Promise<number> {
  const rows = await query(server.database, 'SELECT FROM sessions WHERE user_id = $1', [userId])
  return rows.length
}

describe('11: guessing the current password in a session that a user left open', () => {
  test('each wrong one is a failed login of this browser: after ten it is locked, also for login', async () => {
    const visitor = await loggedIn(server, 'ada')
    for (let n = 0; n < 10; n++) {
      const page = await changePassword(visitor, server, newPassword, `guess ${n}`)
      expect(page.status).toBe(403)
      expect(page.document.querySelector('[role=alert]')?.text).toContain('current password is wrong')
    }
    const paused = await changePassword(visitor, server)
    expect(paused.status).toBe(429)
    expect(Number(paused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(paused.document.querySelector('[role=alert]')?.text).toContain('Too many attempts')
    expect(await loginStatus(server, 'ada', password, visitor)).toBe(429)
    // An attacker in this browser cannot lock ada out of her other browsers.
    expect(await loginStatus(server, 'ada', password)).toBe(303)
    expect(await isLoggedIn(visitor, server)).toBe(true)
    await query(server.database, 'DELETE FROM login_failures')
    expect(await loginStatus(server, 'ada', password, visitor)).toBe(303)
  })

  test('15 at once, twice: the limit is never exceeded', async () => {
    await query(server.database, 'DELETE FROM login_failures')
    const visitor = await loggedIn(server, 'bob')
    const attemptChange = (_: unknown, n: number) =>
      changePassword(visitor, server, newPassword, `guess ${n}`)
    const statuses: number[] = []
    for (let round = 0; round < 2; round++) {
      statuses.push(
        ...(await Promise.all(Array.from({ length: 15 }, attemptChange))).map(({ status }) => status),
      )
    }
    expect(statuses.filter((status) => status === 403).length).toBe(10)
    expect(statuses.filter((status) => status === 429).length).toBe(20)
  })

  test('a success resets the count like a login, and an invalid new password does not count', async () => {
    await query(server.database, 'DELETE FROM login_failures')
    const visitor = await loggedIn(server, 'cleo')
    expect((await changePassword(visitor, server, newPassword, 'wrong')).status).toBe(403)
    expect((await changePassword(visitor, server, 'short', password)).status).toBe(400)
    expect((await changePassword(visitor, server)).status).toBe(303)
    const account = await query(server.database, 'SELECT FROM login_failures WHERE count > 1')
    expect(account).toEqual([])
  })
})

test('submitted four times at once: the password changes once, and no other session remains', async () => {
  const visitor = await loggedIn(server, 'dan')
  const page = await visitor.get(`${server.authUrl}/password`)
  const fields = { current_password: password, new_password: newPassword }
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => visitor.submit(page, '/password', fields)),
  )
  const leads = answers.map(({ status, headers }) => `${status} ${headers.get('location')}`)
  expect(leads.filter((lead) => lead === '303 /password/changed').length).toBe(1)
  for (const lead of leads)
    expect(lead).toMatch(/^(303 \/(password\/changed|login\?page=password)|403 null)$/)
  expect(await sessionCount('dan')).toBe(1)
  expect(await isLoggedIn(visitor, server)).toBe(true)
  expect(await loginStatus(server, 'dan', newPassword)).toBe(303)
})

test('the browser stays known to the account: an attacker cannot lock its user out', async () => {
  await query(server.database, 'DELETE FROM login_failures')
  const visitor = await loggedIn(server, 'ivy')
  expect((await changePassword(visitor, server)).status).toBe(303)
  for (let n = 0; n < 10; n++) expect(await loginStatus(server, 'ivy', password)).toBe(403)
  expect(await loginStatus(server, 'ivy', newPassword)).toBe(429)
  expect(await loginStatus(server, 'ivy', newPassword, visitor)).toBe(303)
})

test('many at once while an import locks the users: they wait in one queue, and the API still works', async () => {
  const visitor = await loggedIn(server, 'jim')
  const accessToken = await accessTokenOf(server.database, 'jim')
  const page = await visitor.get(`${server.authUrl}/password`)
  const fields = { current_password: password, new_password: newPassword }
  const answers = await server.database.withConnection(async (client) => {
    await client.query('BEGIN; LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE')
    const changing = Array.from({ length: 12 }, () => visitor.submit(page, '/password', fields))
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await expect.poll(async () => (await query(server.database, waiting)).length, { timeout: 5000 }).toBe(1)
    for (let n = 0; n < 20; n++) expect((await api(server, 'households', accessToken)).status).toBe(200)
    expect(await query(server.database, waiting)).toHaveLength(1)
    await client.query('COMMIT')
    return Promise.all(changing)
  })
  expect(answers.filter((answer) => answer.headers.get('location') === '/password/changed')).toHaveLength(1)
})

test('while the operator sets another password at the same moment: the operator’s stays', async () => {
  const visitor = await loggedIn(server, 'gus')
  const operators = 'what the operator has set'
  const hash = await hashPassword(operators)
  const answer = await server.database.withConnection(async (client) => {
    await client.query('BEGIN')
    await client.query(
      `UPDATE users SET password_hash = $1, login_version = gen_random_uuid() WHERE id = 'gus'`,
      [hash],
    )
    const changing = changePassword(visitor, server)
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await expect.poll(async () => (await query(server.database, waiting)).length, { timeout: 5000 }).toBe(1)
    await client.query('COMMIT')
    return changing
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/login?page=password'])
  expect(await loginStatus(server, 'gus', newPassword)).toBe(403)
  expect(await loginStatus(server, 'gus', operators)).toBe(303)
})

test('the session ends while the password is being checked: nothing changes', async () => {
  const visitor = await loggedIn(server, 'hal')
  const answer = await server.database.withConnection(async (client) => {
    await client.query('BEGIN; LOCK TABLE login_failures')
    const changing = changePassword(visitor, server)
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await expect.poll(async () => (await query(server.database, waiting)).length, { timeout: 5000 }).toBe(1)
    await query(server.database, `UPDATE sessions SET expires_at = now() WHERE user_id = 'hal'`)
    await client.query('COMMIT')
    return changing
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/login?page=password'])
  expect(await loginStatus(server, 'hal', newPassword)).toBe(403)
  expect(await loginStatus(server, 'hal', password)).toBe(303)
})

test('without a session nothing changes, and the login leads back', async () => {
  const visitor = await loggedIn(server, 'eve')
  const page = await visitor.get(`${server.authUrl}/password`)
  await query(server.database, `DELETE FROM sessions WHERE user_id = 'eve'`)
  const fields = { current_password: password, new_password: newPassword }
  const refused = await visitor.submit(page, '/password', fields)
  expect([refused.status, refused.headers.get('location')]).toEqual([303, '/login?page=password'])
  expect(isLoginPage(await visitor.follow(refused))).toBe(true)
  expect(await loginStatus(server, 'eve', password)).toBe(303)
})

test('13, 38: 1 MB is refused before anything is hashed or counted, and no password is in the log', async () => {
  await query(server.database, 'DELETE FROM login_failures')
  const visitor = await loggedIn(server, 'finn')
  const secrets = ['canary-of-the-new-password', 'canary-of-a-wrong-password']
  for (const [next, current] of [
    ['x'.repeat(1_000_000), password],
    [newPassword, 'x'.repeat(1_000_000)],
  ] as const) {
    expect((await changePassword(visitor, server, next, current)).status).toBe(413)
  }
  expect(await query(server.database, 'SELECT FROM login_failures WHERE count > 0')).toEqual([])
  expect((await changePassword(visitor, server, secrets[0], secrets[1])).status).toBe(403)
  expect((await changePassword(visitor, server, secrets[0])).status).toBe(303)
  for (const secret of [...secrets, password, newPassword]) expect(server.logs()).not.toContain(secret)
  expect(server.logs()).toContain('"event":"change_password","outcome":"changed"')
})
