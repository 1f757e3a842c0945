import { Instant, statement } from '../database/database.ts'
import { hasSecondFactor } from '../directory/second-factor.sql.ts'
import { userRecord } from '../directory/user-record.sql.ts'
import { browserProof, counting } from '../login/login.sql.ts'
import { resetMinutes } from '../mail/mail-content.ts'
import { mailRow, rememberedLanguage } from '../outbox/mail-row.sql.ts'
import Type, { type Static } from '../typebox.ts'

/**
 * Links that are sent to one account, and requested by one source, while a link lives. If no more are sent, one of those that
 * were sent still works: an attacker who requests links for a user cannot keep the user out.
 */
const maxOfAccount = 3
const maxOfSource = 30

/** Days for which the link of an invitation works. */
const invitationDays = 7

const resetLife = `${resetMinutes} minutes`

/** For `password_links l`, its `users u` and their `firms f`: the link works. */
const isLive = `l.expires_at > now() AND l.login_version = u.login_version AND u.status = 'active' AND f.local_passwords`

const columns = 'u.id, u.firm_id, u.email, u.name, u.status, u.login_version, f.local_passwords'

/** SQL of an INSERT that stores a link for the user `u`. It replaces the user's older link. */
function storeLink(hash: string, life: string, from: string): string {
  return `INSERT INTO password_links (user_id, hash, login_version, expires_at)
     SELECT u.id, ${hash}, u.login_version, now() + interval '${life}' FROM ${from}
     ON CONFLICT (user_id) DO UPDATE
        SET hash = excluded.hash, login_version = excluded.login_version, expires_at = excluded.expires_at
     RETURNING expires_at`
}

const Requested = Type.Object({
  /** `no_password`: the user logs in through an identity provider, and gets a mail that says so. */
  outcome: Type.Union([
    Type.Literal('mailed'),
    Type.Literal('no_password'),
    Type.Literal('unknown'),
    Type.Literal('throttled'),
  ]),
  user_id: Type.Union([Type.String(), Type.Null()]),
})
export type Requested = Static<typeof Requested>

/**
 * Stores a link for the user with this address, and the mail that brings it. For all others only the request is counted. A
 * source above its limit writes nothing for the account, so it cannot fill the table.
 *
 * $1 key of the source, $2 key of the account, $3 folded address, $4 SHA-256 of the secret in the link, $5 sealed link,
 * $6 language of the page, for users who have never logged in, $7 origin
 */
export const requestLink = statement(
  'request_link',
  Requested,
  `WITH source AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     VALUES ($1, 1, now() + interval '${resetLife}')
     ${counting}
   ), account AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     SELECT $2::bytea, 1, now() + interval '${resetLife}' FROM source WHERE count <= ${maxOfSource}
     ${counting}
   ), found AS (
     SELECT ${columns} FROM account, users u JOIN firms f ON f.id = u.firm_id
      WHERE account.count <= ${maxOfAccount} AND u.email_folded = $3 AND u.status = 'active'
   ), link AS (
     ${storeLink('$4::bytea', resetLife, 'found u WHERE u.local_passwords')}
   ), mail AS (
     ${mailRow('password_reset', {
       from: 'found u WHERE u.local_passwords',
       language: rememberedLanguage('$6::text'),
       facts: { link: '$5::text' },
       life: resetLife,
     })}
   ), other_mail AS (
     ${mailRow('no_password', {
       from: 'found u WHERE NOT u.local_passwords',
       language: rememberedLanguage('$6::text'),
       facts: {},
     })}
   ), recorded AS (
     ${userRecord('user.password_reset_requested', {
       origin: '$7',
       user: 'found',
       from: 'found',
       details: { local_passwords: 'found.local_passwords' },
     })}
   )
   SELECT CASE WHEN account.count IS NULL OR account.count > ${maxOfAccount} THEN 'throttled'
               WHEN found.id IS NULL THEN 'unknown'
               WHEN found.local_passwords THEN 'mailed'
               ELSE 'no_password' END AS outcome,
          found.id AS user_id
     FROM source LEFT JOIN account ON true LEFT JOIN found ON true`,
)

/**
 * Stores a link for a user whom the operator invites, and the mail that brings it. No row: the user does not exist.
 * $1 id or folded address, $2 SHA-256 of the secret in the link, $3 sealed link; null if no mail is sent, $4 origin
 */
export const inviteUser = statement(
  'invite_user',
  Type.Object({
    id: Type.String(),
    email: Type.String(),
    status: Type.String(),
    local_passwords: Type.Boolean(),
    /** Null: no link was stored, because the user may not have a password. */
    expires_at: Type.Union([Instant, Type.Null()]),
  }),
  `WITH found AS (
     SELECT ${columns} FROM users u JOIN firms f ON f.id = u.firm_id WHERE u.id = $1 OR u.email_folded = $1
   ), link AS (
     ${storeLink('$2::bytea', `${invitationDays} days`, `found u WHERE u.status = 'active' AND u.local_passwords`)}
   ), mail AS (
     ${mailRow('invitation', {
       from: 'found u, link WHERE $3::text IS NOT NULL',
       facts: { link: '$3::text', until: 'link.expires_at' },
     })}
   ), recorded AS (
     ${userRecord('user.invited', {
       origin: '$4',
       user: 'found',
       from: 'found, link',
       details: { mailed: '$3::text IS NOT NULL', expires_at: 'link.expires_at' },
     })}
   )
   SELECT found.id, found.email, found.status, found.local_passwords, link.expires_at
     FROM found LEFT JOIN link ON true`,
)

/** The user for whom a link works. $1 SHA-256 of the secret in the link */
export const findLink = statement(
  'find_link',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    has_second_factor: Type.Boolean(),
  }),
  `SELECT u.id, u.name, u.email, ${hasSecondFactor('u.id')} AS has_second_factor
     FROM password_links l JOIN users u ON u.id = l.user_id JOIN firms f ON f.id = u.firm_id
    WHERE l.hash = $1 AND ${isLive}`,
)

/**
 * Sets a password with a link, and ends the link and all sessions of the user. The lock on the user decides: the first use
 * changes `login_version`, and with it the link of all later ones no longer works. No row: the link does not work.
 *
 * $1 SHA-256 of the secret in the link, $2 the new password hash, $3 key of this browser's proof, $4 whether the user gets a
 * mail, $5 origin
 */
export const setPasswordByLink = statement(
  'set_password_by_link',
  Type.Object({ proof: Type.String() }),
  `WITH changed AS (
     UPDATE users u SET password_hash = $2, login_version = gen_random_uuid() FROM password_links l, firms f
      WHERE l.hash = $1 AND u.id = l.user_id AND f.id = u.firm_id AND ${isLive}
     RETURNING u.id, u.firm_id, u.login_version
   ), used AS (
     DELETE FROM password_links l USING changed WHERE l.user_id = changed.id
   ), ended AS (
     DELETE FROM sessions s USING changed WHERE s.user_id = changed.id RETURNING 1
   ), mail AS (
     ${mailRow('password_changed', {
       from: 'changed JOIN users u USING (id) WHERE $4::boolean',
       facts: { by: `'link'`, at: 'now()' },
     })}
   ), recorded AS (
     ${userRecord('user.password_set', {
       origin: '$5',
       user: 'changed',
       from: 'changed',
       details: { by: `'link'`, sessions_ended: '(SELECT count(*) FROM ended)' },
     })}
   )
   SELECT ${browserProof('$3', 'login_version')} AS proof FROM changed`,
)
