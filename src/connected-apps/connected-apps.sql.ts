import { Instant, statement } from '../database/database.ts'
import { endOfGrant, hasExpired, isLiveGrant } from '../grants/ended.sql.ts'
import { latestRedirectUri } from '../grants/grants.sql.ts'
import { isRenewable, lifetimeDays, noticeDays } from '../grants/lifetime.sql.ts'
import { refreshTokenDays } from '../tokens/lifetimes.ts'
import Type, { type Static } from '../typebox.ts'

const today = `(now() AT TIME ZONE 'UTC')::date`

const refreshTokenLife = `interval '${refreshTokenDays} days'`

const Reads = Type.Object({
  /** In UTC: `2026-11-22`. */
  day: Type.String(),
  requests: Type.Number(),
  households: Type.Number(),
  accounts: Type.Number(),
})
export type Reads = Static<typeof Reads>

/** Days, including today, of which the page shows the reads. */
export const shownDays = 30

export const LiveGrant = Type.Object({
  id: Type.String(),
  partner_name: Type.String(),
  /** The file name in the address of the partner's logo. */
  logo: Type.Union([Type.String(), Type.Null()]),
  description: Type.Union([Type.String(), Type.Null()]),
  site: Type.Union([Type.String(), Type.Null()]),
  redirect_uri: Type.String(),
  created_at: Instant,
  last_used_at: Type.Union([Instant, Type.Null()]),
  /** When the consent expires. Null: it has no end. */
  expires_at: Type.Union([Instant, Type.Null()]),
  /** The days for which the consent is valid after a renewal. Null: it then has no end. */
  lifetime_days: Type.Union([Type.Integer(), Type.Null()]),
  /** Whether a renewal moves the end by a day or more. */
  renewable: Type.Boolean(),
  /** Whether the consent ends within `noticeDays`. */
  ends_soon: Type.Boolean(),
  /** When the last refresh token expires if the partner does not refresh. Null: the partner has no connection. */
  unused_until: Type.Union([Instant, Type.Null()]),
  /** Today by the database's clock, in UTC. */
  today: Type.String(),
  /** The days with reads among the last `shownDays`, the oldest first. */
  reads: Type.Array(Reads),
})
export type LiveGrant = Static<typeof LiveGrant>

/** The user's live grants, with the reads of each. $1 user id, $2 days for which a consent is valid by default, or null */
export const liveGrantsOfUser = statement(
  'live_grants_of_user',
  LiveGrant,
  `SELECT g.id, p.name AS partner_name, p.logo, p.description, p.site, ${latestRedirectUri} AS redirect_uri,
          g.created_at, g.last_used_at, g.expires_at,
          ${lifetimeDays('p', '$2')} AS lifetime_days,
          ${isRenewable('g', 'p', '$2', "interval '1 day'")} AS renewable,
          coalesce(g.expires_at < now() + interval '${noticeDays} days', false) AS ends_soon,
          (SELECT max(c.refreshed_at) + ${refreshTokenLife}
             FROM connections c
            WHERE c.grant_id = g.id AND c.revoked_at IS NULL AND c.refreshed_at > now() - ${refreshTokenLife}) AS unused_until,
          iso_date(${today}) AS today,
          (SELECT coalesce(jsonb_agg(jsonb_build_object('day', r.day, 'requests', r.requests, 'households', r.households,
                                                        'accounts', r.accounts) ORDER BY r.day), '[]')
             FROM grant_reads r WHERE r.grant_id = g.id AND r.day > ${today} - ${shownDays}) AS reads
     FROM grants g JOIN partners p USING (client_id)
    WHERE g.user_id = $1 AND ${isLiveGrant('g')}
    ORDER BY p.name, g.id`,
)

export const EndedGrant = Type.Object({
  id: Type.String(),
  partner_name: Type.String(),
  created_at: Instant,
  ended_at: Instant,
  /** Null if the grant ended before the database recorded the cause. */
  ended_by: Type.Union([
    Type.Literal('user'),
    Type.Literal('operator'),
    Type.Literal('firm_changed'),
    Type.Literal('expiry'),
    Type.Null(),
  ]),
})
export type EndedGrant = Static<typeof EndedGrant>

/** The 20 grants of the user that ended last. $1 user id */
export const endedGrantsOfUser = statement(
  'ended_grants_of_user',
  EndedGrant,
  `SELECT g.id, p.name AS partner_name, g.created_at, ${endOfGrant('g')} AS ended_at,
          CASE WHEN ${hasExpired('g')} THEN 'expiry' ELSE coalesce(g.revoked_for, g.revoked_by) END AS ended_by
     FROM grants g JOIN partners p USING (client_id)
    WHERE g.user_id = $1 AND NOT ${isLiveGrant('g')}
    ORDER BY ended_at DESC, g.id DESC LIMIT 20`,
)
