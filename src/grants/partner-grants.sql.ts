import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'
import { Ended, endOfGrant, hasExpired, isLiveGrant, whenEnded } from './ended.sql.ts'

const maybeInstant = Type.Union([Instant, Type.Null()])

const PartnerGrant = Type.Object({
  id: Type.String(),
  /** By which the partner knows the user. */
  subject: Type.String(),
  created_at: Instant,
  /** The last call, to a few minutes. */
  last_used_at: maybeInstant,
  /** When the consent expires. Null: it has no end. */
  expires_at: maybeInstant,
  ended_at: maybeInstant,
  /** Null: it is live. */
  cause: Type.Union([Ended, Type.Null()]),
})
export type PartnerGrant = Static<typeof PartnerGrant>

/** A grant as its partner may see it: nothing about the user but the subject. */
const columns = `g.id, g.subject, g.created_at, g.last_used_at, g.expires_at, ${endOfGrant('g')} AS ended_at,
          CASE WHEN ${hasExpired('g')} THEN 'ended_by_expiry'
               WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change'
               WHEN g.revoked_by = 'user' THEN 'ended_by_user'
               WHEN g.revoked_by = 'operator' THEN 'ended_by_operator'
               WHEN g.revoked_at IS NOT NULL THEN 'ended'
               WHEN u.status <> 'active' THEN 'user_disabled' END AS cause`

/**
 * Newest first. $1 client_id, $2 id before which the page begins, or null, $3 rows, $4 subject or null, $5 live, ended or all
 */
export const pageOfPartnerGrants = statement(
  'page_of_partner_grants',
  PartnerGrant,
  `SELECT ${columns} FROM grants g JOIN users u ON u.id = g.user_id
    WHERE g.client_id = $1 AND ($2::bigint IS NULL OR g.id < $2) AND ($4::text IS NULL OR g.subject = $4)
      AND ($5::text = 'all' OR ($5 = 'live') = ${isLiveGrant('g')})
    ORDER BY g.id DESC LIMIT $3`,
)

/** $1 client_id, $2 grant id. No row: the partner has no such grant. */
export const findPartnerGrant = statement(
  'find_partner_grant',
  PartnerGrant,
  `SELECT ${columns} FROM grants g JOIN users u ON u.id = g.user_id WHERE g.client_id = $1 AND g.id = $2`,
)

const PartnerConnection = Type.Object({
  id: Type.String(),
  created_at: Instant,
  /** The last refresh, or the redemption of the code. */
  refreshed_at: maybeInstant,
  ended_at: maybeInstant,
  cause: Type.Union([Ended, Type.Null()]),
})
export type PartnerConnection = Static<typeof PartnerConnection>

/**
 * What each authorization code of a grant has started, newest first, as long as the purge keeps it. $1 client_id, $2 grant id,
 * $3 rows
 */
export const connectionsOfGrant = statement(
  'connections_of_grant',
  PartnerConnection,
  `SELECT c.id, c.created_at, c.refreshed_at, coalesce(c.revoked_at, ${endOfGrant('g')}) AS ended_at,
          CASE ${whenEnded('c', 'g', 'u')} END AS cause
     FROM connections c JOIN grants g ON g.id = c.grant_id JOIN users u ON u.id = g.user_id
    WHERE g.client_id = $1 AND g.id = $2 ORDER BY c.created_at DESC, c.id DESC LIMIT $3`,
)
