import { query } from './database.ts'
import type { TestServer } from './server.ts'

/** The user's grants, the oldest first. */
export type GrantAtRest = { id: string; live: boolean; days: number | null; notice_days: number | null }

/** `days`, `notice_days`: from now, rounded. */
export function grantsOf(server: TestServer, userId: string): Promise<GrantAtRest[]> {
  return query<GrantAtRest>(
    server.database,
    `SELECT id, revoked_at IS NULL AND coalesce(expires_at > now(), true) AS live,
            round(extract(epoch FROM expires_at - now()) / 86400)::int AS days,
            round(extract(epoch FROM end_notice_at - now()) / 86400)::int AS notice_days
       FROM grants WHERE user_id = $1 ORDER BY id`,
    [userId],
  )
}

/** Lets the consents of this user expire a second ago. */
export function expire(server: TestServer, userId: string): Promise<unknown> {
  return query(
    server.database,
    `UPDATE grants SET expires_at = now() - interval '1 second' WHERE user_id = $1`,
    [userId],
  )
}
