import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import Type from '../typebox.ts'
import { aboutParties } from './grants.sql.ts'

/** Grants that one run of the statement closes at most. */
export const batchGrants = 500

/**
 * Closes the rows of grants that have expired, which writes the event `grant.revoked` (docs/adr/0044). Rows that another server
 * or a *Connect* closes at the same time are skipped: each gets one audit row and one event. $1 origin
 */
export const closeExpiredGrants = statement(
  'close_expired_grants',
  Type.Object({ closed: Type.Integer() }),
  `WITH due AS (
     SELECT id FROM grants WHERE expires_at <= now() AND revoked_at IS NULL
      ORDER BY expires_at LIMIT ${batchGrants} FOR NO KEY UPDATE SKIP LOCKED
   ), closed AS (
     UPDATE grants g SET revoked_at = g.expires_at FROM due WHERE g.id = due.id
     RETURNING g.id, g.user_id, g.client_id, g.expires_at
   ), recorded AS (
     ${auditRow('grant.expired', {
       origin: '$1',
       from: 'closed',
       target: { kind: 'grant', id: 'closed.id' },
       about: aboutParties('closed'),
       details: { expired_at: 'closed.expires_at' },
     })}
   )
   SELECT count(*)::int AS closed FROM closed`,
)
