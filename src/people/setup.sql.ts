import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import Type from '../typebox.ts'
import { forEachKind, type PeopleKind } from './kind.ts'

/** For a link `l` and its person `o`: the link works. */
const isLive = `l.expires_at > now() AND o.status = 'active'`

/** The person whose account a link sets up. $1 SHA-256 of the secret in the link. No row: it does not work. */
const findLinkStatement = (kind: PeopleKind) =>
  statement(
    `find_${kind}_link`,
    Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }),
    `SELECT o.id::text, o.name, o.email FROM ${kind}_links l JOIN ${kind}s o ON o.id = l.${kind}_id
    WHERE l.hash = $1 AND ${isLive}`,
  )

/** SQL that stores the secret and the recovery codes of the person of each row of `changed`. */
const storeFactor = (kind: PeopleKind, sealed: string, step: string, codes: string) => `totp AS (
     INSERT INTO ${kind}_totp_secrets (${kind}_id, sealed, last_step)
     SELECT id, ${sealed}, ${step} FROM changed
     ON CONFLICT (${kind}_id) DO UPDATE SET sealed = excluded.sealed, last_step = excluded.last_step, created_at = now(),
                                             last_used_at = NULL
   ), codes AS (
     INSERT INTO ${kind}_recovery_codes (${kind}_id, hashes) SELECT id, ${codes} FROM changed
     ON CONFLICT (${kind}_id) DO UPDATE SET hashes = excluded.hashes, created_at = now()
   )`

/** SQL of a CTE that ends all sessions of the person of `changed`. */
const endSessions = (kind: PeopleKind) => `ended AS (
     DELETE FROM ${kind}_sessions s USING changed WHERE s.${kind}_id = changed.id
   )`

/** SQL that records which credentials of the person of `changed` are new. */
const recorded = (kind: PeopleKind, credentials: string, origin: string) =>
  auditRow(`${kind}.updated`, {
    origin,
    from: 'changed',
    target: { kind, id: 'changed.id' },
    details: { credentials: `'${credentials}'::text` },
  })

/**
 * Sets password and second factor with a link, and ends the link and all sessions of the person. Of two uses at the same
 * time, one deletes the link. No row: the link does not work.
 *
 * $1 SHA-256 of the secret in the link, $2 password hash, $3 sealed TOTP secret, $4 time step of the code that proved it,
 * $5 hashes of the recovery codes, $6 origin
 */
const setUpStatement = (kind: PeopleKind) =>
  statement(
    `set_up_${kind}`,
    Type.Object({ id: Type.String(), name: Type.String(), login_version: Type.String() }),
    `WITH link AS (
     DELETE FROM ${kind}_links l USING ${kind}s o WHERE l.hash = $1 AND o.id = l.${kind}_id AND ${isLive}
     RETURNING l.${kind}_id
   ), changed AS (
     UPDATE ${kind}s o SET password_hash = $2, login_version = gen_random_uuid() FROM link WHERE o.id = link.${kind}_id
     RETURNING o.id, o.name, o.login_version
   ), ${storeFactor(kind, '$3', '$4::bigint', '$5::bytea[]')}, ${endSessions(kind)}, audit AS (
     ${recorded(kind, 'set', '$6')}
   )
   SELECT id::text, name, login_version::text FROM changed`,
  )

/** SQL for the person $1 who is logged in with the password and the `login_version` $2. */
const isOfSession = `id = $1::uuid AND login_version = $2::uuid AND status = 'active' AND password_hash IS NOT NULL`

/**
 * Changes the password, and ends all sessions of the person. No row: the credentials have changed since they were checked.
 * $1 id of the person, $2 `login_version` of the session, $3 password hash, $4 origin
 */
const changePasswordStatement = (kind: PeopleKind) =>
  statement(
    `change_${kind}_password`,
    Type.Object({ login_version: Type.String() }),
    `WITH changed AS (
     UPDATE ${kind}s SET password_hash = $3, login_version = gen_random_uuid() WHERE ${isOfSession}
     RETURNING id, login_version
   ), ${endSessions(kind)}, audit AS (
     ${recorded(kind, 'password', '$4')}
   )
   SELECT login_version::text FROM changed`,
  )

/**
 * Replaces the authenticator app and the recovery codes. The other sessions of the person end: the person who set up the old
 * app may have opened them. $1 id of the person, $2 `login_version` of the session, $3 sealed TOTP secret, $4 time step of the
 * code that proved it, $5 hashes of the recovery codes, $6 origin
 */
const changeFactorStatement = (kind: PeopleKind) =>
  statement(
    `change_${kind}_factor`,
    Type.Object({ login_version: Type.String() }),
    `WITH changed AS (
     UPDATE ${kind}s SET login_version = gen_random_uuid() WHERE ${isOfSession}
     RETURNING id, login_version
   ), ${storeFactor(kind, '$3', '$4::bigint', '$5::bytea[]')}, ${endSessions(kind)}, audit AS (
     ${recorded(kind, 'second_factor', '$6')}
   )
   SELECT login_version::text FROM changed`,
  )

/** The statements of an account's credentials. */
export const setupStatements = forEachKind((kind) => ({
  findLink: findLinkStatement(kind),
  setUp: setUpStatement(kind),
  changePassword: changePasswordStatement(kind),
  changeFactor: changeFactorStatement(kind),
}))
