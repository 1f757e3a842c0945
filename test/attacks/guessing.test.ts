import { describe, expect, test } from 'vitest'
import { beginLogin, forgiveLogin } from '../../src/login/login.sql.ts'
import { query } from '../support/database.ts'
import { password } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { attempt, loginPage, right, wrong } from '../support/login.ts'
import { Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['cleo', 'dan', 'finn', 'gus', 'hal'] })

describe('11: password guessing', () => {
  const counts = () =>
    query<{ count: number }>(server.database, 'SELECT count FROM login_failures ORDER BY count DESC')

  test('ten failures, then 429 with Retry-After, even for the right password and another spelling of the address', async () => {
    await query(server.database, 'DELETE FROM login_failures')
    for (let i = 0; i < 10; i++) expect((await attempt(server, wrong('cleo'))).status).toBe(403)
    for (const email of ['cleo@example.com', 'CLEO@EXAMPLE.COM', '  Cleo@Example.com ']) {
      const page = await attempt(server, { email, password })
      expect(page.status).toBe(429)
      const seconds = Number(page.headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(14 * 60)
      expect(seconds).toBeLessThanOrEqual(15 * 60)
      expect(page.document.querySelector('[role=alert]')?.text).toContain('15 minutes')
    }
    // Other accounts are not affected, and the lock ends after a while.
    expect((await attempt(server, right('dan'))).status).toBe(303)
    await query(server.database, `UPDATE login_failures SET resets_at = now() - interval '1 second'`)
    expect((await attempt(server, right('cleo'))).status).toBe(303)
  })

  test('a success clears the account’s failures, and does not count against the source', async () => {
    await query(server.database, 'DELETE FROM login_failures')
    for (let i = 0; i < 9; i++) expect((await attempt(server, wrong('dan'))).status).toBe(403)
    expect((await attempt(server, right('dan'))).status).toBe(303)
    expect(await counts()).toEqual([{ count: 9 }])
    for (let i = 0; i < 10; i++) expect((await attempt(server, wrong('dan'))).status).toBe(403)
    expect((await attempt(server, wrong('dan'))).status).toBe(429)
  })

  test('80 wrong guesses at once: at most 10 passwords are checked', async () => {
    await query(server.database, 'DELETE FROM login_failures')
    const pages = await Promise.all(Array.from({ length: 80 }, () => attempt(server, wrong('finn'))))
    const statuses = pages.map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(10)
    // 503: too many wait for password hashing. Those attempts are not counted; all others are.
    const others = statuses.filter((status) => status !== 403)
    expect(others.filter((status) => status !== 429 && status !== 503)).toEqual([])
    const [source] = await counts()
    expect(source?.count).toBe(statuses.filter((status) => status !== 503).length)
  })

  test('counting and clearing failures at the same time never deadlock (a deadlock would be a 500)', async () => {
    // Below HTTP, where the calls are dense enough to overlap.
    await query(server.database, 'DELETE FROM login_failures')
    const [source, account, browser] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)]
    const logInOften = async () => {
      for (let i = 0; i < 50; i++) {
        await server.database.run(beginLogin, [source, account, 'x', browser, [browser], []])
        await server.database.run(forgiveLogin, [source, account])
      }
    }
    await expect(Promise.all(Array.from({ length: 10 }, logInOften))).resolves.toHaveLength(10)
  })

  test('logging in from several windows at once never fails', async () => {
    await query(server.database, 'DELETE FROM login_failures')
    for (let round = 0; round < 6; round++) {
      const forms = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const visitor = new Visitor()
          return { visitor, page: await loginPage(server, visitor) }
        }),
      )
      const pages = await Promise.all(
        forms.map(({ visitor, page }) => visitor.submit(page, '/login', right('gus'))),
      )
      expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 303))
    }
  })

  test('the stored rows reveal neither the account nor the source', async () => {
    await query(server.database, 'DELETE FROM login_failures')
    await attempt(server, wrong('hal'))
    const rows = await query<{ key: Buffer }>(server.database, 'SELECT key FROM login_failures')
    expect(rows.map(({ key }) => key.length)).toEqual([32, 32])
    expect(JSON.stringify(rows.map(({ key }) => key.toString('latin1')))).not.toMatch(/hal|127\.0\.0\.1/)
  })
})
