import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeFor, type Issued, issued } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh, type TokenAnswer, token } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'
import { purge } from '../support/purge.ts'

const hour = 3600
const day = 24 * hour

const server = await serverFixture({ clock: true, users: ['ada'] })
const partner = await server.partner()

/** The history of a connection, in seconds. The code was redeemed `age` plus the sum of all `gaps` ago. */
type History = {
  /** Since the last token was issued, or since the code was issued if there is no token. */
  age: number
  /** Between one rotation and the next. `undefined`: the code was not redeemed. */
  gaps: number[] | undefined
  revoked: boolean
  /** What is presented first: the code, or the refresh token at this index of the chain. */
  presented: 'code' | number
}

// No sum of these is shortly before a limit that the time of the test itself could pass.
const history: fc.Arbitrary<History> = fc.record({
  age: fc.constantFrom(
    5,
    2 * hour,
    day + 2 * hour,
    20 * day,
    30 * day + hour,
    33 * day,
    34 * day + hour,
    70 * day,
  ),
  gaps: fc.option(fc.array(fc.constantFrom(10, 130, hour, 9 * day, 28 * day), { maxLength: 4 }), {
    nil: undefined,
    freq: 5,
  }),
  revoked: fc.constantFrom(false, false, false, true),
  presented: fc.oneof(fc.constant('code' as const), fc.nat(4)),
})

type Connection = { history: History; code: string; chain: Issued[] }

const redeem = (code: string) => token(server, partner, { grant_type: 'authorization_code', code })

/** What happens to a connection with this history, and how many seconds before the end. */
function eventsOf(connection: Connection): { ago: number; happen: () => Promise<unknown> }[] {
  const { age, gaps, revoked } = connection.history
  const chain = connection.chain
  const begin = async () => {
    connection.code = await codeFor(server, partner, 'ada')
    if (gaps) chain.push(issued(await redeem(connection.code)))
  }
  const rotate = async () => {
    chain.push(issued(await refresh(server, partner, chain.at(-1)?.refreshToken ?? '')))
  }
  const revoke = () => token(server, partner, { token: chain.at(-1)?.refreshToken ?? '' }, 'revoke')
  let ago = age + (gaps ?? []).reduce((sum, gap) => sum + gap, 0)
  const events = [{ ago, happen: begin as () => Promise<unknown> }]
  for (const gap of gaps ?? []) {
    ago -= gap
    events.push({ ago, happen: rotate })
  }
  return gaps && revoked ? [...events, { ago: 0, happen: revoke }] : events
}

/** Lets all connections happen on one timeline. @returns the seconds that have passed */
async function live(connections: Connection[]): Promise<number> {
  const events = connections.flatMap(eventsOf).sort((a, b) => b.ago - a.ago)
  const [first] = events
  let ago = first?.ago ?? 0
  for (const event of events) {
    await server.passTime(ago - event.ago)
    ago = event.ago
    await event.happen()
  }
  await server.passTime(ago)
  return first?.ago ?? 0
}

/**
 * Everything that the partner can observe, in a fixed order. The descriptions of the token endpoint are left out: they
 * change when the connection of an expired token is purged. Those of the API are not.
 */
async function observe({ code, chain, history: { presented } }: Connection): Promise<unknown[]> {
  const observed: unknown[] = []
  const record = ({ status, body }: TokenAnswer) => observed.push([status, body.error ?? body.active])
  const call = async () => {
    for (const { accessToken } of chain) {
      const { status, headers } = await api(server, 'households', accessToken)
      observed.push([status, headers.get('www-authenticate')])
    }
  }
  for (const { accessToken, refreshToken } of chain) {
    for (const text of [accessToken, refreshToken]) {
      record(await token(server, partner, { token: text }, 'introspect'))
    }
  }
  const first = presented === 'code' ? undefined : chain[presented]
  if (presented === 'code') record(await redeem(code))
  else if (first) record(await refresh(server, partner, first.refreshToken))
  await call()
  for (const { refreshToken } of chain.slice(-1)) record(await refresh(server, partner, refreshToken))
  record(await redeem(code))
  await call()
  return observed
}

/** Connections that the purge has to remove. */
const overdue = `
  SELECT FROM connections
   WHERE code_expires_at < now() - interval '1 day'
     AND (refreshed_at IS NULL OR refreshed_at < now() - interval '34 days')`

test('for any history of a connection, its partner observes the same before and after a purge', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(history, { minLength: 1, maxLength: 4 }), async (histories) => {
      const connections = (): Connection[] =>
        histories.map((each) => ({ history: each, code: '', chain: [] }))
      const [twins, others] = [connections(), connections()]
      const passed = await live([...twins, ...others])
      const before = []
      for (const twin of twins) before.push(await observe(twin))
      await purge(server.database)
      expect(await query(server.database, overdue)).toEqual([])
      const after = []
      for (const other of others) after.push(await observe(other))
      expect(after).toEqual(before)
      await server.passTime(-passed) // the expiry in a token has 32 bits
    }),
    { numRuns: ofRuns(25) },
  )
}, 120_000)
