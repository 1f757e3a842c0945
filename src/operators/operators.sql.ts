import { auditRow } from '../audit/audit-row.sql.ts'
import { Instant, statement } from '../database/database.ts'
import { isNamed, mailLink, storeLink } from '../people/links.sql.ts'
import Type, { orNull, type Static } from '../typebox.ts'
import { Role } from './sessions.sql.ts'

/**
 * Stores an operator, and a link to set up the account, unless the address belongs to another.
 * $1 email, $2 the same, folded, $3 name, $4 role, $5 SHA-256 of the secret in the link, $6 sealed link; null if no mail is
 * sent, $7 origin
 */
export const insertOperator = statement(
  'insert_operator',
  /** No row: the address belongs to another operator. */
  Type.Object({ id: Type.String(), expires_at: Instant }),
  `WITH created AS (
     INSERT INTO operators (email, email_folded, name, role) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING id, email, name, role
   ), link AS (
     ${storeLink('operator', '$5::bytea', 'created')}
   ), mail AS (
     ${mailLink('operator', 'created', '$6')}
   ), audit AS (
     ${auditRow('operator.created', {
       origin: '$7',
       from: 'created',
       target: { kind: 'operator', id: 'created.id' },
       details: { email: 'created.email', name: 'created.name', role: 'created.role' },
     })}
   )
   SELECT created.id::text, link.expires_at FROM created, link`,
)

/** Locks the active owners: of two statements that take the last two away, the second sees that only one is left. */
const owners = `SELECT id FROM operators WHERE role = 'owner' AND status = 'active' ORDER BY id FOR UPDATE`

const isLastOwner = `(found.id IN (SELECT id FROM owners) AND (SELECT count(*) FROM owners) = 1)`

/**
 * Changes an operator. A change of the role or the status ends the operator's sessions.
 * $1 id or folded address, $2 name, $3 role, $4 status, $5 email, $6 the same, folded; null keeps each, $7 origin
 */
export const updateOperator = statement(
  'update_operator',
  /** No row: there is no such operator. */
  Type.Object({
    id: Type.String(),
    last_owner: Type.Boolean(),
    email_taken: Type.Boolean(),
    sessions_ended: Type.Integer(),
  }),
  `WITH owners AS (
     ${owners}
   ), found AS (
     SELECT id, email, name, role, status, coalesce($3, role) <> role OR coalesce($4, status) <> status AS ends_sessions
       FROM operators WHERE ${isNamed} FOR UPDATE
   ), verdict AS (
     SELECT ${isLastOwner} AND (coalesce($3, found.role) <> 'owner' OR coalesce($4, found.status) <> 'active') AS last_owner,
            EXISTS (SELECT FROM operators o WHERE o.email_folded = $6 AND o.id <> found.id) AS email_taken
       FROM found
   ), changed AS (
     UPDATE operators o
        SET name = coalesce($2, o.name), role = coalesce($3, o.role), status = coalesce($4, o.status),
            email = coalesce($5, o.email), email_folded = coalesce($6, o.email_folded),
            login_version = CASE WHEN found.ends_sessions THEN gen_random_uuid() ELSE o.login_version END
       FROM found, verdict WHERE o.id = found.id AND NOT verdict.last_owner AND NOT verdict.email_taken
     RETURNING o.id, o.email, o.name, o.role, o.status
   ), ended AS (
     DELETE FROM operator_sessions s USING changed, found
      WHERE s.operator_id = changed.id AND found.ends_sessions RETURNING 1
   ), withdrawn AS (
     DELETE FROM operator_links l USING changed, found
      WHERE l.operator_id = changed.id AND changed.email <> found.email -- it was mailed to the old address
   ), audit AS (
     ${auditRow('operator.updated', {
       origin: '$7',
       from: 'changed JOIN found USING (id)',
       target: { kind: 'operator', id: 'changed.id' },
       details: {
         before: `jsonb_build_object('email', found.email, 'name', found.name, 'role', found.role, 'status', found.status)`,
         after: `jsonb_build_object('email', changed.email, 'name', changed.name, 'role', changed.role, 'status', changed.status)`,
       },
     })}
   )
   SELECT found.id::text, last_owner, email_taken, (SELECT count(*)::int FROM ended) AS sessions_ended FROM found, verdict`,
)

/** Removes an operator with sessions, factors and links. $1 id or folded address, $2 origin. No row: there is none. */
export const deleteOperator = statement(
  'delete_operator',
  Type.Object({ id: Type.String(), last_owner: Type.Boolean() }),
  `WITH owners AS (
     ${owners}
   ), found AS (
     SELECT id, email, name, role FROM operators WHERE ${isNamed} FOR UPDATE
   ), gone AS (
     DELETE FROM operators o USING found WHERE o.id = found.id AND NOT ${isLastOwner} RETURNING o.id
   ), audit AS (
     ${auditRow('operator.removed', {
       origin: '$2',
       from: 'gone JOIN found USING (id)',
       target: { kind: 'operator', id: 'gone.id' },
       details: { email: 'found.email', name: 'found.name', role: 'found.role' },
     })}
   )
   SELECT id::text, NOT EXISTS (SELECT FROM gone) AS last_owner FROM found`,
)

const ListedOperator = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  status: Type.Union([Type.Literal('active'), Type.Literal('disabled')]),
  has_password: Type.Boolean(),
  has_totp: Type.Boolean(),
  /** Ids of the providers through which the operator has logged in. */
  providers: Type.Array(Type.String()),
  live_sessions: Type.Integer(),
  created_at: Instant,
  last_login_at: orNull(Instant),
  /** Until when a link to set up the account works. */
  link_expires_at: orNull(Instant),
})
export type ListedOperator = Static<typeof ListedOperator>

/** $1 id or folded address of an operator, or null for all */
export const listOperators = statement(
  'list_operators',
  ListedOperator,
  `SELECT o.id::text, o.email, o.name, o.role, o.status, o.password_hash IS NOT NULL AS has_password,
          EXISTS (SELECT FROM operator_totp_secrets t WHERE t.operator_id = o.id) AS has_totp,
          ARRAY(SELECT i.provider_id FROM operator_identities i WHERE i.operator_id = o.id ORDER BY 1) AS providers,
          (SELECT count(*)::int FROM operator_sessions s
            WHERE s.operator_id = o.id AND s.expires_at > now() AND s.login_version = o.login_version) AS live_sessions,
          o.created_at, o.last_login_at,
          (SELECT l.expires_at FROM operator_links l WHERE l.operator_id = o.id AND l.expires_at > now()) AS link_expires_at
     FROM operators o WHERE $1::text IS NULL OR o.id::text = $1 OR o.email_folded = $1
    ORDER BY o.status, o.role, o.email_folded`,
)
