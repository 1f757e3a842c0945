import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

const Rows = Type.Array(Type.Unknown())

/** SQL: a JSON array of the rows of a query, in its order. */
const rowsOf = (query: string) => `(SELECT coalesce(json_agg(entry), '[]') FROM (${query}) AS entry)`

/** Rows of each log in an export. */
const mostLogRows = 100_000

const log = (query: string) => rowsOf(`${query} LIMIT ${mostLogRows}`)

/**
 * Everything that Latchkey has about a user, except what is secret or has no meaning outside: hashes, keys, tokens. The logs
 * have at most `mostLogRows` rows of each kind, the newest first. $1 user id or folded email. No row: the user does not exist.
 */
export const exportPerson = statement(
  'export_person',
  Type.Object({
    user: Type.Unknown(),
    sessions: Rows,
    identities: Rows,
    passkeys: Rows,
    account_access: Rows,
    grants: Rows,
    audit: Rows,
    reads: Rows,
    requests: Rows,
  }),
  `WITH person AS (SELECT * FROM users u WHERE u.id = $1 OR u.email_folded = $1)
   SELECT json_build_object('id', u.id, 'firm_id', u.firm_id, 'email', u.email, 'name', u.name, 'role', u.role, 'status', u.status,
                            'disabled_by_operator_at', u.disabled_by_operator_at, 'has_password', u.password_hash IS NOT NULL,
                            'has_authenticator_app', EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = u.id)) AS user,
          ${rowsOf('SELECT s.auth_time, s.expires_at FROM sessions s WHERE s.user_id = u.id ORDER BY s.auth_time')} AS sessions,
          ${rowsOf('SELECT i.provider_id, i.sub, i.linked_at, i.last_login_at FROM identities i WHERE i.user_id = u.id ORDER BY i.provider_id')} AS identities,
          ${rowsOf('SELECT k.name, k.created_at, k.last_used_at FROM passkeys k WHERE k.user_id = u.id ORDER BY k.created_at')} AS passkeys,
          ${rowsOf('SELECT x.account_id, x.household_id FROM account_access x WHERE x.user_id = u.id ORDER BY x.household_id, x.account_id')}
            AS account_access,
          ${rowsOf(`SELECT g.id, g.client_id, p.name AS partner_name, g.subject, g.created_at, g.last_used_at, g.expires_at, g.revoked_at,
                           g.revoked_by
                      FROM grants g JOIN partners p USING (client_id) WHERE g.user_id = u.id ORDER BY g.id`)} AS grants,
          ${log(`SELECT a.at, a.event, a.actor_kind, a.actor_id, a.via, a.address, a.user_agent, a.request_id, a.target_kind, a.target_id,
                        a.client_id, a.details
                   FROM audit_log a WHERE a.user_id = u.id OR (a.actor_kind = 'user' AND a.actor_id = u.id) ORDER BY a.at DESC`)} AS audit,
          ${log(`SELECT iso_date(l.day) AS day, n.grant_id, n.client_id, n.partner_name, l.reads,
                        (SELECT json_agg(h.household_id ORDER BY h.number)
                           FROM unnest(l.households) AS part, household_numbers h
                          WHERE h.number >= lower(part) AND h.number < upper(part)) AS households
                   FROM read_log_grants n JOIN read_log l ON l.grant_id = n.grant_id
                  WHERE n.user_id = u.id ORDER BY l.day DESC, n.grant_id DESC, l.reads`)} AS reads,
          ${log(`SELECT l.at, l.request_id, g.client_id, l.grant_id, k.method, k.route, l.status, k.code, k.outcome, l.ms
                   FROM grants g JOIN request_log l ON l.grant_id = g.id JOIN request_kinds k ON k.id = l.kind_id
                  WHERE g.user_id = u.id ORDER BY l.at DESC`)} AS requests
     FROM person u`,
)

/**
 * Erases a disabled user: the row with all that depends on it (sessions, factors, identities, grants, connections), access
 * rows, and mails that wait. The read log keeps a pseudonym. The audit log stays: it is append-only, and has the record of the
 * erasure.
 *
 * $1 user id or folded email, $2 pseudonym, $3 origin. No row: the user does not exist
 */
export const erasePerson = statement(
  'erase_person',
  Type.Object({
    id: Type.String(),
    erased: Type.Boolean(),
    grants: Type.Integer(),
    sessions: Type.Integer(),
    account_access: Type.Integer(),
  }),
  `WITH person AS (
     SELECT * FROM users u WHERE u.id = $1 OR u.email_folded = $1 FOR UPDATE
   ), gone AS (
     DELETE FROM users u USING person WHERE u.id = person.id AND u.status = 'disabled' RETURNING u.id, u.firm_id
   ), facts AS (
     SELECT person.id, gone.id IS NOT NULL AS erased,
            (SELECT count(*)::int FROM grants g WHERE g.user_id = gone.id) AS grants,
            (SELECT count(*)::int FROM sessions s WHERE s.user_id = gone.id) AS sessions,
            (SELECT count(*)::int FROM account_access x WHERE x.user_id = gone.id) AS account_access
       FROM person LEFT JOIN gone ON true
   ), access AS (
     DELETE FROM account_access x USING gone WHERE x.user_id = gone.id
   ), mail AS (
     DELETE FROM outbox o USING person JOIN gone USING (id) WHERE o.kind = 'mail' AND o.payload->>'to' = person.email
   ), reader AS (
     UPDATE read_log_grants n SET user_id = $2 FROM gone WHERE n.user_id = gone.id
   ), record AS (
     ${auditRow('person.erased', {
       origin: '$3',
       from: 'gone JOIN facts ON facts.erased',
       target: { kind: 'user', id: 'gone.id' },
       about: { user: 'gone.id', firm: 'gone.firm_id' },
       details: {
         grants: 'facts.grants',
         sessions: 'facts.sessions',
         account_access: 'facts.account_access',
       },
     })}
   )
   SELECT * FROM facts`,
)

/** Records that the data of a person were exported. $1 user id, $2 origin */
export const recordExport = statement(
  'record_person_export',
  Type.Object({}),
  `WITH record AS (
     ${auditRow('person.exported', {
       origin: '$2',
       from: 'users u WHERE u.id = $1 OR u.email_folded = $1',
       target: { kind: 'user', id: 'u.id' },
       about: { user: 'u.id', firm: 'u.firm_id' },
     })}
   )
   SELECT`,
)
