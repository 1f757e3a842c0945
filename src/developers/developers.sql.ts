import { auditRow } from '../audit/audit-row.sql.ts'
import { Instant, statement } from '../database/database.ts'
import { DeveloperRole } from '../developer-keys/roles.ts'
import { isNamed } from '../people/links.sql.ts'
import Type, { orNull, type Static } from '../typebox.ts'

/**
 * Changes the account of a developer. A change of the status ends the sessions. A new address ends the link that was mailed to
 * the old one. $1 id or folded address, $2 name, $3 status, $4 email, $5 the same, folded; null keeps each, $6 origin
 */
export const updateDeveloper = statement(
  'update_developer',
  /** No row: there is no such developer. */
  Type.Object({ id: Type.String(), email_taken: Type.Boolean(), sessions_ended: Type.Integer() }),
  `WITH found AS (
     SELECT id, email, name, status, coalesce($3, status) <> status AS ends_sessions,
            EXISTS (SELECT FROM developers o WHERE o.email_folded = $5 AND o.id <> d.id) AS email_taken
       FROM developers d WHERE ${isNamed} FOR UPDATE
   ), changed AS (
     UPDATE developers d
        SET name = coalesce($2, d.name), status = coalesce($3, d.status),
            email = coalesce($4, d.email), email_folded = coalesce($5, d.email_folded),
            login_version = CASE WHEN found.ends_sessions THEN gen_random_uuid() ELSE d.login_version END
       FROM found WHERE d.id = found.id AND NOT found.email_taken
     RETURNING d.id, d.email, d.name, d.status
   ), ended AS (
     DELETE FROM developer_sessions s USING changed, found
      WHERE s.developer_id = changed.id AND found.ends_sessions RETURNING 1
   ), withdrawn AS (
     DELETE FROM developer_links l USING changed, found
      WHERE l.developer_id = changed.id AND changed.email <> found.email
   ), audit AS (
     ${auditRow('developer.updated', {
       origin: '$6',
       from: 'changed JOIN found USING (id)',
       target: { kind: 'developer', id: 'changed.id' },
       details: {
         before: `jsonb_build_object('email', found.email, 'name', found.name, 'status', found.status)`,
         after: `jsonb_build_object('email', changed.email, 'name', changed.name, 'status', changed.status)`,
       },
     })}
   )
   SELECT id::text, email_taken, (SELECT count(*)::int FROM ended) AS sessions_ended FROM found`,
)

/** Removes the account of a developer with memberships, sessions, factors and links. $1 id or folded address, $2 origin */
export const deleteDeveloper = statement(
  'delete_developer',
  /** No row: there is none. */
  Type.Object({ id: Type.String() }),
  `WITH gone AS (
     DELETE FROM developers WHERE ${isNamed} RETURNING id, email, name
   ), audit AS (
     ${auditRow('developer.removed', {
       origin: '$2',
       from: 'gone',
       target: { kind: 'developer', id: 'gone.id' },
       details: { email: 'gone.email', name: 'gone.name' },
     })}
   )
   SELECT id::text FROM gone`,
)

const Membership = Type.Object({ client_id: Type.String(), role: DeveloperRole })

const ListedDeveloper = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('disabled')]),
  partners: Type.Array(Membership),
  has_password: Type.Boolean(),
  /** Ids of the providers through which the developer has logged in. */
  providers: Type.Array(Type.String()),
  created_at: Instant,
  last_login_at: orNull(Instant),
  /** Until when a link to set up the account works. */
  link_expires_at: orNull(Instant),
})
export type ListedDeveloper = Static<typeof ListedDeveloper>

/** $1 client_id, or null for the developers of all applications */
export const listDevelopers = statement(
  'list_developers',
  ListedDeveloper,
  `SELECT d.id::text, d.email, d.name, d.status,
          (SELECT coalesce(jsonb_agg(jsonb_build_object('client_id', m.client_id, 'role', m.role) ORDER BY m.client_id), '[]')
             FROM developer_memberships m WHERE m.developer_id = d.id) AS partners,
          d.password_hash IS NOT NULL AS has_password,
          ARRAY(SELECT i.provider_id FROM developer_identities i WHERE i.developer_id = d.id ORDER BY 1) AS providers,
          d.created_at, d.last_login_at,
          (SELECT l.expires_at FROM developer_links l WHERE l.developer_id = d.id AND l.expires_at > now()) AS link_expires_at
     FROM developers d
    WHERE $1::text IS NULL OR EXISTS (SELECT FROM developer_memberships m WHERE m.developer_id = d.id AND m.client_id = $1)
    ORDER BY d.email_folded`,
)
