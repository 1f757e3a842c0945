import { statement } from '../database/database.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import Type from '../typebox.ts'

/** Grants that one run of the statement takes at most. */
export const batchGrants = 500

/**
 * Writes the mails to users whose consents end soon, and notes that they are written: both or neither. Rows that another
 * server takes at the same time are skipped, therefore each mail is written once. A consent that has expired meanwhile, because
 * no server ran, gets none. No parameters.
 */
export const writeEndNotices = statement(
  'write_end_notices',
  Type.Object({ taken: Type.Integer() }),
  `WITH due AS (
     SELECT id FROM grants WHERE end_notice_at <= now() AND revoked_at IS NULL
      ORDER BY end_notice_at LIMIT ${batchGrants} FOR UPDATE SKIP LOCKED
   ), taken AS (
     UPDATE grants g SET end_notice_at = NULL FROM due WHERE g.id = due.id
     RETURNING g.user_id, g.client_id, g.expires_at
   ), mail AS (
     ${mailRow('connection_ends', {
       from: `taken JOIN users u ON u.id = taken.user_id JOIN partners p USING (client_id)
        WHERE taken.expires_at > now() AND u.status = 'active'`,
       facts: { partner: 'p.name', until: 'taken.expires_at' },
     })}
   )
   SELECT count(*)::int AS taken FROM taken`,
)
