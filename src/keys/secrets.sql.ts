import { auditRow } from '../audit/audit-row.sql.ts'
import { Instant, statement } from '../database/database.ts'
import Type from '../typebox.ts'

const Row = Type.Object({ key_id: Type.String(), current_since: Instant, auth_url: Type.String() })

/** The secrets that servers have used, the latest first. */
export const listSecrets = statement(
  'list_secrets',
  Row,
  'SELECT key_id, current_since, auth_url FROM secrets ORDER BY current_since DESC',
)

/** Whether servers use this secret, or used it in the last 31 days. $1 key id of the secret */
export const findUsedSecret = statement(
  'find_used_secret',
  Row,
  `SELECT key_id, current_since, auth_url FROM secrets s
    WHERE key_id = $1 AND NOT EXISTS (
      SELECT FROM secrets n WHERE n.current_since > s.current_since AND n.current_since < now() - interval '31 days')`,
)

/**
 * Records that a server uses this secret to make everything new. Its time stays, unless another secret was current since:
 * then the operator went back to this one. During a rolling restart a server may start with the old secret again. The
 * time of the new one then moves by less than the restart takes.
 *
 * If another secret was current before, the audit log gets a record. $1 key id of the secret, $2 the address of the server,
 * $3 origin
 */
export const recordCurrentSecret = statement(
  'record_current_secret',
  Row,
  `WITH used AS (
     INSERT INTO secrets AS s (key_id, current_since, auth_url) VALUES ($1, now(), $2)
     ON CONFLICT (key_id) DO UPDATE
       SET auth_url = excluded.auth_url,
           current_since = CASE WHEN EXISTS (SELECT FROM secrets other WHERE other.current_since > s.current_since)
                                THEN now() ELSE s.current_since END
     RETURNING key_id, current_since, auth_url
   ), recorded AS (
     ${auditRow('secret.rotated', {
       origin: '$3',
       from: 'used WHERE used.current_since = now() AND EXISTS (SELECT FROM secrets)',
       target: { kind: 'secret', id: 'used.key_id' },
     })}
   )
   SELECT key_id, current_since, auth_url FROM used`,
)

/** After this, no secret counts as having been current. */
export const forgetSecrets = statement('forget_secrets', Type.Object({}), 'DELETE FROM secrets')

/** Ends all connections with their codes and tokens. Locks them and then their grants in order (docs/adr/0044). */
export const endConnections = statement(
  'end_connections',
  Type.Object({ connections: Type.Integer() }),
  `WITH live AS (
     SELECT id, grant_id FROM connections WHERE revoked_at IS NULL ORDER BY grant_id, id FOR NO KEY UPDATE
   ), held AS MATERIALIZED (
     SELECT id FROM grants WHERE id IN (SELECT grant_id FROM live) ORDER BY id FOR NO KEY UPDATE
   ), ended AS (
     UPDATE connections c SET revoked_at = now() FROM live JOIN held ON held.id = live.grant_id WHERE c.id = live.id RETURNING c.id
   )
   SELECT count(*)::int AS connections FROM ended`,
)

/**
 * Ends all links to set a password. An attacker with a leaked secret and a copy of the database has read those that were in
 * mails. Also deletes the mails with a link that are not sent yet. No server can decrypt their links. No parameters.
 */
export const endPasswordLinks = statement(
  'end_password_links',
  Type.Object({}),
  `WITH links AS (DELETE FROM password_links)
   DELETE FROM outbox WHERE kind = 'mail' AND payload->'facts' ? 'link'`,
)
