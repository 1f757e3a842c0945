import { Bytes, statement } from '../database/database.ts'
import { Partner } from '../partners/partners.sql.ts'
import { deprecatedKind } from '../request-log/call-hours.sql.ts'
import Type, { orNull, type Static } from '../typebox.ts'
import { RequestedDeveloper } from './request.ts'

/** Days that the facts about calls cover. */
export const daysOfCalls = 7

const Facts = Type.Object({
  ...Type.Omit(Partner, ['key_ids', 'limits', 'status', 'grant_lifetime_days']).properties,
  /** JSON of its JWK Set, and the RFC 7638 thumbprints of the keys. */
  jwks: orNull(Type.String()),
  key_thumbprints: Type.Array(Bytes),
  logo_image: orNull(Bytes),
  live_secrets: Type.Integer(),
  /** Users who have ever connected it. */
  connected_users: Type.Integer(),
  /** Whether a connection that still has its row was refreshed. */
  has_refreshed: Type.Boolean(),
  /** Whether the latest authorization used PKCE. Null: there was none. */
  used_pkce: orNull(Type.Boolean()),
  /** Calls of the last days. */
  calls: Type.Integer(),
  refused_calls: Type.Integer(),
  /** Whether a call succeeded in the hour of a refused or failed one, or later. */
  has_recovered: Type.Boolean(),
  deprecated_calls: Type.Integer(),
  /** Active webhook endpoints, those of them that took a delivery, and all types of events that they get. */
  endpoints: Type.Integer(),
  verified_endpoints: Type.Integer(),
  webhook_events: Type.Array(Type.String()),
})
export type Facts = Static<typeof Facts>

const columns = `p.client_id, p.name, p.redirect_uris, p.require_pkce, p.auth_methods, p.id_token_alg, p.id_token_on_refresh,
  p.post_logout_redirect_uris, p.site, p.logo, p.privacy_url, p.description, p.require_acr, p.jwks::text AS jwks,
  p.key_thumbprints, p.logo_image, cardinality(p.secret_hashes) AS live_secrets`

/** What a sandbox knows about an application that wants to go live. $1 client_id. No row: no such partner. */
export const goingLiveFacts = statement(
  'going_live_facts',
  Facts,
  `WITH own_grants AS (
     SELECT id, user_id FROM grants WHERE client_id = $1
   ), latest AS (
     SELECT c.code_challenge, c.created_at FROM connections c JOIN own_grants g ON g.id = c.grant_id
      WHERE c.redemptions > 0 ORDER BY c.created_at DESC LIMIT 1
   ), hours AS (
     SELECT hour, kind, calls, refused + failed AS unsuccessful FROM call_hours
      WHERE client_id = $1 AND hour > now() - interval '${daysOfCalls} days'
   ), counted AS (
     SELECT coalesce(sum(calls), 0)::int AS calls, coalesce(sum(unsuccessful), 0)::int AS refused_calls,
            coalesce(min(hour) FILTER (WHERE unsuccessful > 0) <= max(hour) FILTER (WHERE calls > unsuccessful), false)
              AS has_recovered,
            coalesce(sum(calls) FILTER (WHERE kind LIKE '${deprecatedKind('%')}'), 0)::int AS deprecated_calls
       FROM hours
   ), endpoints AS (
     SELECT e.id, e.events, EXISTS (
              SELECT FROM webhook_messages m WHERE m.endpoint_id = e.id AND m.outcome = 'delivered') AS is_verified
       FROM webhook_endpoints e WHERE e.client_id = $1 AND e.status = 'active'
   )
   SELECT ${columns}, (SELECT count(DISTINCT user_id)::int FROM own_grants) AS connected_users,
          EXISTS (SELECT FROM connections c JOIN own_grants g ON g.id = c.grant_id WHERE c.generation > 1) AS has_refreshed,
          (SELECT code_challenge IS NOT NULL FROM latest) AS used_pkce, counted.*,
          (SELECT count(*)::int FROM endpoints) AS endpoints,
          (SELECT count(*)::int FROM endpoints WHERE is_verified) AS verified_endpoints,
          ARRAY(SELECT DISTINCT unnest(events) FROM endpoints ORDER BY 1) AS webhook_events
     FROM partners p CROSS JOIN counted WHERE p.client_id = $1`,
)

/**
 * The active developers of an application who have opened it, the first one first. Of the others, an administrator must not
 * learn the name, or whether the address had an account before. A second factor protects an account, or a provider that answers
 * for it. $1 client_id
 */
export const goingLiveDevelopers = statement(
  'going_live_developers',
  Type.Object({ ...RequestedDeveloper.properties, is_protected: Type.Boolean() }),
  `SELECT d.email, d.name, m.role,
          EXISTS (SELECT FROM developer_totp_secrets t WHERE t.developer_id = d.id)
          OR EXISTS (SELECT FROM developer_identities i WHERE i.developer_id = d.id) AS is_protected
     FROM developer_memberships m JOIN developers d ON d.id = m.developer_id
    WHERE m.client_id = $1 AND d.status = 'active' AND m.last_seen_at IS NOT NULL ORDER BY m.created_at, d.email_folded`,
)
