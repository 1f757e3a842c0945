import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { revokeGrant } from '../../src/grants/grants.ts'
import { HouseholdNotices } from '../../src/webhooks/household-notices.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { checkedEvents, endpointOf, eventsOf, subjectOf } from '../support/events.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { accountsHeader, taken, usersHeader } from '../support/import.ts'
import { walk } from '../support/walks.ts'

const db = await databaseFixture()
const server = await serverFixture({
  on: db,
  users: ['ada', { id: 'bob', sees: 'granted', access: ['a1', 'a2'] }, { id: 'zoe', firm: 'firm-2' }],
  households: ['h1', 'h2', 'h3', { id: 'x1', firm: 'firm-2' }],
  accounts: [
    { id: 'a1', household: 'h1' },
    { id: 'a2', household: 'h2' },
    { id: 'a3', household: 'h3' },
  ],
})
const { database } = server
const partner = await server.partner()
const base = `${server.baseUrl}api/v2/households`

const notices = () =>
  new HouseholdNotices(database, { error: (fault: unknown) => expect(fault).toBeUndefined() }, server.baseUrl)
const households = (rows: Record<string, string>, firm = 'firm-1') =>
  taken(database, {
    'households.csv': `id,firm_id,name\n${Object.entries(rows)
      .map(([id, name]) => `${id},${firm},${name}\n`)
      .join('')}`,
  })

const subjects: Record<string, string> = {}
const tokens: Record<string, string> = {}

/** What was told since the last call: for each user, the types and, of a removal, the ids with their reasons. */
async function told(): Promise<Record<string, unknown[]>> {
  await notices().run()
  const events = await eventsOf(server, partner)
  checkedEvents(events)
  await query(database, 'DELETE FROM webhook_messages')
  const byUser: Record<string, unknown[]> = {}
  for (const { type, data } of events) {
    const userId = Object.keys(subjects).find((id) => subjects[id] === data.subject) ?? ''
    byUser[userId] ??= []
    byUser[userId].push(type === 'household.removed' ? [type, reasonsIn(data.removed), data.has_more] : type)
  }
  return byUser
}

const reasonsIn = (removed: unknown) =>
  Array.isArray(removed) ? Object.fromEntries(removed.map(({ id, reason }) => [id, reason])) : removed

test('before an endpoint is added, and for changes before that, nothing is told', async () => {
  for (const id of ['ada', 'bob', 'zoe']) {
    tokens[id] = (await tokensFor(server, partner, id)).accessToken
    subjects[id] = await subjectOf(server, partner, id)
  }
  await households({ h1: 'Early' })
  expect(await told()).toEqual({})
  await endpointOf(server, partner, ['household.changed', 'household.removed', 'grant.resync_required'])
  expect(await told()).toEqual({})
})

describe('after a change', () => {
  test('each grant that sees it gets one event, once, which leads to the sync', async () => {
    await households({ h1: 'One', h2: 'Two' })
    await households({ h3: 'Three' })
    await Promise.all([notices().run(), notices().run()])
    const events = await eventsOf(server, partner)
    expect(events.map(({ type, data }) => [type, data.subject])).toEqual([
      ['household.changed', subjects.ada],
      ['household.changed', subjects.bob],
    ])
    for (const [index, userId] of ['ada', 'bob'].entries()) {
      const { url, since } = events[index]?.data ?? {}
      expect(url).toBe(`${base}?updated_since=${encodeURIComponent(String(since))}`)
      const { data } = await walk(server, tokens[userId] ?? '', { updated_since: String(since), limit: 10 })
      expect(data.map(({ id }) => id)).toEqual(userId === 'ada' ? ['h1', 'h2', 'h3'] : ['h1', 'h2'])
    }
    await query(database, 'DELETE FROM webhook_messages')
    expect(await told()).toEqual({})
  })

  test('a user who does not see the household gets none', async () => {
    await households({ h3: 'Drei' })
    expect(await told()).toEqual({ ada: ['household.changed'] })
    await households({ x1: 'Elsewhere' }, 'firm-2')
    expect(await told()).toEqual({ zoe: ['household.changed'] })
    await taken(database, { 'account_access.csv': 'user_id,account_id\nbob,a3\n' })
    expect(await told()).toEqual({ bob: ['household.changed'] })
  })

  test('a removal says which households, and why', async () => {
    await taken(database, { 'account_access.csv': 'user_id,account_id\nbob,a1\nbob,a2\n' }, { atMost: 1 })
    expect(await told()).toEqual({ bob: [['household.removed', { h3: 'access_ended' }, false]] })
    await taken(database, { 'households.csv': 'id,firm_id,name\nh2,firm-2,Moved\n' })
    const [{ before = '' } = {}] = await query<{ before: string }>(
      database,
      `SELECT to_char(sees_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS before FROM users WHERE id = 'ada'`,
    )
    const movedAway = ['household.removed', { h2: 'access_ended' }, false]
    expect(await told()).toEqual({ ada: [movedAway], bob: [movedAway], zoe: ['household.changed'] })
    await taken(
      database,
      {
        'households.csv': 'id,firm_id,name\nh1,firm-1,Uno\nh2,firm-2,Moved\nx1,firm-2,Elsewhere\n',
        'accounts.csv': `${accountsHeader}a1,h1,,,,,,active,\na2,h2,,,,,,active,\n`,
      },
      { atMost: 2 },
    )
    const gone = ['household.removed', { h3: 'household_deleted' }, false]
    const { reasons } = await walk(server, tokens.ada ?? '', { updated_since: before, limit: 1 })
    expect(reasons).toEqual({ h2: 'access_ended', h3: 'household_deleted' })
    expect(await told()).toEqual({ ada: [gone, 'household.changed'], bob: ['household.changed'] })
  })

  test('a changed role, of a user or of all: the partner must read everything again, and gets no other event', async () => {
    const rows = (role: string) => `${usersHeader}bob,firm-1,bob@example.com,Bob,${role},active,\n`
    await households({ h1: 'Eins' })
    await taken(database, { 'users.csv': rows('sees-firm') })
    expect(await told()).toEqual({ ada: ['household.changed'], bob: ['grant.resync_required'] })
    await taken(database, { 'roles.csv': 'name,sees\nsees-firm,granted\n' })
    await taken(database, { 'roles.csv': 'name,sees\nsees-firm,firm\n' })
    await households({ h1: 'Uno' })
    const all = ['grant.resync_required']
    expect(await told()).toEqual({ ada: all, bob: all, zoe: all })
    await households({ h1: 'Ein' })
    expect(await told()).toEqual({ ada: ['household.changed'], bob: ['household.changed'] })
  })

  test('a grant that has ended, and a user who is disabled, get nothing', async () => {
    const [grant] = await query<{ id: string }>(database, `SELECT id FROM grants WHERE user_id = 'bob'`)
    await revokeGrant(database, systemOrigin, { id: grant?.id ?? '' })
    await taken(database, {
      'users.csv': `${usersHeader}ada,firm-1,ada@example.com,Ada,sees-firm,disabled,\n`,
    })
    await households({ h1: 'Nobody' })
    expect(await told()).toEqual({})
    await taken(database, { 'users.csv': `${usersHeader}ada,firm-1,ada@example.com,Ada,sees-firm,active,\n` })
    await households({ h1: 'Back' })
    expect(await told()).toEqual({ ada: ['household.changed'] })
  })
})

describe('a large import, for many grants', () => {
  test('is told in batches, once each, and names at most a hundred removals', async () => {
    const ids = Array.from({ length: 120 }, (_, n) => `many${n}`)
    await query(
      database,
      `INSERT INTO users (id, firm_id, email, email_folded, name, role, status)
       SELECT id, 'firm-1', id, id, id, 'sees-firm', 'active' FROM unnest($1::text[]) AS id`,
      [ids],
    )
    await query(
      database,
      `INSERT INTO grants (user_id, client_id, subject) SELECT id, $2, id FROM unnest($1::text[]) AS id`,
      [ids, partner.clientId],
    )
    await households(Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`b${n}`, 'x'])))
    await Promise.all([notices().run(), notices().run(), notices().run()])
    expect((await eventsOf(server, partner)).map(({ data }) => data.subject).sort()).toEqual(
      [...ids, subjects.ada].sort(),
    )
    await query(database, 'DELETE FROM webhook_messages')
    await taken(
      database,
      { 'households.csv': 'id,firm_id,name\nh1,firm-1,Ein\nh2,firm-2,Moved\nx1,firm-2,Elsewhere\n' },
      { atMost: 120 },
    )
    await notices().run()
    const events = await eventsOf(server, { subject: 'many7' })
    expect(events).toMatchObject([
      { type: 'household.removed', data: { has_more: true } },
      { type: 'household.changed' },
    ])
    expect(events[0]?.data.removed).toHaveLength(100)
    await query(database, 'DELETE FROM webhook_messages')
  })

  test('of more changes than are looked at for each grant: both events, and the sync has the rest', async () => {
    await households(Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`c${n}`, 'x'])))
    await notices().run()
    expect(await eventsOf(server, { subject: 'many7' })).toMatchObject([
      { type: 'household.removed', data: { removed: [], has_more: true } },
      { type: 'household.changed' },
    ])
  })
})
