import { auditRow } from '../audit/audit-row.sql.ts'
import type { AuditEvent } from '../audit/events.ts'
import { statement } from '../database/database.ts'
import { hasExpired, isLiveGrant } from '../grants/ended.sql.ts'
import { endAfter, lifetimeDays, noticeAfter } from '../grants/lifetime.sql.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import { codeSeconds } from '../tokens/lifetimes.ts'
import Type from '../typebox.ts'

/** New grants of an hour about which a user gets mails. More would hide other mails. */
const maxGrantMails = 10

const record = (event: AuditEvent, from: string, details: Record<string, string>) =>
  auditRow(event, {
    origin: '$15',
    from,
    target: { kind: 'grant', id: 'g.id' },
    about: { user: 'g.user_id', client: 'g.client_id' },
    details,
  })

const consentDetails = {
  connection: 'started.id',
  redirect_uri: '$5::text',
  acr: '$10::text',
  expires_at: 'g.expires_at',
}

/**
 * Records the consent and starts a connection with its code. The code is derived from the request. A second press of
 * *Connect* therefore finds the connection of the first press. It gets the same code or `usable = false`, and writes
 * nothing.
 *
 * A grant is created only together with a new connection. If the code already has a connection, the second insert
 * violates the unique constraint (`isConcurrentPress`) and PostgreSQL rolls back the whole statement. A press whose
 * snapshot is older than the first press or than a disconnect therefore cannot leave a grant behind. `ON CONFLICT
 * (code_hash)` would keep the grant in that case. The caller runs the statement again. By then the first press is
 * committed, and `earlier` finds its connection (docs/adr/0004).
 *
 * The share lock on the user makes this statement and an import that moves the user to another firm wait for each
 * other. The import therefore ends every grant from before the move (docs/adr/0013). A press that has waited for a move
 * finds no row of the old firm. It gets the page again, with what the user sees in the new one.
 *
 * Each consent sets the end of the grant again. Connections of a grant that is still live go on until the new end. A grant
 * that has expired is closed, and the consent creates another one: the tokens of the expired grant stay refused
 * (docs/adr/0035). `given` reads `closed`, so that the old grant has left the index of live grants before the new one enters.
 *
 * $9 means that no page asked the user (`prompt=none`). The statement then needs a live grant, creates none and does not change
 * its end. A grant that the user ends at the same time stays ended.
 *
 * $14 must reach what the partner, the firm and the role require. A page that was made before the requirement, or in a
 * stronger session, therefore cannot connect with a weaker login.
 *
 * $1 user id, $2 client_id, $3 subject for a first grant, $4 SHA-256 of the code, $5 redirect URI, $6 code challenge
 * or null, $7 nonce or null, $8 time of authentication, $9 whether the request has `prompt=none`, $10 acr, $11 amr,
 * $12 days for which a consent is valid by default, or null, $13 language of the page, in which the user gets a mail about a
 * new grant; null if the server sends no mails, $14 `acrLevel` of the login, $15 origin
 *
 * No row if the partner or the user is no longer active, if the redirect URI is no longer registered, if more is required than
 * $14, or if $9 is true and there is no live grant.
 */
export const recordConnection = statement(
  'record_connection',
  Type.Object({ usable: Type.Boolean() }),
  `WITH earlier AS (
     SELECT c.redemptions = 0 AND c.code_expires_at > now() AND c.revoked_at IS NULL AND ${isLiveGrant('g')} AS usable
       FROM connections c JOIN grants g ON g.id = c.grant_id WHERE c.code_hash = $4
   ), parties AS (
     SELECT u.id, p.client_id, ${lifetimeDays('p', '$12')} AS days
       FROM partners p, users u JOIN firms f ON f.id = u.firm_id JOIN roles r ON r.name = u.role
      WHERE u.id = $1 AND u.status = 'active' AND p.client_id = $2 AND p.status = 'active'
        AND $5 = ANY (p.redirect_uris)
        AND greatest(p.require_level, f.require_level, r.require_level) <= $14
        FOR SHARE OF u
   ), closed AS (
     UPDATE grants g SET revoked_at = g.expires_at FROM parties p
      WHERE g.user_id = p.id AND g.client_id = p.client_id AND g.revoked_at IS NULL AND ${hasExpired('g')}
        AND NOT EXISTS (SELECT FROM earlier) AND NOT $9::boolean
     RETURNING g.id, g.user_id, g.client_id, g.expires_at
   ), given AS (
     INSERT INTO grants (user_id, client_id, subject, expires_at, end_notice_at)
     SELECT id, client_id,
            coalesce((SELECT g.subject FROM grants g WHERE g.user_id = $1 AND g.client_id = $2 LIMIT 1), $3),
            ${endAfter('days')}, ${noticeAfter('days')}
       FROM parties, (SELECT count(*) FROM closed) AS after_closing
      WHERE NOT EXISTS (SELECT FROM earlier) AND NOT $9
     ON CONFLICT (user_id, client_id) WHERE revoked_at IS NULL
     DO UPDATE SET expires_at = excluded.expires_at, end_notice_at = excluded.end_notice_at
     RETURNING id, user_id, client_id, expires_at, created_at = now() AS is_new
   ), kept AS (
     UPDATE grants g SET client_id = g.client_id FROM parties p
      WHERE g.user_id = p.id AND g.client_id = p.client_id AND ${isLiveGrant('g')}
        AND NOT EXISTS (SELECT FROM earlier) AND $9
     RETURNING g.id
   ), started AS (
     INSERT INTO connections (grant_id, client_id, code_hash, code_expires_at, redirect_uri, code_challenge, nonce, auth_time,
                              acr, amr, acr_level)
     SELECT id, $2, $4, now() + interval '${codeSeconds} seconds', $5, $6, $7, $8, $10, $11, $14
       FROM (SELECT id FROM given UNION ALL SELECT id FROM kept) AS consent
     RETURNING id
   ), mail AS (
     ${mailRow('connected', {
       from: `given JOIN users u ON u.id = $1 JOIN partners p ON p.client_id = $2
        WHERE given.is_new AND $13::text IS NOT NULL
          AND (SELECT count(*) FROM grants g
                WHERE g.user_id = $1 AND g.created_at > now() - interval '1 hour') < ${maxGrantMails}`,
       language: '$13::text',
       facts: { partner: 'p.name', at: 'now()' },
     })}
   ), expiry AS (
     ${record('grant.expired', 'closed g', { expired_at: 'g.expires_at' })}
   ), creation AS (
     ${record('grant.created', 'given g, started WHERE g.is_new', consentDetails)}
   ), renewal AS (
     ${record('grant.renewed', 'given g, started WHERE NOT g.is_new', consentDetails)}
   )
   SELECT true AS usable FROM started
   UNION ALL
   SELECT usable FROM earlier WHERE NOT usable OR EXISTS (SELECT FROM parties)`,
)

/** Whether the statement failed because another press of the same page was committed while it ran. */
export function isConcurrentPress(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'connections_code_hash_key'
}
