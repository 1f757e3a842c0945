import { afterAll, expect, test } from 'vitest'
import type { ListedRecord } from '../../src/audit/list.sql.ts'
import { type AuditFilter, listAudit } from '../../src/audit/list.ts'
import type { Origin } from '../../src/audit/origin.ts'
import { revokeGrant } from '../../src/grants/grants.ts'
import { importDirectory } from '../../src/import/import-directory.ts'
import { replacePartnerKeys } from '../../src/partners/partners.ts'
import { auditedChanges, grantOf } from '../support/audited-changes.ts'
import { changePassword, newPassword } from '../support/change-password.ts'
import { codeFor, issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { password } from '../support/directory.ts'
import { addTotp } from '../support/factors.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { base, writeFiles } from '../support/import.ts'
import { connect, refresh, token } from '../support/journey.ts'
import { attempt, right, wrong } from '../support/login.ts'
import { loggedIn } from '../support/pages.ts'
import { Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob', 'cleo', 'dan', 'eve'], households: ['h1'] })
const { database } = server
const partner = await server.partner()
const imported = await databaseFixture()

/** As the admin API would call. */
const origin: Origin = {
  actor: { kind: 'api_key', id: 'key-1', name: 'Deployment' },
  via: 'admin_api',
  address: '192.0.2.7',
  requestId: 'r-1',
}

const secrets = new Set([server.context.config.secret, password, newPassword, partner.clientSecret])
const keep = (secret: string | undefined) => {
  if (secret === undefined) throw new Error('no secret')
  secrets.add(secret)
  return secret
}

let last = '0'
/** The records since the last call, the oldest first. */
async function records(filter: AuditFilter = {}): Promise<ListedRecord[]> {
  const { records } = await listAudit(database, filter, { limit: 100 })
  const found = records.filter(({ id }) => BigInt(id) > BigInt(last)).toReversed()
  last = records[0]?.id ?? last
  return found
}
/** Both are rows of one statement, in no particular order. */
const sorted = (found: ListedRecord[]) => found.toSorted((one, other) => (one.event > other.event ? -1 : 1))
const eventsOf = async (work: () => Promise<unknown>) => {
  await records()
  await work()
  return records()
}

const changes = auditedChanges({ server, partner, origin, keep, records })

test.each(changes)('%s by an operator', async (event, change, expected) => {
  const found = await eventsOf(change)
  expect(found).toMatchObject([
    {
      event,
      actor_kind: 'api_key',
      actor_id: 'key-1',
      actor_name: 'Deployment',
      via: 'admin_api',
      address: '192.0.2.7',
      request_id: 'r-1',
      ...expected,
    },
  ])
})

test('partner.keys_replaced and a change that is refused: the first leaves a record', async () => {
  const refused = await eventsOf(() => replacePartnerKeys(database, origin, partner.clientId, '{}'))
  expect(refused).toEqual([])
  expect(await eventsOf(() => revokeGrant(database, origin, { id: '999999' }))).toEqual([])
})

test('a user logs in, connects, disconnects, and logs out', async () => {
  const visitor = new Visitor()
  const found = await eventsOf(() => connect(server, partner, 'ada', {}, visitor))
  expect(found).toMatchObject([
    { event: 'login.succeeded', actor_kind: 'user', actor_id: 'ada', via: 'page', details: { amr: ['pwd'] } },
    {
      event: 'grant.created',
      user_id: 'ada',
      client_id: partner.clientId,
      target_id: await grantOf(database, 'ada'),
    },
  ])
  const renewed = await eventsOf(() => connect(server, partner, 'ada', {}, visitor))
  expect(renewed).toMatchObject([{ event: 'grant.renewed' }])
  const grant = await grantOf(database, 'ada')
  const page = await visitor.follow(
    await visitor.get(`${server.authUrl}/connections/disconnect?grant=${grant}`),
  )
  const ended = await eventsOf(() => visitor.submit(page, '/connections/disconnect', {}))
  expect(ended).toMatchObject([
    {
      event: 'grant.revoked',
      actor_kind: 'user',
      actor_id: 'ada',
      target_id: grant,
      details: { cause: 'user' },
    },
  ])
  const out = await eventsOf(async () =>
    visitor.submit(await visitor.follow(await visitor.get(`${server.authUrl}/connections`)), '/logout', {}),
  )
  expect(out).toMatchObject([
    { event: 'login.ended', actor_id: 'ada', user_id: 'ada', target_kind: 'session' },
  ])
})

test('a replayed code and a replayed refresh token, each with the end of the connection', async () => {
  const code = keep(await codeFor(server, partner, 'bob'))
  const redeem = () =>
    token(server, partner, { grant_type: 'authorization_code', code, redirect_uri: partner.redirectUri })
  expect(await eventsOf(redeem)).toEqual([])
  const replays = await eventsOf(async () => {
    await redeem()
    await redeem() // a loop leaves no more records
  })
  const connection = { target_kind: 'connection', user_id: 'bob', client_id: partner.clientId }
  expect(sorted(replays)).toMatchObject([
    { event: 'token.replayed', actor_kind: 'partner', actor_id: partner.clientId, via: 'api', ...connection },
    { event: 'connection.ended', details: { cause: 'code_replayed' }, ...connection },
  ])
  const first = await tokensFor(server, partner, 'bob')
  let newest = first.refreshToken
  const refreshes = await eventsOf(async () => {
    for (let n = 0; n < 3; n++) newest = issued(await refresh(server, partner, newest)).refreshToken
  })
  expect(refreshes).toEqual([])
  await query(
    database,
    `UPDATE connections SET marked_at = marked_at - interval '1 hour', earlier_at = earlier_at - interval '1 hour',
            refreshed_at = refreshed_at - interval '1 hour' WHERE revoked_at IS NULL`,
  )
  const replay = await eventsOf(() => refresh(server, partner, first.refreshToken))
  expect(sorted(replay)).toMatchObject([
    {
      event: 'token.replayed',
      details: { cause: 'refresh_replayed', presented_generation: 1 },
      ...connection,
    },
    { event: 'connection.ended', ...connection },
  ])
  for (const secret of [first.refreshToken, first.accessToken, newest]) keep(secret)
})

test('failed logins are one record for an account, with a digest if no user has the address', async () => {
  await attempt(server, wrong('cleo'))
  await attempt(server, wrong('cleo'))
  const typed = keep('my-password-by-mistake')
  await attempt(server, { email: typed, password: 'x' })
  const found = await eventsOf(() => server.context.failedLogins.write())
  expect(found).toMatchObject([
    { event: 'login.failed', user_id: 'cleo', target_id: 'cleo', details: { method: 'password', count: 2 } },
    { event: 'login.failed', user_id: null, target_id: expect.stringMatching(/^digest:[0-9a-f]{64}$/) },
  ])
  expect((await attempt(server, right('cleo'))).status).toBe(303)
})

test('a user changes the password and adds a factor; the sessions and codes leave records', async () => {
  const visitor = await loggedIn(server, 'eve')
  const found = await eventsOf(async () => {
    expect((await changePassword(visitor, server)).status).toBe(303)
    const { secret, codes } = await addTotp(server, visitor)
    for (const each of [secret, ...codes]) keep(each)
  })
  expect(found.map(({ event, details }) => [event, details.method])).toEqual([
    ['user.password_changed', undefined],
    ['user.factor_added', 'totp'],
    ['login.succeeded', undefined],
    ['user.factor_added', 'recovery_codes'],
  ])
})

test('an import is one record, with counts and the digest of each file', async () => {
  const own = imported
  expect((await importDirectory(own.database, origin, writeFiles(base))).kind).toBe('imported')
  const { records } = await listAudit(own.database, {}, { limit: 9 })
  const files = { 'users.csv': { added: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }
  expect(records).toMatchObject([
    { event: 'directory.imported', actor_id: 'key-1', details: { pruned: false, files } },
  ])
})

test('lists by filter and page, the newest first', async () => {
  const all = await listAudit(database, { client: partner.clientId }, { limit: 100 })
  const first = await listAudit(database, { client: partner.clientId }, { limit: 2 })
  const second = await listAudit(database, { client: partner.clientId }, { limit: 2, after: first.next })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(
    all.records.slice(0, 4).map(({ id }) => id),
  )
  const since = all.records[3]?.at ?? ''
  const later = await listAudit(database, { client: partner.clientId, since }, { limit: 100 })
  expect(later.records).toEqual(all.records.filter(({ at }) => at >= since))
  expect(
    (await listAudit(database, { requestId: 'r-1', event: 'firm.updated' }, { limit: 9 })).records,
  ).toHaveLength(1)
})

afterAll(async () => {
  const rows = await query<{ text: string }>(database, 'SELECT to_jsonb(a)::text AS text FROM audit_log a')
  expect(rows.length).toBeGreaterThan(20)
  for (const { text } of rows) {
    expect(text).not.toMatch(/\$argon2|lk_(test|live)_/)
    for (const secret of secrets) expect(text).not.toContain(secret)
  }
})
