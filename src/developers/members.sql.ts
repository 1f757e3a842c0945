import { auditRow } from '../audit/audit-row.sql.ts'
import { Instant, statement } from '../database/database.ts'
import { DeveloperRole } from '../developer-keys/roles.ts'
import { counting } from '../login/login.sql.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import { linkLife, storeLink } from '../people/links.sql.ts'
import Type, { orNull, type Static } from '../typebox.ts'

/** Invitations that the administrators of an application can send in a day. Each is a mail to an address of their choice. */
const invitationsPerDay = 30

/** Whether the developer `d` has set up the account: with a password, or through an identity provider. */
const isSetUp = `(d.password_hash IS NOT NULL OR EXISTS (SELECT FROM developer_identities i WHERE i.developer_id = d.id))`

/**
 * Makes someone a developer of an application. For an address without an account it stores one. A link is stored only for an
 * account that is not set up: for an operator always, for an administrator of an application if no link works. An administrator
 * would otherwise end the link that someone else has sent. An account that exists keeps its name.
 *
 * $1 client_id, $2 email, $3 the same, folded, $4 name, $5 role, $6 SHA-256 of the secret in the link, $7 sealed link; null if
 * no mail is sent, $8 key of the count of invitations; null for an operator, $9 origin
 */
export const inviteMember = statement(
  'invite_developer',
  /** No row: there is no such application. */
  Type.Object({
    /** Null: too many invitations. Nothing was changed. */
    developer_id: orNull(Type.String()),
    /** The developer was a member before. The role stays. */
    was_member: Type.Boolean(),
    is_set_up: orNull(Type.Boolean()),
    /** Until when the link works. Null: no link was stored. */
    link_expires_at: orNull(Instant),
  }),
  `WITH counted AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     SELECT $8::bytea, 1, now() + interval '1 day' WHERE $8::bytea IS NOT NULL
     ${counting}
   ), partner AS (
     SELECT client_id, name FROM partners
      WHERE client_id = $1 AND coalesce((SELECT count FROM counted), 0) <= ${invitationsPerDay}
   ), person AS (
     INSERT INTO developers AS d (email, email_folded, name) SELECT $2, $3, $4 FROM partner
     ON CONFLICT (email_folded) DO UPDATE SET email_folded = excluded.email_folded -- returns the account that exists
     RETURNING d.id, d.email, d.name, ${isSetUp} AS is_set_up,
               EXISTS (SELECT FROM developer_links l WHERE l.developer_id = d.id AND l.expires_at > now()) AS has_link
   ), member AS (
     INSERT INTO developer_memberships (developer_id, client_id, role) SELECT person.id, $1, $5 FROM person
     ON CONFLICT DO NOTHING RETURNING developer_id
   ), invited AS (
     SELECT person.id, email, name FROM person WHERE NOT is_set_up AND ($8::bytea IS NULL OR NOT has_link)
   ), link AS (
     ${storeLink('developer', '$6::bytea', 'invited')}
   ), invitation AS (
     ${mailRow('developer_invited', {
       from: `invited u, partner, link WHERE $7::text IS NOT NULL`,
       language: `'en'`,
       facts: { partner: 'partner.name', link: '$7::text', until: 'link.expires_at' },
       life: linkLife.developer,
     })}
   ), notice AS (
     ${mailRow('developer_added', {
       from: `person u, partner, member WHERE $7::text IS NOT NULL AND NOT EXISTS (SELECT FROM invited)`,
       language: `'en'`,
       facts: { partner: 'partner.name' },
     })}
   ), audit AS (
     ${auditRow('developer.invited', {
       origin: '$9',
       from: 'member JOIN person ON person.id = developer_id',
       target: { kind: 'developer', id: 'person.id' },
       about: { client: '$1' },
       details: { email: 'person.email', role: '$5::text' },
     })}
   )
   SELECT (SELECT id::text FROM person) AS developer_id, NOT EXISTS (SELECT FROM member) AS was_member,
          (SELECT is_set_up FROM person) AS is_set_up, (SELECT expires_at FROM link) AS link_expires_at
     FROM partners WHERE client_id = $1`,
)

/** The administrators of $1 who have seen the application, locked: of two statements that take the last two away, one waits. */
const admins = `SELECT m.developer_id FROM developer_memberships m JOIN developers d ON d.id = m.developer_id
      WHERE m.client_id = $1 AND m.role = 'admin' AND m.last_seen_at IS NOT NULL AND d.status = 'active'
      ORDER BY m.developer_id FOR UPDATE OF m`

const isLastAdmin = `(found.developer_id IN (SELECT developer_id FROM admins) AND (SELECT count(*) FROM admins) = 1)`

/**
 * SQL: locks the member, after the administrators. Without this order, two administrators who remove each other at the same
 * moment would deadlock. The condition on `admins` is always true: it makes PostgreSQL lock them first.
 */
const found = `SELECT m.developer_id, m.role, d.email FROM developer_memberships m JOIN developers d ON d.id = m.developer_id
      WHERE m.client_id = $1 AND (d.id::text = $2 OR d.email_folded = $2) AND (SELECT count(*) FROM admins) >= 0
        FOR UPDATE OF m`

const Changed = Type.Object({
  developer_id: Type.String(),
  /** Nothing was changed: only an operator takes the last administrator away. */
  last_admin: Type.Boolean(),
})

/**
 * Changes what a developer may do with an application. $1 client_id, $2 id or folded address of the developer, $3 role,
 * $4 whether an operator does it, $5 origin. No row: the developer is not a member.
 */
export const updateMember = statement(
  'update_developer_membership',
  Changed,
  `WITH admins AS (
     ${admins}
   ), found AS (
     ${found}
   ), changed AS (
     UPDATE developer_memberships m SET role = $3 FROM found
      WHERE m.client_id = $1 AND m.developer_id = found.developer_id AND ($4 OR $3 = 'admin' OR NOT ${isLastAdmin})
     RETURNING m.developer_id
   ), audit AS (
     ${auditRow('developer.updated', {
       origin: '$5',
       from: 'changed JOIN found USING (developer_id)',
       target: { kind: 'developer', id: 'developer_id' },
       about: { client: '$1' },
       details: {
         email: 'found.email',
         before: `jsonb_build_object('role', found.role)`,
         after: `jsonb_build_object('role', $3::text)`,
       },
     })}
   )
   SELECT developer_id::text, NOT EXISTS (SELECT FROM changed) AS last_admin FROM found`,
)

/**
 * Removes a developer from an application. The account stays. The link of an account that no application needs any longer ends.
 * $1 client_id, $2 id or folded address of the developer, $3 whether an operator does it, $4 origin. No row: not a member.
 */
export const deleteMember = statement(
  'delete_developer_membership',
  Changed,
  `WITH admins AS (
     ${admins}
   ), found AS (
     ${found}
   ), gone AS (
     DELETE FROM developer_memberships m USING found
      WHERE m.client_id = $1 AND m.developer_id = found.developer_id AND ($3 OR NOT ${isLastAdmin})
     RETURNING m.developer_id
   ), withdrawn AS (
     DELETE FROM developer_links l USING gone, developers d
      WHERE l.developer_id = gone.developer_id AND d.id = gone.developer_id AND NOT ${isSetUp}
        AND NOT EXISTS (SELECT FROM developer_memberships o WHERE o.developer_id = gone.developer_id AND o.client_id <> $1)
   ), audit AS (
     ${auditRow('developer.removed', {
       origin: '$4',
       from: 'gone JOIN found USING (developer_id)',
       target: { kind: 'developer', id: 'developer_id' },
       about: { client: '$1' },
       details: { email: 'found.email', role: 'found.role' },
     })}
   )
   SELECT developer_id::text, NOT EXISTS (SELECT FROM gone) AS last_admin FROM found`,
)

const Member = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: orNull(Type.String()),
  role: DeveloperRole,
  /** `invited`: the developer has not opened the application yet. */
  status: Type.Union([Type.Literal('invited'), Type.Literal('active'), Type.Literal('disabled')]),
  invited_at: Instant,
  last_seen_at: orNull(Instant),
})
export type Member = Static<typeof Member>

/**
 * The developers of an application, in the order of their addresses. Until someone has opened the application, the list says
 * what the inviter has typed and nothing else: whether the address had an account before, and its name, belong to others.
 * $1 client_id
 */
export const membersOf = statement(
  'developers_of_partner',
  Member,
  `SELECT d.id::text, CASE WHEN m.last_seen_at IS NULL THEN d.email_folded ELSE d.email END AS email,
          CASE WHEN m.last_seen_at IS NOT NULL THEN d.name END AS name, m.role,
          CASE WHEN m.last_seen_at IS NULL THEN 'invited' ELSE d.status END AS status,
          m.created_at AS invited_at, m.last_seen_at
     FROM developer_memberships m JOIN developers d ON d.id = m.developer_id
    WHERE m.client_id = $1 ORDER BY d.email_folded`,
)
