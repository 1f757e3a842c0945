import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

const Grant = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  email: Type.String(),
  client_id: Type.String(),
  partner_name: Type.String(),
  redirect_uri: Type.String(),
  created_at: Instant,
  /** Null if the grant is live. */
  revoked_at: Type.Union([Instant, Type.Null()]),
  revoked_by: Type.Union([Type.String(), Type.Null()]),
})
export type Grant = Static<typeof Grant>

/**
 * SQL for the redirect URI of the latest connection of grant `g` with partner `p`. The purge deletes connections that
 * have no tokens left. If the grant has no connection, this is the first redirect URI of the partner. The order is by
 * time. For an order by id, PostgreSQL may use the primary key, and then reads the whole table for a grant without
 * connections.
 */
const latestRedirectUri = `coalesce(
            (SELECT c.redirect_uri FROM connections c WHERE c.grant_id = g.id ORDER BY c.created_at DESC, c.id DESC LIMIT 1),
            p.redirect_uris[1])`

/**
 * For the operator. $1 user id or folded email address, or null for all users; $2 client_id, or null for all partners;
 * $3 whether to include ended grants
 */
export const listGrants = statement(
  'list_grants',
  Grant,
  `SELECT g.id, g.user_id, u.email, g.client_id, p.name AS partner_name, ${latestRedirectUri} AS redirect_uri, g.created_at,
          g.revoked_at, g.revoked_by
     FROM grants g JOIN partners p USING (client_id) JOIN users u ON u.id = g.user_id
    WHERE ($3 OR g.revoked_at IS NULL) AND ($1::text IS NULL OR u.id = $1 OR u.email_folded = $1)
      AND ($2::text IS NULL OR g.client_id = $2)
    ORDER BY g.created_at, g.id`,
)

export const LiveGrant = Type.Object({
  id: Type.String(),
  partner_name: Type.String(),
  redirect_uri: Type.String(),
  created_at: Instant,
  last_used_at: Type.Union([Instant, Type.Null()]),
  /** The three counts cover the last 30 days in UTC, including today. */
  requests: Type.Number(),
  households: Type.Number(),
  accounts: Type.Number(),
})
export type LiveGrant = Static<typeof LiveGrant>

/** The user's live grants, with the use of each. $1 user id */
export const liveGrantsOfUser = statement(
  'live_grants_of_user',
  LiveGrant,
  `SELECT g.id, p.name AS partner_name, ${latestRedirectUri} AS redirect_uri, g.created_at, g.last_used_at,
          coalesce(sum(r.requests), 0)::float8 AS requests, coalesce(sum(r.households), 0)::float8 AS households,
          coalesce(sum(r.accounts), 0)::float8 AS accounts
     FROM grants g JOIN partners p USING (client_id)
     LEFT JOIN grant_reads r ON r.grant_id = g.id AND r.day > (now() AT TIME ZONE 'UTC')::date - 30
    WHERE g.user_id = $1 AND g.revoked_at IS NULL
    GROUP BY g.id, p.client_id ORDER BY p.name, g.id`,
)

export const EndedGrant = Type.Object({
  id: Type.String(),
  partner_name: Type.String(),
  created_at: Instant,
  revoked_at: Instant,
  /** Null if the grant ended before this column existed. */
  revoked_by: Type.Union([
    Type.Literal('user'),
    Type.Literal('operator'),
    Type.Literal('firm_changed'),
    Type.Null(),
  ]),
})
export type EndedGrant = Static<typeof EndedGrant>

/** The 20 grants of the user that ended last. $1 user id */
export const endedGrantsOfUser = statement(
  'ended_grants_of_user',
  EndedGrant,
  `SELECT g.id, p.name AS partner_name, g.created_at, g.revoked_at, coalesce(g.revoked_for, g.revoked_by) AS revoked_by
     FROM grants g JOIN partners p USING (client_id)
    WHERE g.user_id = $1 AND g.revoked_at IS NOT NULL
    ORDER BY g.revoked_at DESC, g.id DESC LIMIT 20`,
)

/** Ends a grant, and with it all its connections and tokens. $1 grant id, $2 user id, or null for the operator */
export const revokeGrant = statement(
  'revoke_grant',
  Type.Object({ client_id: Type.String() }),
  `UPDATE grants SET revoked_at = now(), revoked_by = CASE WHEN $2::text IS NULL THEN 'operator' ELSE 'user' END
    WHERE id = $1 AND revoked_at IS NULL AND ($2::text IS NULL OR user_id = $2)
   RETURNING client_id`,
)
