import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { setPassword } from '../../src/directory/users.ts'
import { newPassword } from '../support/change-password.ts'
import { query } from '../support/database.ts'
import { emailOf, seed } from '../support/directory.ts'
import { attempt, cookieOf, loginPage, plant, right, wrong } from '../support/login.ts'
import { loggedIn } from '../support/pages.ts'
import { type TestServer, testServer } from '../support/server.ts'
import { type Page, Visitor } from '../support/visitor.ts'

let server: TestServer

beforeAll(async () => {
  server = await testServer()
  await seed(server.database, { users: ['ada', 'bob', 'cleo'].map((id) => ({ id })) })
  await seed(server.database, { users: Array.from({ length: 9 }, (_, i) => ({ id: `one-of-${i}` })) })
})
afterAll(() => server.close())
beforeEach(() => query(server.database, 'DELETE FROM login_failures'))

const cookie = 'latchkey-browser'

/** One login attempt in the given browser. */
async function guessIn(visitor: Visitor, fields: Record<string, string>, on = server): Promise<Page> {
  return visitor.submit(await loginPage(on, visitor), '/login', fields)
}

/** Locks an account, as an attacker can. */
async function lock(userId: string): Promise<void> {
  for (let i = 0; i < 10; i++) expect((await attempt(server, wrong(userId))).status).toBe(403)
  expect((await attempt(server, right(userId))).status).toBe(429)
}

/** A browser that has only this cookie. */
async function browserWith(value: string | undefined): Promise<Visitor> {
  const visitor = new Visitor()
  await plant(visitor, server, cookie, value ?? '')
  return visitor
}

describe('11: locking the owner out', () => {
  test('an attacker’s guesses never lock a browser that the account knows, logged in or out', async () => {
    const owner = await loggedIn(server, 'ada')
    await lock('ada')
    expect((await guessIn(owner, right('ada'))).status).toBe(303)
    await owner.submit(await owner.get(`${server.authUrl}/connections`), '/logout', {})
    expect((await guessIn(owner, right('ada'))).status).toBe(303)
    // The owner's success does not give an attacker ten more guesses.
    expect((await attempt(server, right('ada'))).status).toBe(429)
  })

  test('nor do those of an attacker at the same source, who locks the whole source', async () => {
    const owner = await loggedIn(server, 'ada')
    expect((await attempt(server, wrong('nobody'))).status).toBe(403)
    await query(server.database, 'UPDATE login_failures SET count = 101')
    expect((await attempt(server, right('bob'))).status).toBe(429)
    expect((await guessIn(owner, right('ada'))).status).toBe(303)
    expect((await guessIn(owner, right('bob'))).status).toBe(429)
  })

  test('a known browser has its own ten guesses, even all at once, and is then locked; other browsers are not', async () => {
    const known = await loggedIn(server, 'ada')
    const other = await loggedIn(server, 'ada')
    const page = await loginPage(server, known)
    const pages = await Promise.all(
      Array.from({ length: 30 }, () => known.submit(page, '/login', wrong('ada'))),
    )
    expect(pages.filter(({ status }) => status === 403)).toHaveLength(10)
    expect((await guessIn(known, right('ada'))).status).toBe(429)
    expect((await guessIn(other, right('ada'))).status).toBe(303)
    expect((await attempt(server, right('ada'))).status).toBe(303)
  })

  test('a success resets the browser’s ten guesses', async () => {
    const known = await loggedIn(server, 'ada')
    for (let i = 0; i < 9; i++) expect((await guessIn(known, wrong('ada'))).status).toBe(403)
    expect((await guessIn(known, right('ada'))).status).toBe(303)
    for (let i = 0; i < 10; i++) expect((await guessIn(known, wrong('ada'))).status).toBe(403)
    expect((await guessIn(known, right('ada'))).status).toBe(429)
  })

  test('a browser that several users share is known to each account, up to eight', async () => {
    const shared = await loggedIn(server, 'ada')
    expect((await guessIn(shared, right('bob'))).status).toBe(303)
    for (const id of ['ada', 'bob']) await lock(id)
    for (const id of ['ada', 'bob']) expect((await guessIn(shared, right(id))).status).toBe(303)

    await query(server.database, 'DELETE FROM login_failures')
    for (let i = 0; i < 9; i++) expect((await guessIn(shared, right(`one-of-${i}`))).status).toBe(303)
    expect((await cookieOf(shared, server, cookie))?.split('.')).toHaveLength(1 + 8)
    for (const id of ['one-of-0', 'one-of-1']) await lock(id)
    expect((await guessIn(shared, right('one-of-0'))).status).toBe(429)
    expect((await guessIn(shared, right('one-of-1'))).status).toBe(303)
  })
})

describe('11: a browser that only claims to be known', () => {
  test('a proof is valid for one account and one browser; it cannot be forged or moved', async () => {
    const adas = (await cookieOf(await loggedIn(server, 'ada'), server, cookie)) ?? ''
    const bobs = (await cookieOf(await loggedIn(server, 'bob'), server, cookie)) ?? ''
    const [id, proof = ''] = adas.split('.')
    const [bobsId, bobsProof] = bobs.split('.')
    await lock('ada')
    for (const value of [
      bobs,
      `${bobsId}.${proof}`,
      `${id}.${bobsProof}`,
      `${id}.${'0'.repeat(64)}${proof.slice(64)}`,
      `${id}.${'0'.repeat(64)}`,
      `${id}.${proof.slice(0, -1)}`,
      `${id}.${proof}.`,
      proof,
      `${id}`,
      'x'.repeat(2000),
    ]) {
      expect((await guessIn(await browserWith(value), right('ada'))).status).toBe(429)
    }
    expect((await guessIn(await browserWith(adas), right('ada'))).status).toBe(303)
  })

  test('known browsers of an old password are no longer known after a password change', async () => {
    const collected = await loggedIn(server, 'cleo')
    await setPassword(server.database, systemOrigin, 'cleo', newPassword, { service: 'Latchkey' })
    await lock('cleo')
    expect((await guessIn(collected, wrong('cleo'))).status).toBe(429)
    await query(server.database, 'DELETE FROM login_failures')
    const fields = { email: emailOf('cleo'), password: newPassword }
    expect((await guessIn(collected, fields)).status).toBe(303)
    for (let i = 0; i < 11; i++) await attempt(server, wrong('cleo'))
    expect((await guessIn(collected, fields)).status).toBe(303)
  })

  test('a failed login makes no browser known; the cookie is HttpOnly, Lax and lasts 180 days', async () => {
    expect((await attempt(server, wrong('bob'))).headers.getSetCookie().join()).not.toContain(cookie)
    const welcome = await attempt(server, right('bob'))
    const set = welcome.headers.getSetCookie().find((text) => text.startsWith(`${cookie}=`))
    expect(set).toMatch(
      /^latchkey-browser=\w{22}\.[0-9a-f]{64}[\w-]{22}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })
})
