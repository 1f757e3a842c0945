import { expect, test } from 'vitest'
import { commandOrigin, systemOrigin } from '../../src/audit/origin.ts'
import { disableUser, enableUser } from '../../src/directory/users.ts'
import { revokeGrant } from '../../src/grants/grants.ts'
import { reportLeak } from '../../src/incidents/leaked-credentials.ts'
import { endConnections } from '../../src/keys/secrets.sql.ts'
import { codeFor, issued } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { connectingUsers, ended, endpointOf, eventsOf, revoked, userRow } from '../support/events.ts'
import { serverFixture } from '../support/fixtures.ts'
import { taken, usersHeader } from '../support/import.ts'
import { refresh, token } from '../support/journey.ts'
import { purge } from '../support/purge.ts'

// The end of a connection is one event, with the reason that its tokens give.

const day = 24 * 3600

const server = await serverFixture({ clock: true })
const { database } = server
const partner = await server.partner({ name: 'Ledger' })
await endpointOf(server, partner)
const connect = connectingUsers(server)
const connected = () => connect(partner)
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
  expect((await refresh(server, partner, user.refreshToken)).status).toBe(200)
  await codeFor(server, partner, user.id)
  const { subject } = (await user.told())[0]?.data ?? {}
  const ofUser = await eventsOf(server, { subject: String(subject) })
  expect(ofUser.map(({ type }) => type)).toEqual(['grant.created', ...Array(3).fill('connection.ended')])
  await taken(database, { 'users.csv': usersHeader + userRow(user.id, { status: 'disabled' }) })
  await query(database, 'DELETE FROM users WHERE id = $1', [user.id])
  expect((await user.told()).slice(3)).toMatchObject([
    disabled,
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
  expect(await user.told()).toMatchObject([revoked('operator', 'revoked')])
  const unused = await connected()
  await revokeGrant(database, commandOrigin(), { id: unused.grantId })
  await server.passTime(31 * day)
  await purge(database)
  expect((await unused.told()).filter(({ type }) => type !== 'grant.revoked')).toEqual([])
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
