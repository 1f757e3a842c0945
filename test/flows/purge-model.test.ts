import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hmac } from '../../src/secrets/derived-keys.ts'
import { newToken, type Token } from '../../src/secrets/token-format.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh, token } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'
import { purge } from '../support/purge.ts'

const hour = 3600
const day = 24 * hour

const server = await serverFixture({ users: ['ada'] })
const partner = await server.partner()
await tokensFor(server, partner, 'ada') // creates the grant

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

const history: fc.Arbitrary<History> = fc.record({
  age: fc.constantFrom(5, 2 * hour, day + 2 * hour, 20 * day, 30 * day + hour, 32 * day, 70 * day),
  gaps: fc.option(fc.array(fc.constantFrom(20, 70, hour, 9 * day, 28 * day), { maxLength: 4 }), {
    nil: undefined,
    freq: 5,
  }),
  revoked: fc.constantFrom(false, false, false, true),
  presented: fc.oneof(fc.constant('code' as const), fc.nat(4)),
})

type Link = { refresh: Token; access: Token; issuedAgo: number; rotatedAgo: number | null }
type Connection = { code: Token; links: Link[] }

/** Inserts a connection with this history. */
async function insertConnection({ age, gaps, revoked }: History): Promise<Connection> {
  const links: Link[] = []
  let issuedAgo = age + (gaps ?? []).reduce((sum, gap) => sum + gap, 0)
  const code = newToken('sandbox', 'ac')
  const [row] = await query<{ id: string }>(
    server.database,
    `INSERT INTO connections (grant_id, client_id, code_hash, code_expires_at, redemptions, redirect_uri, auth_time, revoked_at)
     SELECT id, client_id, $1, now() - make_interval(secs => $2) + interval '50 seconds', $3, $4, now(),
            CASE WHEN $5 THEN now() END FROM grants LIMIT 1 RETURNING id`,
    [code.hash, issuedAgo, gaps ? 1 : 0, partner.redirectUri, revoked],
  )
  let refreshToken = newToken('sandbox', 'rt')
  for (const gap of gaps ? [...gaps, null] : []) {
    const rotatedAgo = gap === null ? null : issuedAgo - gap
    links.push({ refresh: refreshToken, access: newToken('sandbox', 'at'), issuedAgo, rotatedAgo })
    refreshToken = newToken('sandbox', 'rt', hmac(server.context.keys.current.rotation, refreshToken.text))
    issuedAgo = rotatedAgo ?? 0
  }
  for (const link of links) {
    await query(
      server.database,
      `WITH access AS (
         INSERT INTO access_tokens VALUES ($2, $1, now() - make_interval(secs => $4) + interval '1 hour')
       )
       INSERT INTO refresh_tokens VALUES ($3, $1, now() - make_interval(secs => $4) + interval '30 days', now() - make_interval(secs => $5))`,
      [row?.id, link.access.hash, link.refresh.hash, link.issuedAgo, link.rotatedAgo],
    )
  }
  return { code, links }
}

/**
 * Everything that the partner can observe, in a fixed order. Error texts are left out: they change when an expired token is
 * purged. A refresh token that expired more than a day ago is not presented first, because it no longer ends the connection.
 */
async function observe({ code, links }: Connection, { presented }: History): Promise<unknown[]> {
  const observed: unknown[] = []
  const record = ({ status, body }: { status: number; body: Record<string, unknown> }) =>
    observed.push([status, body.error ?? body.active])
  const redeem = async () =>
    record(await token(server, partner, { grant_type: 'authorization_code', code: code.text }))
  const present = async (link: Link) => record(await refresh(server, partner, link.refresh.text))
  for (const { access, refresh: own } of links) {
    for (const { text } of [access, own]) record(await token(server, partner, { token: text }, 'introspect'))
  }
  const first = presented === 'code' ? undefined : links[presented]
  if (presented === 'code') await redeem()
  else if (first && first.issuedAgo < 31 * day) await present(first)
  for (const { access } of links) observed.push((await api(server, 'households', access.text)).status)
  for (const link of links.slice(-1)) await present(link)
  await redeem()
  for (const { access } of links) observed.push((await api(server, 'households', access.text)).status)
  return observed
}

/** Rows that the purge has to remove. */
const overdue = `
  SELECT 'token' FROM access_tokens WHERE expires_at < now() - interval '1 day'
   UNION ALL SELECT 'token' FROM refresh_tokens WHERE expires_at < now() - interval '1 day'
   UNION ALL SELECT 'connection' FROM connections c
    WHERE code_expires_at < now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM refresh_tokens r WHERE r.connection_id = c.id)`

test('for any history of a connection, its partner observes the same before and after a purge', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(history, { minLength: 1, maxLength: 4 }), async (histories) => {
      const twins = []
      for (const each of histories)
        twins.push({
          history: each,
          before: await insertConnection(each),
          after: await insertConnection(each),
        })
      const before = []
      for (const twin of twins) before.push(await observe(twin.before, twin.history))
      await purge(server.database)
      expect(await query(server.database, overdue)).toEqual([])
      const after = []
      for (const twin of twins) after.push(await observe(twin.after, twin.history))
      expect(after).toEqual(before)
    }),
    { numRuns: ofRuns(40) },
  )
}, 60_000)
