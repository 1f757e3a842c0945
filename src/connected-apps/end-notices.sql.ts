import { statement } from '../database/database.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import Type from '../typebox.ts'

/** Grants that one run of the statement takes at most. */
export const batchGrants = 500

/**
 * Writes the mails to users and the events to partners whose consents end soon, and notes that they are written: all or none.
 * Rows that another server takes at the same time are skipped, therefore each is written once. A consent that has expired
 * meanwhile, because no server ran, gets none.
 *
 * $1 whether the server sends mails
 */
export const writeEndNotices = statement(
  'write_end_notices',
  Type.Object({ taken: Type.Integer(), events: Type.Integer() }),
  `WITH due AS (
     SELECT id FROM grants WHERE end_notice_at <= now() AND revoked_at IS NULL
      ORDER BY end_notice_at LIMIT ${batchGrants} FOR UPDATE SKIP LOCKED
   ), taken AS (
     UPDATE grants g SET end_notice_at = NULL FROM due WHERE g.id = due.id
     RETURNING g.user_id, g.client_id, g.expires_at, facts_of_grant(g) AS facts, g.id
   ), mail AS (
     ${mailRow('connection_ends', {
       from: `taken JOIN users u ON u.id = taken.user_id JOIN partners p USING (client_id)
        WHERE taken.expires_at > now() AND u.status = 'active' AND $1::boolean`,
       facts: { partner: 'p.name', until: 'taken.expires_at' },
     })}
   ), event AS (
     SELECT write_event(client_id, 'grant.expiring', id,
                        facts || jsonb_build_object('expires_at', event_instant(expires_at)))
       FROM taken WHERE expires_at > now() ORDER BY id
   )
   SELECT (SELECT count(*)::int FROM taken) AS taken, (SELECT count(*)::int FROM event) AS events`,
)
