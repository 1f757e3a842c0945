import { randomBytes } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { commandLine } from '../support/command-line.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { errorOf } from '../support/latchkey.ts'
import { loggedIn } from '../support/pages.ts'

const secret = randomBytes(32).toString('hex')
const db = await databaseFixture()
const server = await serverFixture({
  on: db,
  secret,
  users: ['ada', 'bob', { id: 'eve', sees: 'granted', access: ['a1'] }],
  households: Array.from({ length: 120 }, (_, n) => ({
    id: `h${n + 100}`,
    name: n === 0 ? null : `Household ${n}`,
  })),
  accounts: [{ id: 'a1', household: 'h101' }],
})
const cli = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: secret })
const failure = async (...args: string[]) => errorOf(await cli.run(...args, '--json'))
const admin = adminCaller(server, await newKey(server, ['logs:read', 'users:read']))
const ledger = await server.partner({ name: 'Ledger' })

/** Reads 120 households for the user, and writes the logs. */
async function readAll(userId: string): Promise<{ grantId: string; requestId: string }> {
  const { accessToken } = await tokensFor(server, ledger, userId)
  const { headers } = await api(server, 'households?page_size=200', accessToken)
  const requestId = headers.get('x-api-request-id') ?? ''
  await server.context.readLog.write()
  await vi.waitFor(async () => {
    await server.context.requestLog?.write()
    expect(
      await query(db.database, 'SELECT FROM request_log WHERE request_id = $1', [requestId]),
    ).toHaveLength(1)
  })
  const [grant] = await query<{ id: string }>(db.database, 'SELECT id FROM grants WHERE user_id = $1', [
    userId,
  ])
  return { grantId: grant?.id ?? '', requestId }
}

const { grantId, requestId } = await readAll('ada')

describe('"which app read my clients?"', () => {
  test('the operator sees it by command and by API', async () => {
    const byCommand = await cli.json('reads', 'list', '--household', 'h150')
    expect(byCommand).toMatchObject([
      { user_id: 'ada', client_id: ledger.clientId, grant_id: grantId, reads: 1 },
    ])
    expect((await admin('GET', '/reads?household_id=h150')).body).toEqual({
      data: byCommand,
      next_cursor: null,
    })
    expect(await cli.text('reads', 'list', '--user', 'ada')).toMatch(
      /Ledger .* for ada .* 120 households, 120 reads\n$/,
    )
    expect(await cli.json('reads', 'list', '--partner', ledger.clientId, '--since', '2999-01-01')).toEqual([])
    expect(await cli.json('reads', 'households', grantId, '--limit', '2')).toMatchObject([
      { household_id: 'h100', name: '' },
      { household_id: 'h101', name: 'Household 1', days: 1, reads: 1 },
    ])
    expect((await admin('GET', '/reads')).status).toBe(400)
  })

  test('pages of the API lead to each other', async () => {
    const first = await admin('GET', `/reads/${grantId}/households?limit=100`)
    const next = first.headers.get('link')?.match(/<(.*?)>/)?.[1] ?? ''
    const second = await admin('GET', next.split('/admin/v1')[1] ?? '')
    const ids = [...first.body.data, ...second.body.data].map(({ household_id: id }) => id)
    expect(ids).toHaveLength(120)
    expect(new Set(ids).size).toBe(120)
    expect(second.body.next_cursor).toBeNull()
  })

  test('the user sees it on the connected-apps page, page by page, and only for own grants', async () => {
    const ada = await loggedIn(server, 'ada')
    const apps = await ada.get(`${server.authUrl}/connections`)
    const link = apps.document.querySelector(`#reads-${grantId}`)?.getAttribute('href') ?? ''
    const page = await ada.get(new URL(link, server.authUrl).href)
    expect(page.document.text).toContain('Households that Ledger has read')
    expect(page.document.text).toContain('120 households')
    expect(page.document.querySelectorAll('tbody tr')).toHaveLength(100)
    expect(page.text).toContain('Household 1')
    const next = page.document.querySelector('a[rel=next]')?.getAttribute('href') ?? ''
    const last = await ada.get(new URL(next, server.authUrl).href)
    expect(last.document.querySelectorAll('tbody tr')).toHaveLength(20)
    expect(last.document.querySelector('a[rel=next]')).toBeNull()
    const bob = await loggedIn(server, 'bob')
    expect((await bob.get(new URL(link, server.authUrl).href)).headers.get('location')).toBe('/connections')
  })

  test('a household that the user no longer sees has no name', async () => {
    const { grantId: eves } = await readAll('eve')
    await query(db.database, `DELETE FROM account_access WHERE user_id = 'eve'`)
    const eve = await loggedIn(server, 'eve')
    const page = await eve.get(`${server.authUrl}/connections/reads?grant=${eves}`)
    expect(page.text).toContain('h101')
    expect(page.text).not.toContain('Household 1')
    expect(page.text).toContain('You can’t see it any longer')
  })
})

describe('"why?"', () => {
  test('a call is explained by command and by API', async () => {
    const [byCommand] = await cli.json('request', 'explain', requestId)
    expect(byCommand).toMatchObject({
      user_id: 'ada',
      status: 200,
      explanation: expect.stringContaining('for the user ada'),
    })
    const { body } = await admin('GET', `/requests?request_id=${encodeURIComponent(requestId)}`)
    expect(body.data).toEqual([byCommand])
    expect(await cli.json('request', 'explain', requestId, '--partner', 'test_other')).toEqual([])
    expect(await cli.text('request', 'explain', 'unknown')).toContain('Calls of the last 7 days are kept.')
    expect(
      (await cli.json('request', 'list', '--user', 'ada')).map(({ status }: { status: number }) => status),
    ).toEqual([200, 200])
    const page = await admin('GET', `/requests?user_id=ada&limit=1`)
    expect(page.body.next_cursor).not.toBeNull()
    expect(
      (await admin('GET', `/requests?user_id=ada&limit=1&cursor=${page.body.next_cursor}`)).body.data,
    ).toMatchObject([{ route: '/service-open-api/oauth2/token' }])
    const ofRoute = `/requests?user_id=ada&route=${encodeURIComponent(byCommand.route)}`
    const atOf = async (more: string) =>
      (await admin('GET', `${ofRoute}${more}`)).body.data.map(({ at }: { at: string }) => at)
    expect(await atOf('')).toEqual([byCommand.at])
    expect(await atOf(`&since=${byCommand.at}`)).toEqual([byCommand.at])
    expect(await atOf(`&until=${byCommand.at}`)).toEqual([])
    expect((await admin('GET', `${ofRoute}&since=2026-11-22T23:59:60Z`)).status).toBe(400)
    expect((await admin('GET', '/requests')).status).toBe(400)
  })

  test('access is explained by command and by API', async () => {
    const byCommand = await cli.json('access', 'explain', 'ada', 'h101')
    expect(byCommand).toMatchObject({ kind: 'visible_by_role', live_grants: 1 })
    expect((await admin('GET', '/users/ada/access/h101')).body).toEqual(byCommand)
    expect(await cli.text('access', 'explain', 'ada', 'h101')).toMatch(
      /^Visible\. ada sees h101: .*\nRole and firm of ada are unchanged since .*\nTo change it: .*\nApplications .* Live grants: 1\.\naccount a1 \(active\): Shown by the role\.\n$/,
    )
  })

  test('a key without the scope is refused', async () => {
    const other = adminCaller(server, await newKey(server, ['partners:write']))
    for (const path of [
      '/reads?user_id=ada',
      `/reads/${grantId}/households`,
      '/requests?user_id=ada',
      '/users/ada/access/h101',
    ])
      expect((await other('GET', path)).status).toBe(403)
  })
})

describe("a person's data", () => {
  test('are exported with the rows of all logs, and the export is recorded', async () => {
    const exported = await cli.json('user', 'export', 'ada')
    expect(exported).toMatchObject({
      user: { id: 'ada', email: 'ada@example.com', has_password: true },
      grants: [{ client_id: ledger.clientId }],
      reads: [{ client_id: ledger.clientId, reads: 1 }],
      requests: [{ status: 200 }, { status: 200 }],
    })
    expect(exported.reads[0].households).toHaveLength(120)
    expect(JSON.stringify(exported)).not.toContain('$argon2')
    expect(
      await query(db.database, `SELECT actor_kind, user_id FROM audit_log WHERE event = 'person.exported'`),
    ).toEqual([{ actor_kind: 'os_user', user_id: 'ada' }])
    expect(await failure('user', 'export', 'nobody')).toMatchObject({ code: 'not_found' })
  })

  test('are erased after the user is disabled; the read log keeps a pseudonym, the audit log the record', async () => {
    expect(await failure('user', 'erase', 'ada')).toMatchObject({ code: 'refused' })
    await cli.json('user', 'disable', 'ada')
    expect(await cli.json('user', 'erase', 'ada@example.com')).toMatchObject({ id: 'ada', grants: 1 })
    expect(await failure('user', 'show', 'ada')).toMatchObject({ code: 'not_found' })
    expect(await cli.json('reads', 'list', '--user', 'ada')).toEqual([])
    expect(await cli.json('reads', 'list', '--partner', ledger.clientId, '--grant', grantId)).toMatchObject([
      { user_id: expect.stringMatching(/^erased-[0-9a-f-]{36}$/), households: 120 },
    ])
    expect(await cli.json('request', 'explain', requestId)).toMatchObject([
      { user_id: null, client_id: null },
    ])
    expect(
      await query(db.database, `SELECT target_id, details FROM audit_log WHERE event = 'person.erased'`),
    ).toMatchObject([{ target_id: 'ada', details: { grants: 1 } }])
  })
})
