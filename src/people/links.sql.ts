import { auditRow } from '../audit/audit-row.sql.ts'
import { Instant, statement } from '../database/database.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import Type from '../typebox.ts'
import { forEachKind, type PeopleKind } from './kind.ts'

/**
 * The time for which a link to set up an account works. Operators get theirs from a colleague, developers from another company.
 */
export const linkLife = { operator: '24 hours', developer: '7 days' } as const

/**
 * SQL of an INSERT that stores a link for the person of each row of `from`. It replaces the person's older link.
 * @param hash SQL of the SHA-256 of the secret in the link
 */
export function storeLink(kind: PeopleKind, hash: string, from: string): string {
  return `INSERT INTO ${kind}_links (${kind}_id, hash, expires_at)
     SELECT id, ${hash}, now() + interval '${linkLife[kind]}' FROM ${from}
     ON CONFLICT (${kind}_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at
     RETURNING expires_at`
}

/** SQL that mails the link of the row of `from`, with the CTE `link`. @param sealed the sealed link; null if no mail is sent */
export function mailLink(kind: PeopleKind, from: string, sealed: string): string {
  return mailRow('invitation', {
    from: `${from} u, link WHERE ${sealed}::text IS NOT NULL`,
    language: `'en'`,
    facts: { link: `${sealed}::text`, until: 'link.expires_at' },
    life: linkLife[kind],
  })
}

/** For $1: the id of a person, or the folded address. */
export const isNamed = `(id::text = $1 OR email_folded = $1)`

/**
 * Takes the password, the second factor and the accounts at providers away from a person, ends the sessions, and stores a new
 * link. $1 id or folded address, $2 SHA-256 of the secret in the link, $3 sealed link; null if no mail is sent, $4 origin
 */
const resetStatement = (kind: PeopleKind) =>
  statement(
    `reset_${kind}`,
    /** No row: there is no such person. */
    Type.Object({
      id: Type.String(),
      email: Type.String(),
      status: Type.String(),
      expires_at: Instant,
      sessions_ended: Type.Integer(),
    }),
    `WITH changed AS (
     UPDATE ${kind}s SET password_hash = NULL, login_version = gen_random_uuid() WHERE ${isNamed}
     RETURNING id, email, name, status
   ), totp AS (
     DELETE FROM ${kind}_totp_secrets t USING changed WHERE t.${kind}_id = changed.id
   ), codes AS (
     DELETE FROM ${kind}_recovery_codes c USING changed WHERE c.${kind}_id = changed.id
   ), identities AS (
     DELETE FROM ${kind}_identities i USING changed WHERE i.${kind}_id = changed.id
   ), ended AS (
     DELETE FROM ${kind}_sessions s USING changed WHERE s.${kind}_id = changed.id RETURNING 1
   ), link AS (
     ${storeLink(kind, '$2::bytea', 'changed')}
   ), mail AS (
     ${mailLink(kind, 'changed', '$3')}
   ), audit AS (
     ${auditRow(`${kind}.updated`, {
       origin: '$4',
       from: 'changed',
       target: { kind, id: 'changed.id' },
       details: { credentials: `'reset'::text` },
     })}
   )
   SELECT changed.id::text, changed.email, changed.status, link.expires_at,
          (SELECT count(*)::int FROM ended) AS sessions_ended
     FROM changed, link`,
  )

/** Ends the credentials of an account and stores a new setup link: see `resetStatement`. */
export const resetCredentialsOf = forEachKind(resetStatement)
