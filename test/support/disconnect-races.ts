import { expect } from 'vitest'
import { query } from './database.ts'
import { authorize } from './journey.ts'
import { disconnectPage, loggedIn } from './pages.ts'
import type { TestPartner, TestServer } from './server.ts'
import { redirectOf } from './visitor.ts'

/** Live grants, and live grants that no connection belongs to: nobody can have been given a code for those. */
const countGrants = `
  SELECT count(*)::int AS live,
         count(*) FILTER (WHERE NOT EXISTS (SELECT FROM connections c WHERE c.grant_id = g.id))::int AS unconnected
    FROM grants g WHERE g.revoked_at IS NULL AND g.user_id = $1`

/**
 * Rounds in which *Disconnect* races further presses of the same *Connect* page: each page was pressed once before, so
 * no press may bring the grant back. After each round the database is asked what is left.
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
    // Which of them is sent first differs from round to round.
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
 * Rounds in which *Disconnect* of an older grant races the first two presses of a new page. The press that comes after
 * the disconnect gives consent again; a grant that nobody has a code for must not be left.
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
