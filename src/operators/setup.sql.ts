import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** For `operator_links l` and its `operators o`: the link works. */
const isLive = `l.expires_at > now() AND o.status = 'active'`

/** The operator whose account a link sets up. $1 SHA-256 of the secret in the link. No row: it does not work. */
export const findSetupLink = statement(
  'find_setup_link',
  Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }),
  `SELECT o.id::text, o.name, o.email FROM operator_links l JOIN operators o ON o.id = l.operator_id
    WHERE l.hash = $1 AND ${isLive}`,
)

/** SQL that stores the secret and the recovery codes of the operator of each row of `changed`. */
const storeFactor = (sealed: string, step: string, codes: string) => `totp AS (
     INSERT INTO operator_totp_secrets (operator_id, sealed, last_step)
     SELECT id, ${sealed}, ${step} FROM changed
     ON CONFLICT (operator_id) DO UPDATE SET sealed = excluded.sealed, last_step = excluded.last_step, created_at = now(),
                                             last_used_at = NULL
   ), codes AS (
     INSERT INTO operator_recovery_codes (operator_id, hashes) SELECT id, ${codes} FROM changed
     ON CONFLICT (operator_id) DO UPDATE SET hashes = excluded.hashes, created_at = now()
   )`

const endSessions = `ended AS (
     DELETE FROM operator_sessions s USING changed WHERE s.operator_id = changed.id
   )`

/**
 * Sets password and second factor with a link, and ends the link and all sessions of the operator. Of two uses at the same
 * time, one deletes the link. No row: the link does not work.
 *
 * $1 SHA-256 of the secret in the link, $2 password hash, $3 sealed TOTP secret, $4 time step of the code that proved it,
 * $5 hashes of the recovery codes, $6 origin
 */
export const setUpOperator = statement(
  'set_up_operator',
  Type.Object({ id: Type.String(), name: Type.String(), login_version: Type.String() }),
  `WITH link AS (
     DELETE FROM operator_links l USING operators o WHERE l.hash = $1 AND o.id = l.operator_id AND ${isLive}
     RETURNING l.operator_id
   ), changed AS (
     UPDATE operators o SET password_hash = $2, login_version = gen_random_uuid() FROM link WHERE o.id = link.operator_id
     RETURNING o.id, o.name, o.login_version
   ), ${storeFactor('$3', '$4::bigint', '$5::bytea[]')}, ${endSessions}, audit AS (
     ${auditRow('operator.updated', {
       origin: '$6',
       from: 'changed',
       target: { kind: 'operator', id: 'changed.id' },
       details: { credentials: `'set'::text` },
     })}
   )
   SELECT id::text, name, login_version::text FROM changed`,
)

/**
 * Changes the password, and ends all sessions of the operator. No row: the credentials have changed since they were checked.
 * $1 operator id, $2 `login_version` of the session, $3 password hash, $4 origin
 */
export const changeOperatorPassword = statement(
  'change_operator_password',
  Type.Object({ login_version: Type.String() }),
  `WITH changed AS (
     UPDATE operators SET password_hash = $3, login_version = gen_random_uuid()
      WHERE id = $1::uuid AND login_version = $2::uuid AND status = 'active' AND password_hash IS NOT NULL
     RETURNING id, login_version
   ), ${endSessions}, audit AS (
     ${auditRow('operator.updated', {
       origin: '$4',
       from: 'changed',
       target: { kind: 'operator', id: 'changed.id' },
       details: { credentials: `'password'::text` },
     })}
   )
   SELECT login_version::text FROM changed`,
)

/**
 * Replaces the authenticator app and the recovery codes. The other sessions of the operator end: the person who set up
 * the old app may have opened them. $1 operator id, $2 `login_version` of the session, $3 sealed TOTP secret, $4 time step of the code that
 * proved it, $5 hashes of the recovery codes, $6 origin
 */
export const changeOperatorFactor = statement(
  'change_operator_factor',
  Type.Object({ login_version: Type.String() }),
  `WITH changed AS (
     UPDATE operators SET login_version = gen_random_uuid()
      WHERE id = $1::uuid AND login_version = $2::uuid AND status = 'active' AND password_hash IS NOT NULL
     RETURNING id, login_version
   ), ${storeFactor('$3', '$4::bigint', '$5::bytea[]')}, ${endSessions}, audit AS (
     ${auditRow('operator.updated', {
       origin: '$6',
       from: 'changed',
       target: { kind: 'operator', id: 'changed.id' },
       details: { credentials: `'second_factor'::text` },
     })}
   )
   SELECT login_version::text FROM changed`,
)
