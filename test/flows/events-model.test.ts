import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { disableUser, enableUser } from '../../src/directory/users.ts'
import { closingOfGrants } from '../../src/grants/close-expired.ts'
import { revokeGrant } from '../../src/grants/grants.ts'
import { codeFor, type Issued, issued } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { checkedEvents, endpointOf, eventsOf, userRow } from '../support/events.ts'
import { serverFixture } from '../support/fixtures.ts'
import { taken, usersHeader } from '../support/import.ts'
import { token } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'

const server = await serverFixture({ users: [{ id: 'other', firm: 'firm-2' }] })
const { database } = server
const partner = await server.partner()
const closing = closingOfGrants(database, { error: () => {} })

const redeem = (code: string) => token(server, partner, { grant_type: 'authorization_code', code })
const moveTo = (firm: string) => taken(database, { 'users.csv': usersHeader + userRow('ada', { firm }) })
const removed = () => query(database, `DELETE FROM users WHERE id = 'ada'`)
const latestGrant = async () => {
  const [grant] = await query<{ id: string }>(
    database,
    'SELECT id FROM grants WHERE revoked_at IS NULL LIMIT 1',
  )
  return grant?.id ?? '0'
}

/** What happens to one user, who may have several connections. */
function operationsOf(connections: { code: string; tokens: Issued }[]) {
  const last = () => connections.at(-1)
  return {
    async connect() {
      const code = await codeFor(server, partner, 'ada')
      connections.push({ code, tokens: issued(await redeem(code)) })
    },
    replay: () => redeem(last()?.code ?? ''),
    revoke: () => token(server, partner, { token: last()?.tokens.refreshToken ?? 'none' }, 'revoke'),
    disconnect: async () => revokeGrant(database, systemOrigin, { id: await latestGrant(), userId: 'ada' }),
    endByOperator: async () => revokeGrant(database, systemOrigin, { id: await latestGrant() }),
    disable: () => disableUser(database, systemOrigin, 'ada'),
    enable: () => enableUser(database, systemOrigin, 'ada'),
    expire: () => query(database, 'UPDATE grants SET expires_at = now() WHERE revoked_at IS NULL'),
    close: () => closing.run(),
    move: () => moveTo('firm-2'),
    moveBack: () => moveTo('firm-1'),
    async remove() {
      await removed()
      await seed(database, { users: ['ada'] })
    },
  }
}
type Operation = keyof ReturnType<typeof operationsOf>

const operation = fc.constantFrom<Operation[]>(
  ...([
    'connect',
    'connect',
    'connect',
    'connect',
    'replay',
    'revoke',
    'disconnect',
    'endByOperator',
  ] as const),
  ...(['disable', 'enable', 'enable', 'expire', 'close', 'move', 'moveBack', 'remove'] as const),
)

type State = { id: string; ended: boolean; connections: { id: string; ended: boolean }[] }

/** The grants that the database has. Those of removed users are missing. */
const states = () =>
  query<State>(
    database,
    `SELECT g.id, g.revoked_at IS NOT NULL AS ended,
            coalesce((SELECT jsonb_agg(jsonb_build_object('id', c.id::text, 'ended', c.revoked_at IS NOT NULL))
                        FROM connections c WHERE c.grant_id = g.id), '[]') AS connections
       FROM grants g ORDER BY g.id`,
  )

test('for any operations, also at the same time, the events of each grant tell what has become of it, in order', async () => {
  let endings = 0
  const rounds = fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), {
    minLength: 6,
    maxLength: 14,
  })
  await fc.assert(
    fc.asyncProperty(rounds, async (given) => {
      await removed()
      await query(database, 'DELETE FROM webhook_endpoints')
      await seed(database, { users: ['ada'] })
      await endpointOf(server, partner)
      const operations = operationsOf([])
      // An operation that fails, because the user is gone or disabled, is rolled back.
      for (const round of given) await Promise.allSettled(round.map((name) => operations[name]()))
      await closing.run()
      endings += await checkAll()
    }),
    { numRuns: ofRuns(30) },
  )
  expect(endings).toBeGreaterThan(ofRuns(30))
})

/** @returns the number of ends that were told */
async function checkAll(): Promise<number> {
  const events = await eventsOf(server)
  checkedEvents(events)
  const grants = await states()
  const told = new Set(events.map(({ grant_id: id }) => id))
  expect(grants.filter(({ id }) => !told.has(id))).toEqual([])
  for (const id of told) {
    const ofGrant = events.filter((event) => event.grant_id === id)
    const types = ofGrant.map(({ type }) => type)
    const grant = grants.find((each) => each.id === id)
    expect(types[0]).toBe('grant.created')
    expect(types.filter((type) => type === 'grant.created')).toHaveLength(1)
    expect(types.slice(0, -1)).not.toContain('grant.revoked') // nothing follows it
    expect(types.at(-1) === 'grant.revoked').toBe(grant?.ended ?? true)
    for (const connection of grant?.connections ?? []) {
      const ends = ofGrant.filter(({ data }) => data.connection_id === connection.id)
      const final = ends.filter(({ data }) => data.cause !== 'user_disabled')
      if (!connection.ended) expect(final).toHaveLength(0)
      else if (grant?.ended) expect(final.length).toBeLessThanOrEqual(1)
      else expect(final).toHaveLength(1)
    }
  }
  return events.filter(({ type }) => type !== 'grant.created').length
}
