import { auditRow, changedFields, jsonOf } from '../audit/audit-row.sql.ts'
import type { AuditEvent } from '../audit/events.ts'
import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'
import { endOfGrant, hasExpired, isLiveGrant } from './ended.sql.ts'
import { endAfter, isRenewable, lifetimeDays, noticeAfter } from './lifetime.sql.ts'

const Grant = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  email: Type.String(),
  client_id: Type.String(),
  partner_name: Type.String(),
  redirect_uri: Type.String(),
  created_at: Instant,
  /** When the consent expires or has expired. Null: it has no end. */
  expires_at: Type.Union([Instant, Type.Null()]),
  /** When the grant ended. Null if it is live. */
  revoked_at: Type.Union([Instant, Type.Null()]),
  revoked_by: Type.Union([
    Type.Literal('user'),
    Type.Literal('operator'),
    /** The consent has expired. */
    Type.Literal('expiry'),
    Type.Null(),
  ]),
})
export type Grant = Static<typeof Grant>

/**
 * SQL for the redirect URI of the latest connection of grant `g` with partner `p`. The purge deletes connections that
 * have no tokens left. If the grant has no connection, this is the first redirect URI of the partner. The order is by
 * time. For an order by id, PostgreSQL may use the primary key, and then reads the whole table for a grant without
 * connections.
 */
export const latestRedirectUri = `coalesce(
            (SELECT c.redirect_uri FROM connections c WHERE c.grant_id = g.id ORDER BY c.created_at DESC, c.id DESC LIMIT 1),
            p.redirect_uris[1])`

const listed = `g.id, g.user_id, u.email, g.client_id, p.name AS partner_name, ${latestRedirectUri} AS redirect_uri, g.created_at,
          g.expires_at, ${endOfGrant('g')} AS revoked_at,
          CASE WHEN ${hasExpired('g')} THEN 'expiry' ELSE g.revoked_by END AS revoked_by`

const withParties = 'grants g JOIN partners p USING (client_id) JOIN users u ON u.id = g.user_id'

/**
 * In the order of the ids. $1 id after which the page begins, or null, $2 rows, $3 user id or folded email address, or null,
 * $4 client_id or null, $5 whether to include ended grants
 */
export const pageOfGrants = statement(
  'page_of_grants',
  Grant,
  `SELECT ${listed} FROM ${withParties}
    WHERE g.id > coalesce($1::bigint, 0) AND ($3::text IS NULL OR u.id = $3 OR u.email_folded = $3)
      AND ($4::text IS NULL OR g.client_id = $4) AND ($5 OR ${isLiveGrant('g')})
    ORDER BY g.id LIMIT $2`,
)

/** $1 grant id. No row: there is no such grant. */
export const findGrant = statement(
  'find_grant',
  Grant,
  `SELECT ${listed} FROM ${withParties} WHERE g.id = $1`,
)

/**
 * For the operator. $1 user id or folded email address, or null for all users; $2 client_id, or null for all partners;
 * $3 whether to include ended grants
 */
export const listGrants = statement(
  'list_grants',
  Grant,
  `SELECT ${listed} FROM ${withParties}
    WHERE ($3 OR ${isLiveGrant('g')}) AND ($1::text IS NULL OR u.id = $1 OR u.email_folded = $1)
      AND ($2::text IS NULL OR g.client_id = $2)
    ORDER BY g.created_at, g.id`,
)

/** The user and partner of a row of grants, for the audit log. */
export const aboutParties = (grant: string) => ({ user: `${grant}.user_id`, client: `${grant}.client_id` })

/** SQL: the audit row of a grant that ends at another time. `old` has its id and old end. */
const recordNewEnd = (event: AuditEvent, origin: string, changed: string, old: string) =>
  auditRow(event, {
    origin,
    from: `${changed} JOIN ${old} USING (id)`,
    target: { kind: 'grant', id: `${changed}.id` },
    about: aboutParties(changed),
    details: changedFields(jsonOf(old, ['expires_at']), jsonOf(changed, ['expires_at'])),
  })

/** $1 grant id, $2 user id, or null for the operator, $3 origin. No row: there is no such live grant. */
export const updateToRevoked = statement(
  'revoke_grant',
  Type.Object({ client_id: Type.String() }),
  `WITH ended AS (
     UPDATE grants g SET revoked_at = now(), revoked_by = CASE WHEN $2::text IS NULL THEN 'operator' ELSE 'user' END
      WHERE id = $1 AND ${isLiveGrant('g')} AND ($2::text IS NULL OR user_id = $2)
     RETURNING id, user_id, client_id, revoked_by
   ), recorded AS (
     ${auditRow('grant.revoked', {
       origin: '$3',
       from: 'ended',
       target: { kind: 'grant', id: 'ended.id' },
       about: aboutParties('ended'),
       details: { cause: 'ended.revoked_by' },
     })}
   )
   SELECT client_id FROM ended`,
)

/**
 * All connections go on. No row: the grant has ended, belongs to another user, or already ends as late as a new consent would.
 * A renewal never makes the end earlier.
 *
 * $1 grant id, $2 days for which a consent is valid by default, or null, $3 user id, $4 origin
 */
export const updateGrantEnd = statement(
  'renew_grant',
  Type.Object({ client_id: Type.String(), expires_at: Type.Union([Instant, Type.Null()]) }),
  `WITH old AS (
     SELECT id, expires_at FROM grants WHERE id = $1 AND user_id = $3 FOR NO KEY UPDATE
   ), renewed AS (
     UPDATE grants g SET expires_at = ${endAfter(lifetimeDays('p', '$2'))},
                         end_notice_at = ${noticeAfter(lifetimeDays('p', '$2'))}
       FROM partners p, old
      WHERE g.id = old.id AND p.client_id = g.client_id AND ${isLiveGrant('g')}
        AND ${isRenewable('g', 'p', '$2', "interval '0'")}
     RETURNING g.id, g.user_id, g.client_id, g.expires_at
   ), recorded AS (
     ${recordNewEnd('grant.renewed', '$4', 'renewed', 'old')}
   )
   SELECT client_id, expires_at FROM renewed`,
)

/**
 * Takes the locks in the order of the ids, as the usage counts do. Otherwise both could deadlock.
 *
 * $1 client_id, or null for all partners, $2 days for which a consent is valid by default, or null, $3 origin
 */
export const updateGrantEnds = statement(
  'limit_grants',
  Type.Object({ id: Type.String() }),
  `WITH concerned AS (
     SELECT g.id, days, g.expires_at
       FROM grants g JOIN partners p USING (client_id) CROSS JOIN LATERAL (SELECT ${lifetimeDays('p', '$2')} AS days) AS life
      WHERE ($1::text IS NULL OR g.client_id = $1) AND ${isLiveGrant('g')}
        AND days IS NOT NULL AND (g.expires_at IS NULL OR g.expires_at > ${endAfter('days')})
      ORDER BY g.id FOR NO KEY UPDATE OF g
   ), limited AS (
     UPDATE grants g SET expires_at = ${endAfter('days')}, end_notice_at = ${noticeAfter('days')}
       FROM concerned WHERE g.id = concerned.id
     RETURNING g.id, g.user_id, g.client_id, g.expires_at
   ), recorded AS (
     ${recordNewEnd('grant.lifetime_applied', '$3', 'limited', 'concerned')}
   )
   SELECT id FROM limited`,
)
