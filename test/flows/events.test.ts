import { describe, expect, test } from 'vitest'
import { commandOrigin, systemOrigin } from '../../src/audit/origin.ts'
import { disableUser } from '../../src/directory/users.ts'
import { closingOfGrants } from '../../src/grants/close-expired.ts'
import { revokeGrant } from '../../src/grants/grants.ts'
import { reportLeak } from '../../src/incidents/leaked-credentials.ts'
import { consequencesOfDeletion, deletePartner } from '../../src/partners/delete-partner.ts'
import { rotatePartnerSecret, setPartnerStatus } from '../../src/partners/partners.ts'
import { eraseUser } from '../../src/persons/persons.ts'
import { adminCaller, newKey } from '../support/admin.ts'
import { codeFor, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import {
  type ConnectedUser,
  checkedEvents,
  connectingUsers,
  ended,
  endpointOf,
  eventsOf,
  revoked,
  subjectOf,
  userRow,
} from '../support/events.ts'
import { serverFixture } from '../support/fixtures.ts'
import { expire } from '../support/grants.ts'
import { taken, usersHeader } from '../support/import.ts'
import { connect, token } from '../support/journey.ts'
import { disconnect, loggedIn } from '../support/pages.ts'
import type { TestPartner } from '../support/server.ts'

const server = await serverFixture({ users: [{ id: 'other', firm: 'firm-2' }], grantLifetimeDays: 365 })
const { database } = server
const partner = await server.partner({ name: 'Ledger' })
await endpointOf(server, partner)
const closing = closingOfGrants(database, { error: () => {} })

const newUser = connectingUsers(server)
const connected = (to = partner) => newUser(to)
const moved = (id: string) => taken(database, { 'users.csv': usersHeader + userRow(id, { firm: 'firm-2' }) })

describe('the end of a grant is one event, with who ended it and why', () => {
  const doors: [string, (user: ConnectedUser) => Promise<unknown>, object][] = [
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
    const { id } = await connected(await server.partner())
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

describe('a connection that ends while it is deleted: both succeed, without a deadlock', () => {
  const doors: [string, (user: ConnectedUser, of: TestPartner) => Promise<unknown>, object, object[]][] = [
    [
      'with its user',
      ({ id }) => eraseUser(database, systemOrigin, id),
      { kind: 'erased' },
      [ended('user_disabled'), revoked('operator', 'user_deleted')],
    ],
    [
      'with its partner',
      (_user, of) => deletePartner(database, systemOrigin, of.clientId, undefined),
      { kind: 'deleted' },
      [],
    ],
  ]
  test.each(doors)('%s', async (_name, remove, outcome, events) => {
    const own = await server.partner()
    await endpointOf(server, own)
    const user = await connected(own)
    await disableUser(database, systemOrigin, user.id)
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    const [removed, answer] = await database.withConnection(async (client) => {
      // Holds the grant until the other two have taken their first locks.
      await client.query('BEGIN')
      await client.query('SELECT FROM grants WHERE id = $1 FOR NO KEY UPDATE', [user.grantId])
      const removal = remove(user, own)
      await expect.poll(() => query(database, waiting)).toHaveLength(1)
      const revocation = token(server, own, { token: user.refreshToken }, 'revoke')
      await expect.poll(() => query(database, waiting)).toHaveLength(2)
      await client.query('COMMIT')
      return Promise.all([removal, revocation])
    })
    expect(removed).toMatchObject(outcome)
    expect(answer.status).toBe(200)
    expect(await query(database, 'SELECT FROM connections WHERE grant_id = $1', [user.grantId])).toEqual([])
    expect(await user.told()).toMatchObject(events)
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
    const user = await connected(gone)
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
    const users = [await connected(), await connected()]
    const count = async () => (await query(database, 'SELECT FROM webhook_messages')).length
    const before = await count()
    for (const [index, of] of [picky, silent].entries()) {
      const id = users[index]?.id ?? ''
      await tokensFor(server, of, id)
      await query(database, 'DELETE FROM grants WHERE user_id = $1 AND client_id <> $2', [id, of.clientId])
      await disableUser(database, systemOrigin, id)
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
