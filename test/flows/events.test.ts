import { describe, expect, test } from 'vitest'
import { commandOrigin, systemOrigin } from '../../src/audit/origin.ts'
import { disableUser, enableUser } from '../../src/directory/users.ts'
import { closingOfGrants } from '../../src/grants/close-expired.ts'
import { revokeGrant } from '../../src/grants/grants.ts'
import { reportLeak } from '../../src/incidents/leaked-credentials.ts'
import { endConnections } from '../../src/keys/secrets.sql.ts'
import { consequencesOfDeletion, deletePartner } from '../../src/partners/delete-partner.ts'
import { rotatePartnerSecret, setPartnerStatus } from '../../src/partners/partners.ts'
import { eventDocs } from '../../src/webhooks/event-types.ts'
import { adminCaller, newKey } from '../support/admin.ts'
import { codeFor, issued, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { movableClock } from '../support/database-clock.ts'
import { seed } from '../support/directory.ts'
import { checkedEvents, endpointOf, eventsOf, subjectOf } from '../support/events.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { expire } from '../support/grants.ts'
import { taken, usersHeader } from '../support/import.ts'
import { connect, refresh, token } from '../support/journey.ts'
import { disconnect, loggedIn } from '../support/pages.ts'
import { purge } from '../support/purge.ts'

const day = 24 * 3600

const db = await databaseFixture()
const clock = await movableClock(db)
const server = await serverFixture({ on: db, clock, grantLifetimeDays: 365 })
const { database } = server
const partner = await server.partner({ name: 'Ledger' })
await endpointOf(server, partner)
const closing = closingOfGrants(database, { error: () => {} })

await seed(database, { users: [{ id: 'other', firm: 'firm-2' }] })

let users = 0
const newUser = async () => {
  const id = `u${users++}`
  await seed(database, { users: [id] })
  return id
}
const userRow = (id: string, { firm = 'firm-1', status = 'active' } = {}) =>
  `${id},${firm},${id}@example.com,${id},sees-firm,${status},\n`
const moved = (id: string) => taken(database, { 'users.csv': usersHeader + userRow(id, { firm: 'firm-2' }) })

/** A user with the first tokens of a connection. `told` are the events since then. */
async function connected({ of = partner } = {}) {
  const id = await newUser()
  const tokens = await tokensFor(server, of, id)
  const subject = await subjectOf(server, of, id)
  const [created] = await eventsOf(server, { subject })
  return {
    id,
    ...tokens,
    told: async () => {
      const events = await eventsOf(server, { subject })
      expect(events.map((event) => event.grant_id)).toEqual(events.map(() => created?.grant_id ?? null))
      checkedEvents(events)
      return events.slice(1)
    },
    grantId: created?.grant_id ?? '',
  }
}

const revoked = (by: string, reason: string) => ({ type: 'grant.revoked', data: { by, reason } })
const ended = (cause: string) => ({ type: 'connection.ended', data: { cause } })

describe('the end of a grant is one event, with who ended it and why', () => {
  const doors: [string, (user: Awaited<ReturnType<typeof connected>>) => Promise<unknown>, object][] = [
    [
      'an operator on the command line',
      ({ grantId }) => revokeGrant(database, commandOrigin(), { id: grantId }),
      revoked('operator', 'revoked'),
    ],
    [
      'the admin API',
      async ({ grantId }) => {
        const key = await newKey(server, ['grants:write'])
        await adminCaller(server, key)('DELETE', `/grants/${grantId}`)
      },
      revoked('operator', 'revoked'),
    ],
    [
      'an import that moves the user to another firm',
      ({ id }) => moved(id),
      revoked('operator', 'firm_changed'),
    ],
    [
      'the deletion of the user',
      ({ id }) => query(database, 'DELETE FROM users WHERE id = $1', [id]),
      revoked('operator', 'user_deleted'),
    ],
  ]
  test.each(doors)('%s', async (_name, end, event) => {
    const user = await connected()
    await end(user)
    expect(await user.told()).toMatchObject([event])
  })

  test('the page Connected apps', async () => {
    const id = await newUser()
    const visitor = await loggedIn(server, id)
    await connect(server, partner, id, {}, visitor)
    const subject = await subjectOf(server, partner, id)
    await disconnect(visitor, server)
    expect(await eventsOf(server, { subject })).toMatchObject([
      { type: 'grant.created' },
      revoked('user', 'disconnected'),
    ])
  })

  test('an import with prune that removes the user', async () => {
    const user = await connected()
    const others = await query<{ id: string; firm: string; status: string }>(
      database,
      'SELECT id, firm_id AS firm, status FROM users WHERE id <> $1',
      [user.id],
    )
    const rows = others.map(({ id, ...row }) => userRow(id, row))
    await taken(database, { 'users.csv': usersHeader + rows.join('') }, { atMost: 1 })
    expect(await user.told()).toMatchObject([revoked('operator', 'user_deleted')])
  })

  test('expiry: within a minute, once, and with one audit row, also if the user connects again', async () => {
    const [waiting, returning] = [await connected(), await connected()]
    for (const { id } of [waiting, returning]) await expire(server, id)
    await codeFor(server, partner, returning.id) // closes the row before the job does
    await Promise.all([closing.run(), closing.run()])
    await closing.run()
    expect(await waiting.told()).toMatchObject([revoked('expiry', 'expired')])
    const subject = await subjectOf(server, partner, returning.id)
    expect(await eventsOf(server, { subject })).toMatchObject([
      { type: 'grant.created', grant_id: returning.grantId },
      { ...revoked('expiry', 'expired'), grant_id: returning.grantId },
      { type: 'grant.created' },
    ])
    const recorded = await query(
      database,
      `SELECT target_id FROM audit_log WHERE event = 'grant.expired' AND target_id = ANY ($1) ORDER BY target_id::int`,
      [[waiting.grantId, returning.grantId]],
    )
    expect(recorded).toEqual([{ target_id: waiting.grantId }, { target_id: returning.grantId }])
  })

  test('expiry, if something else ends the row before it is closed', async () => {
    const [traveller, deleted] = [await connected(), await connected()]
    for (const { id } of [traveller, deleted]) await expire(server, id)
    await moved(traveller.id)
    await query(database, 'DELETE FROM users WHERE id = $1', [deleted.id])
    expect(await traveller.told()).toMatchObject([revoked('expiry', 'expired')])
    expect(await deleted.told()).toMatchObject([revoked('expiry', 'expired')])
  })
})

describe('the end of a connection is one event, with the reason that its tokens give', () => {
  const redeem = (code: string, more: Record<string, string> = {}) =>
    token(server, partner, { grant_type: 'authorization_code', code, ...more })

  test('the partner revokes a refresh token', async () => {
    const user = await connected()
    for (let time = 0; time < 2; time++) await token(server, partner, { token: user.refreshToken }, 'revoke')
    expect(await user.told()).toMatchObject([ended('ended_by_partner')])
  })

  test('an access token is revoked: nothing has ended', async () => {
    const user = await connected()
    await token(server, partner, { token: user.accessToken }, 'revoke')
    expect(await user.told()).toEqual([])
  })

  test('a code is sent twice, or with a wrong redirect_uri', async () => {
    const user = await connected()
    const [replayed, misused] = [
      await codeFor(server, partner, user.id),
      await codeFor(server, partner, user.id),
    ]
    for (let time = 0; time < 3; time++) await redeem(replayed)
    for (let time = 0; time < 2; time++) await redeem(misused, { redirect_uri: 'https://elsewhere.example/' })
    expect(await user.told()).toMatchObject([ended('ended_by_code_replay'), ended('ended_by_code_misuse')])
  })

  test('an old refresh token is sent', async () => {
    const user = await connected()
    let { refreshToken } = user
    for (let time = 0; time < 3; time++) {
      await server.passTime(300)
      refreshToken = issued(await refresh(server, partner, refreshToken)).refreshToken
    }
    for (let time = 0; time < 2; time++) await refresh(server, partner, user.refreshToken)
    expect(await user.told()).toMatchObject([ended('ended_by_refresh_replay')])
  })

  test('a refresh token or a code is found in public', async () => {
    const user = await connected()
    const code = await codeFor(server, partner, user.id)
    const deployment = { database, config: server.context.config, keys: server.context.keys }
    const text = `${user.refreshToken} ${code} ${user.accessToken}`
    for (let time = 0; time < 2; time++) await reportLeak(deployment, systemOrigin, { text })
    expect(await user.told()).toMatchObject([ended('ended_by_leak'), ended('ended_by_leak')])
  })

  test('it is not refreshed for 30 days: the purge tells, once; a code that was never redeemed has no end', async () => {
    const user = await connected()
    await codeFor(server, partner, user.id)
    await server.passTime(30 * day - 3600)
    await purge(database)
    expect(await user.told()).toEqual([])
    await server.passTime(2 * 3600)
    for (let time = 0; time < 2; time++) await purge(database)
    expect(await user.told()).toMatchObject([ended('expired')])
    await server.passTime(5 * day)
    await purge(database)
    await revokeGrant(database, commandOrigin(), { id: user.grantId })
    expect(await user.told()).toMatchObject([ended('expired'), revoked('operator', 'revoked')])
  })

  test('no server ran meanwhile: the purge tells before it deletes', async () => {
    const user = await connected()
    await server.passTime(40 * day)
    await purge(database)
    expect(await user.told()).toMatchObject([ended('expired')])
    expect(await query(database, 'SELECT FROM connections WHERE grant_id = $1', [user.grantId])).toEqual([])
  })

  test('the user is disabled, for each live connection; the deletion then ends the grant', async () => {
    const user = await connected()
    const other = issued(await redeem(await codeFor(server, partner, user.id)))
    await token(server, partner, { token: other.refreshToken }, 'revoke')
    issued(await redeem(await codeFor(server, partner, user.id)))
    await disableUser(database, systemOrigin, user.id)
    await disableUser(database, systemOrigin, user.id)
    const disabled = ended('user_disabled')
    expect(await user.told()).toMatchObject([ended('ended_by_partner'), disabled, disabled])
    await enableUser(database, systemOrigin, user.id)
    await taken(database, { 'users.csv': usersHeader + userRow(user.id, { status: 'disabled' }) })
    await query(database, 'DELETE FROM users WHERE id = $1', [user.id])
    expect((await user.told()).slice(3)).toMatchObject([
      disabled,
      disabled,
      revoked('operator', 'user_deleted'),
    ])
  })

  test('the grant has ended before: the connections have no event', async () => {
    const user = await connected()
    await revokeGrant(database, commandOrigin(), { id: user.grantId })
    await token(server, partner, { token: user.refreshToken }, 'revoke')
    await disableUser(database, systemOrigin, user.id)
    await server.passTime(31 * day)
    await purge(database)
    expect(await user.told()).toMatchObject([revoked('operator', 'revoked')])
  })

  test('the secret of the service is compromised', async () => {
    const [user, unused] = [await connected(), await connected()]
    await server.passTime(31 * day)
    await purge(database)
    const later = issued(await redeem(await codeFor(server, partner, user.id)))
    await database.one(endConnections, [])
    expect(later.accessToken).not.toBe('')
    expect(await user.told()).toMatchObject([ended('expired'), ended('ended_by_operator')])
    expect(await unused.told()).toMatchObject([ended('expired')])
  })
})

describe('a partner', () => {
  test('whose secrets change gets an event with the reason', async () => {
    const own = await server.partner({ name: 'Own' })
    await endpointOf(server, own, ['partner.secret_rotated'])
    const rotate = (endOthers: boolean) =>
      rotatePartnerSecret(database, systemOrigin, 'sandbox', own.clientId, endOthers)
    const rotation = await rotate(false)
    await rotate(true)
    const last = await rotate(false)
    if (rotation.kind !== 'rotated' || last.kind !== 'rotated') throw new Error('not rotated')
    const deployment = { database, config: server.context.config, keys: server.context.keys }
    for (const { clientSecret } of [rotation, last])
      await reportLeak(deployment, systemOrigin, { text: clientSecret })
    const about = (reason: string, live_secrets: number) => ({
      type: 'partner.secret_rotated',
      grant_id: null,
      data: { client_id: own.clientId, reason, live_secrets },
    })
    const events = await eventsOf(server, own)
    expect(events).toEqual([
      about('rotated', 2),
      about('rotated', 1),
      about('rotated', 2),
      about('leaked', 1),
    ])
    checkedEvents(events)
  })

  test('that is suspended gets no event for it, and is told what ends meanwhile; deleted, it leaves nothing', async () => {
    const gone = await server.partner({ name: 'Gone' })
    await endpointOf(server, gone)
    const user = await connected({ of: gone })
    await setPartnerStatus(database, systemOrigin, gone.clientId, 'suspended')
    expect(await user.told()).toEqual([])
    await revokeGrant(database, commandOrigin(), { id: user.grantId })
    expect(await user.told()).toMatchObject([revoked('operator', 'revoked')])
    await setPartnerStatus(database, systemOrigin, gone.clientId, 'active')
    await codeFor(server, gone, user.id)
    expect(await consequencesOfDeletion(database, gone.clientId)).toMatchObject({ connected_users: 1 })
    await deletePartner(database, systemOrigin, gone.clientId, undefined)
    expect(await query(database, `SELECT FROM webhook_messages WHERE grant_id = $1`, [user.grantId])).toEqual(
      [],
    )
    expect(
      await query(database, 'SELECT FROM webhook_endpoints WHERE client_id = $1', [gone.clientId]),
    ).toEqual([])
  })

  test('gets the types that its endpoint wants, for each endpoint; without one, nothing is written', async () => {
    const [picky, silent] = [
      await server.partner({ name: 'Picky' }),
      await server.partner({ name: 'Silent' }),
    ]
    for (let each = 0; each < 2; each++) await endpointOf(server, picky, ['grant.revoked'])
    const count = async () => (await query(database, 'SELECT FROM webhook_messages')).length
    const before = await count()
    for (const of of [picky, silent]) {
      const id = await newUser()
      await tokensFor(server, of, id)
      await query(database, 'DELETE FROM users WHERE id = $1', [id])
    }
    expect((await eventsOf(server, picky)).map(({ type }) => type)).toEqual([
      'grant.revoked',
      'grant.revoked',
    ])
    expect(await count()).toBe(before + 2)
  })
})

test('what is rolled back is not told', async () => {
  const user = await connected()
  await database.withConnection(async (client) => {
    await client.query('BEGIN')
    await client.query('UPDATE grants SET revoked_at = now() WHERE id = $1', [user.grantId])
    await client.query('UPDATE connections SET revoked_at = now() WHERE grant_id = $1', [user.grantId])
    await client.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [user.id])
    await client.query('ROLLBACK')
  })
  expect(await user.told()).toEqual([])
})

test('the examples of the documentation have the described shape', () => {
  checkedEvents(eventDocs.map(({ type, example }) => ({ type, grant_id: null, data: example })))
})
