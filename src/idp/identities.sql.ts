import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** SQL that takes back the count of a callback (`admitCallback`), if `succeeded` has a row. `key` is the key of the source. */
const forgiven = (key: string, succeeded: string) => `forgiven AS (
     UPDATE login_failures SET count = count - 1 WHERE key = ${key} AND EXISTS (SELECT FROM ${succeeded})
   )`

/**
 * The user to whom an account at a provider is linked. Neither an address nor another claim matters. Records the login.
 * $1 id of the provider, $2 `sub`, $3 key of the source of the callback. No row: the account is not linked.
 */
export const findIdentity = statement(
  'find_identity',
  Type.Object({
    user_id: Type.String(),
    email: Type.String(),
    login_version: Type.String(),
    /** Whether the user is active, and of a firm whose users may log in through the provider. */
    may_log_in: Type.Boolean(),
  }),
  `WITH found AS (
     SELECT i.provider_id, i.sub, u.id AS user_id, u.email, u.login_version,
            u.status = 'active' AND (p.firms = '{}' OR u.firm_id = ANY (p.firms)) AS may_log_in
       FROM identities i JOIN users u ON u.id = i.user_id JOIN identity_providers p ON p.id = i.provider_id
      WHERE i.provider_id = $1 AND i.sub = $2
   ), seen AS (
     UPDATE identities i SET last_login_at = now() FROM found
      WHERE i.provider_id = found.provider_id AND i.sub = found.sub AND found.may_log_in
     RETURNING 1
   ), ${forgiven('$3', 'seen')}
   SELECT user_id, email, login_version, may_log_in FROM found`,
)

/** SQL: the provider `p` has no domains, or the address is in one of them. */
export const isInDomains = (email: string) =>
  `(NOT EXISTS (SELECT FROM identity_provider_domains d WHERE d.provider_id = p.id)
      OR EXISTS (SELECT FROM identity_provider_domains d
                  WHERE d.provider_id = p.id AND d.domain = split_part(${email}, '@', 2)))`

/**
 * Links an account at a provider to the user whom its claim names, at the first login. A provider with firms or domains links
 * users of these only: it must not speak for the users of others. It does not write users: it runs while an import locks them.
 *
 * Each account has one user, and each user one account at the provider: of two first logins at the same time, one links. The
 * other gets `taken` or `unmatched`, and looks for the identity again.
 *
 * $1 id of the provider, $2 `sub`, $3 folded email address of the user or null, $4 id of the user or null, $5 key of the source
 * of the callback, $6 origin
 */
export const linkIdentity = statement(
  'link_identity',
  Type.Object({
    outcome: Type.Union([
      Type.Literal('linked'),
      Type.Literal('unmatched'),
      Type.Literal('inactive'),
      /** Another account is linked to the user, or another user to the account. */
      Type.Literal('taken'),
    ]),
    user_id: Type.Union([Type.String(), Type.Null()]),
    email: Type.Union([Type.String(), Type.Null()]),
    login_version: Type.Union([Type.String(), Type.Null()]),
  }),
  `WITH candidate AS (
     SELECT u.id, u.email, u.login_version, u.status = 'active' AS active
       FROM identity_providers p, users u
      WHERE p.id = $1 AND (u.email_folded = $3 OR u.id = $4)
        AND (p.firms = '{}' OR u.firm_id = ANY (p.firms)) AND ${isInDomains('u.email_folded')}
   ), linked AS (
     INSERT INTO identities (provider_id, sub, user_id, last_login_at)
     SELECT $1, $2, id, now() FROM candidate WHERE active
         ON CONFLICT DO NOTHING
     RETURNING user_id
   ), ${forgiven('$5', 'linked')}, recorded AS (
     ${auditRow('user.identity_bound', {
       origin: '$6',
       from: 'linked',
       target: { kind: 'user', id: 'linked.user_id' },
       about: { user: 'linked.user_id' },
       details: { provider: '$1::text', sub: '$2::text', by: `'claim'` },
     })}
   )
   SELECT CASE WHEN candidate.id IS NULL THEN 'unmatched' WHEN NOT candidate.active THEN 'inactive'
               WHEN linked.user_id IS NULL THEN 'taken' ELSE 'linked' END AS outcome,
          candidate.id AS user_id, candidate.email, candidate.login_version
     FROM (SELECT) AS one LEFT JOIN candidate ON true LEFT JOIN linked ON linked.user_id = candidate.id`,
)

/**
 * Creates the user of an account at a provider, and links them, if the operator has allowed it and no user has the claim's
 * value or the new user's address. It waits for an import, which locks the users until it ends. No row: no user was created.
 *
 * $1 id of the provider, $2 `sub`, $3 folded email address of the claim or null, $4 id of the claim or null, $5 key of the
 * source of the callback, $6 id of the new user, $7 email address of the new user, $8 the same, folded, $9 name of the new
 * user, $10 origin
 */
export const createLinkedUser = statement(
  'create_linked_user',
  Type.Object({ user_id: Type.String(), email: Type.String(), login_version: Type.String() }),
  `WITH created AS (
     INSERT INTO users (id, firm_id, email, email_folded, name, role, status, source)
     SELECT $6, p.creates_firm, $7, $8, $9, p.creates_role, 'active', 'login' FROM identity_providers p
      WHERE p.id = $1 AND p.creates_firm IS NOT NULL AND p.creates_role IS NOT NULL AND ${isInDomains('$8::text')}
        AND NOT EXISTS (SELECT FROM users u WHERE u.email_folded IN ($3, $8) OR u.id IN ($4, $6))
         ON CONFLICT DO NOTHING
     RETURNING id, email, login_version
   ), linked AS (
     INSERT INTO identities (provider_id, sub, user_id, last_login_at)
     SELECT $1, $2, id, now() FROM created
         ON CONFLICT DO NOTHING
     RETURNING user_id
   ), ${forgiven('$5', 'linked')}, recorded AS (
     ${auditRow(['user.created', 'user.identity_bound'], {
       origin: '$10',
       from: 'linked',
       target: { kind: 'user', id: 'linked.user_id' },
       about: { user: 'linked.user_id' },
       details: { provider: '$1::text', sub: '$2::text', email: '$7::text', name: '$9::text' },
     })}
   )
   SELECT user_id, email, login_version FROM created JOIN linked ON user_id = id`,
)

/**
 * Links an account to a user because the operator says so. $1 id of the provider, $2 `sub`, $3 id or folded email of the user,
 * $4 origin
 */
export const linkByOperator = statement(
  'link_by_operator',
  Type.Object({
    provider_exists: Type.Boolean(),
    user_id: Type.Union([Type.String(), Type.Null()]),
    linked: Type.Boolean(),
  }),
  `WITH named AS (
     SELECT id FROM users WHERE id = $3 OR email_folded = $3
   ), linked AS (
     INSERT INTO identities (provider_id, sub, user_id)
     SELECT p.id, $2, named.id FROM identity_providers p, named WHERE p.id = $1
         ON CONFLICT DO NOTHING
     RETURNING user_id
   ), recorded AS (
     ${auditRow('user.identity_bound', {
       origin: '$4',
       from: 'linked',
       target: { kind: 'user', id: 'linked.user_id' },
       about: { user: 'linked.user_id' },
       details: { provider: '$1::text', sub: '$2::text', by: `'operator'` },
     })}
   )
   SELECT EXISTS (SELECT FROM identity_providers WHERE id = $1) AS provider_exists, (SELECT id FROM named) AS user_id,
          EXISTS (SELECT FROM linked) AS linked`,
)

/**
 * Removes the link of a user, and ends the sessions that the provider opened for the user.
 * $1 id of the provider, $2 id or folded email of the user, $3 origin. No row: there is no link.
 */
export const unlinkByOperator = statement(
  'unlink_by_operator',
  Type.Object({ user_id: Type.String(), sub: Type.String(), sessions_ended: Type.Integer() }),
  `WITH gone AS (
     DELETE FROM identities i USING users u
      WHERE i.provider_id = $1 AND i.user_id = u.id AND (u.id = $2 OR u.email_folded = $2)
     RETURNING i.user_id, i.sub
   ), ended AS (
     DELETE FROM sessions s USING gone WHERE s.user_id = gone.user_id AND s.provider_id = $1 RETURNING 1
   ), recorded AS (
     ${auditRow('user.identity_unbound', {
       origin: '$3',
       from: 'gone',
       target: { kind: 'user', id: 'gone.user_id' },
       about: { user: 'gone.user_id' },
       details: { provider: '$1::text', sub: 'gone.sub', sessions_ended: '(SELECT count(*) FROM ended)' },
     })}
   )
   SELECT user_id, sub, (SELECT count(*)::int FROM ended) AS sessions_ended FROM gone`,
)
