import type { Database } from '../../src/database/database.ts'
import { query } from './database.ts'

export type Reads = { requests: number; households: number; accounts: number }

/** The reads recorded for one user's grants, on all days. */
export async function readsOf(database: Database, userId: string): Promise<Reads> {
  const [row] = await query<Reads>(
    database,
    `SELECT coalesce(sum(requests), 0)::int AS requests, coalesce(sum(households), 0)::int AS households,
            coalesce(sum(accounts), 0)::int AS accounts
       FROM grant_reads r JOIN grants g ON g.id = r.grant_id WHERE g.user_id = $1`,
    [userId],
  )
  return row ?? { requests: -1, households: -1, accounts: -1 }
}

export async function lastUse(database: Database, userId: string): Promise<Date | null> {
  const [row] = await query<{ last_used_at: Date | null }>(
    database,
    'SELECT last_used_at FROM grants WHERE user_id = $1',
    [userId],
  )
  return row?.last_used_at ?? null
}
