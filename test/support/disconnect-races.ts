import { expect } from 'vitest'
import { query } from './database.ts'
import { authorize } from './journey.ts'
import { disconnectPage, loggedIn } from './pages.ts'
import type { TestPartner, TestServer } from './server.ts'
import { redirectOf } from './visitor.ts'

/** Live grants, and live grants without any connection. No partner can have received a code for the latter. */
const countGrants = `
  SELECT count(*)::int AS live,
         count(*) FILTER (WHERE NOT EXISTS (SELECT FROM connections c WHERE c.grant_id = g.id))::int AS unconnected
    FROM grants g WHERE g.revoked_at IS NULL AND g.user_id = $1`

/**
 * Rounds in which *Disconnect* races further clicks on *Connect* of the same page. Each page was submitted once before, so
 * no click may restore the grant. After each round, the database is checked.
 */
export async function disconnectRaces(
  server: TestServer,
  partner: TestPartner,
  userId: string,
  rounds: number,
): Promise<void> {
  const visitor = await loggedIn(server, userId)
  for (let round = 0; round < rounds; round++) {
    const page = await authorize(visitor, server, partner)
    const press = () => visitor.submit(page, '/connect', { decision: 'connect' })
    const first = redirectOf(await press())?.searchParams.get('code')
    expect(first).toMatch(/^lk_test_ac_/)
    const confirmation = await disconnectPage(visitor, server)
    const disconnect = () => visitor.submit(confirmation, '/connections/disconnect', {})
    // The order of the requests changes with each round.
    const requests = [press, press, press]
    requests.splice(round % 4, 0, disconnect)
    const answers = await Promise.all(requests.map((request) => request()))
    for (const answer of answers) {
      expect([303, 409]).toContain(answer.status)
      const code = redirectOf(answer)?.searchParams.get('code')
      if (code) expect(code).toBe(first)
    }
    expect({ round, ...(await query(server.database, countGrants, [userId]))[0] }).toEqual({
      round,
      live: 0,
      unconnected: 0,
    })
  }
}

/**
 * Rounds in which *Disconnect* of an older grant races the first two clicks on *Connect* of a new page. A click after the
 * disconnect gives consent again. No grant may remain for which no partner received a code.
 */
export async function firstPressRaces(
  server: TestServer,
  partner: TestPartner,
  userId: string,
  rounds: number,
): Promise<void> {
  const visitor = await loggedIn(server, userId)
  for (let round = 0; round < rounds; round++) {
    await visitor.submit(await authorize(visitor, server, partner), '/connect', { decision: 'connect' })
    const confirmation = await disconnectPage(visitor, server)
    const page = await authorize(visitor, server, partner)
    const press = () => visitor.submit(page, '/connect', { decision: 'connect' })
    const disconnect = () => visitor.submit(confirmation, '/connections/disconnect', {})
    const answers = await Promise.all([press(), disconnect(), press()])
    for (const answer of answers) expect([303, 409]).toContain(answer.status)
    const [left] = await query<{ unconnected: number }>(server.database, countGrants, [userId])
    expect({ round, unconnected: left?.unconnected }).toEqual({ round, unconnected: 0 })
  }
}
