import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { codeFor, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { taken, usersHeader } from '../support/import.ts'
import { api, authorize, refresh, token } from '../support/journey.ts'
import { disconnect, isConnectPage, loggedIn } from '../support/pages.ts'
import { type TestPartner, type TestServer, testServer } from '../support/server.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'

let server: TestServer
let partner: TestPartner

beforeAll(async () => {
  server = await testServer()
  partner = await server.partner()
  const households = ['f1', 'f2'].map((firm) => ({ id: `of-${firm}`, firm }))
  await seed(server.database, { users: ['ada', 'bob'].map((id) => ({ id, firm: 'f1' })), households })
})
afterAll(() => server.close())
beforeEach(() => users('f1'))

/** The files of a real import, with ada in this firm and role, and bob always in the first firm. */
const fileOf = (firm: string, role = 'sees-firm') => ({
  'users.csv': `${usersHeader}ada,${firm},ada@example.com,ada,${role},active,\nbob,f1,bob@example.com,bob,sees-firm,active,\n`,
})
const users = (firm: string, role?: string) => taken(server.database, fileOf(firm, role))

const households = async (accessToken: string) => {
  const { status, body } = await api(server, 'households', accessToken)
  return status === 200 && Array.isArray(body) ? body.map(({ id }) => id) : status
}
const moved = /The user moved to another firm, which ended the connection\. Ask the user to connect again\./

describe('52: A user moves to another firm, or the user’s role changes: old connections never read the new firm', () => {
  test('access token, refresh token and code from before the move are dead, and the error gives the reason', async () => {
    const visitor = await loggedIn(server, 'ada')
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada', { visitor })
    const code = await codeFor(server, partner, 'ada', { visitor })
    const bobs = await tokensFor(server, partner, 'bob')
    expect(await households(accessToken)).toEqual(['of-f1'])

    await users('f2')

    const refused = await api(server, 'households', accessToken)
    expect(refused).toMatchObject({ status: 401, body: { detail: expect.stringMatching(moved) } })
    expectInvalidGrant(await refresh(server, partner, refreshToken), moved)
    expectInvalidGrant(await token(server, partner, { grant_type: 'authorization_code', code }), moved)
    expect(await households(bobs.accessToken)).toEqual(['of-f1'])
    expect((await refresh(server, partner, bobs.refreshToken)).status).toBe(200)
    const apps = await visitor.get(`${server.authUrl}/connections`)
    expect(apps.document.querySelectorAll('form[action="/connections/disconnect"]')).toEqual([])
    expect(apps.document.querySelector('table .by')?.text).toBe('because you moved to another firm')
    // prompt=none requires new consent, and a new grant reads the new firm.
    const silent = await authorize(visitor, server, partner, { prompt: 'none' })
    expect(silent.headers.get('location')).toContain('consent_required')
    const again = await tokensFor(server, partner, 'ada', { visitor })
    expect(await households(again.accessToken)).toEqual(['of-f2'])
  })

  test('moving back does not restore the old connection', async () => {
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    await users('f2')
    await users('f1')
    expect(await households(accessToken)).toBe(401)
    expectInvalidGrant(await refresh(server, partner, refreshToken), moved)
  })

  test('an import that changes nothing or only the role keeps the connection; the new role applies at once', async () => {
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    await users('f1')
    expect(await households(accessToken)).toEqual(['of-f1'])
    await users('f1', 'sees-granted')
    expect(await households(accessToken)).toEqual([])
    expect((await refresh(server, partner, refreshToken)).status).toBe(200)
  })

  test('a grant that ended earlier keeps its reason', async () => {
    const visitor = await loggedIn(server, 'ada')
    await tokensFor(server, partner, 'ada', { visitor })
    await disconnect(visitor, server)
    await users('f2')
    const [last] = await query(
      server.database,
      `SELECT revoked_by, revoked_for FROM grants WHERE user_id = 'ada' ORDER BY id DESC LIMIT 1`,
    )
    expect(last).toEqual({ revoked_by: 'user', revoked_for: null })
  })

  test('many users who press Connect while an import changes them leave connections for refreshes', async () => {
    const ids = Array.from({ length: 10 }, (_, n) => `changed-${n}`)
    await seed(server.database, { users: ids.map((id) => ({ id, firm: 'f1' })) })
    const { refreshToken } = await tokensFor(server, partner, 'bob')
    const pages = await Promise.all(
      ids.map(async (id) => {
        const visitor = await loggedIn(server, id)
        return { visitor, page: await authorize(visitor, server, partner) }
      }),
    )
    await server.database.withConnection(async (client) => {
      await client.query(`BEGIN; UPDATE users SET name = name || '!' WHERE id LIKE 'changed-%'`)
      const presses = pages.map(({ visitor, page }) =>
        visitor.submit(page, '/connect', { decision: 'connect' }),
      )
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await expect
        .poll(async () => (await query(server.database, waiting)).length, { timeout: 4000 })
        .toBeGreaterThan(3)
      await new Promise((resolve) => setTimeout(resolve, 300)) // the other presses arrive
      expect((await refresh(server, partner, refreshToken)).status).toBe(200)
      await client.query('ROLLBACK')
      await Promise.all(presses)
    })
  })

  test('a click on Connect during the import that moves the user waits for it and asks again, so no grant escapes it', async () => {
    const visitor = await loggedIn(server, 'ada')
    const page = await authorize(visitor, server, partner)
    await server.database.withConnection(async (client) => {
      await client.query('BEGIN')
      await client.query(`UPDATE users SET firm_id = 'f2' WHERE id = 'ada'`)
      const press = visitor.submit(page, '/connect', { decision: 'connect' })
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await expect.poll(async () => (await query(server.database, waiting)).length, { timeout: 4000 }).toBe(1)
      await client.query('COMMIT')
      // The page again: it now shows what the user sees in the new firm.
      expect(isConnectPage(await press)).toBe(true)
    })
  })
})
