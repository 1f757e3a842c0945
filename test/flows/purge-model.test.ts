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
await tokensFor(server, partner, 'ada') // the grant

/** All in seconds. The code was redeemed as long ago as all of the gaps and the age together. */
type Past = {
  /** Since the last token was issued, or since the code was when there is none. */
  age: number
  /** Between one rotation and the next; undefined: the code was not redeemed. */
  gaps: number[] | undefined
  revoked: boolean
  /** What is presented first: the code, or the refresh token of this place. */
  presented: 'code' | number
}

const past: fc.Arbitrary<Past> = fc.record({
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

/** Puts a connection with this past into the database, as if it had just been lived. */
async function lived({ age, gaps, revoked }: Past): Promise<Connection> {
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
    refreshToken = newToken('sandbox', 'rt', hmac(server.context.keys.rotation, refreshToken.text))
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
 * All that the partner can find out, in a fixed order. Not the words: an expired token's are others once it is gone. And
 * a refresh token that expired more than a day ago is not the first to be presented: it ends nothing any more.
 */
async function findOut({ code, links }: Connection, { presented }: Past): Promise<unknown[]> {
  const found: unknown[] = []
  const answered = ({ status, body }: { status: number; body: Record<string, unknown> }) =>
    found.push([status, body.error ?? body.active])
  const redeem = async () =>
    answered(await token(server, partner, { grant_type: 'authorization_code', code: code.text }))
  const present = async (link: Link) => answered(await refresh(server, partner, link.refresh.text))
  for (const { access, refresh: own } of links) {
    for (const { text } of [access, own])
      answered(await token(server, partner, { token: text }, 'introspect'))
  }
  const first = presented === 'code' ? undefined : links[presented]
  if (presented === 'code') await redeem()
  else if (first && first.issuedAgo < 31 * day) await present(first)
  for (const { access } of links) found.push((await api(server, 'households', access.text)).status)
  for (const link of links.slice(-1)) await present(link)
  await redeem()
  for (const { access } of links) found.push((await api(server, 'households', access.text)).status)
  return found
}

/** Rows that only the purge can have taken. */
const overdue = `
  SELECT 'token' FROM access_tokens WHERE expires_at < now() - interval '1 day'
   UNION ALL SELECT 'token' FROM refresh_tokens WHERE expires_at < now() - interval '1 day'
   UNION ALL SELECT 'connection' FROM connections c
    WHERE code_expires_at < now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM refresh_tokens r WHERE r.connection_id = c.id)`

test('whatever a connection has lived through, its partner finds out the same before and after a purge', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(past, { minLength: 1, maxLength: 4 }), async (pasts) => {
      const twins = []
      for (const each of pasts)
        twins.push({ past: each, before: await lived(each), after: await lived(each) })
      const before = []
      for (const twin of twins) before.push(await findOut(twin.before, twin.past))
      await purge(server.database)
      expect(await query(server.database, overdue)).toEqual([])
      const after = []
      for (const twin of twins) after.push(await findOut(twin.after, twin.past))
      expect(after).toEqual(before)
    }),
    { numRuns: ofRuns(40) },
  )
}, 60_000)
