import { Instant, statement } from '../database/database.ts'
import { endOfGrant, isLiveGrant } from '../grants/ended.sql.ts'
import { deprecatedKind, limitedKind } from '../request-log/call-hours.sql.ts'
import Type, { type Static } from '../typebox.ts'
import { waitingMessages } from '../webhooks/endpoints.sql.ts'

const ends = `SELECT ${endOfGrant('g')} FROM grants g WHERE g.client_id = $1`

/**
 * How many grants of a partner were live at the end of each period in which their number changed. The first period also has
 * what changed before it. $1 client_id, $2 start of the first period, $3 seconds of a period
 */
export const liveGrantsByPeriod = statement(
  'live_grants_by_period',
  Type.Object({ at: Instant, live: Type.Integer() }),
  `WITH changes AS (
     SELECT created_at AS at, 1 AS change FROM grants WHERE client_id = $1
      UNION ALL
     SELECT at, -1 FROM (${ends}) AS ended (at) WHERE at <= now()
   ), periods AS (
     SELECT to_timestamp(floor(extract(epoch FROM greatest(at, $2::timestamptz)) / $3::int) * $3::int) AS at,
            sum(change) AS change
       FROM changes GROUP BY 1
   )
   SELECT at, sum(change) OVER (ORDER BY at)::int AS live FROM periods ORDER BY at`,
)

const Concern = Type.Object({
  kind: Type.Union([
    Type.Literal('suspended'),
    Type.Literal('webhook_disabled'),
    Type.Literal('webhook_failing'),
    Type.Literal('refused_refreshes'),
    Type.Literal('limits'),
    Type.Literal('no_credentials'),
    Type.Literal('old_secret'),
    Type.Literal('api_key'),
    Type.Literal('deprecated'),
    Type.Literal('ending_consents'),
  ]),
  /** Of a webhook or of a key: its id. Otherwise empty. */
  id: Type.String(),
  /** Of a webhook: its address. Of a key: its name. Otherwise empty. */
  name: Type.String(),
  /** How many: calls, events, consents. */
  amount: Type.Number(),
  at: Type.Union([Instant, Type.Null()]),
})
export type Concern = Static<typeof Concern>

const day = `interval '1 day'`
const ofPartner = 'client_id = $1'
const lastDay = `${ofPartner} AND hour > now() - ${day}`

const suspended = `
  SELECT 'suspended', '', '', 0, NULL::timestamptz FROM partners WHERE ${ofPartner} AND status = 'suspended'`

/** Endpoints that get no events, or whose last attempts have failed, with the events that wait. */
const webhooks = `
  SELECT CASE e.status WHEN 'disabled' THEN 'webhook_disabled' ELSE 'webhook_failing' END, e.id::text, e.url,
         ${waitingMessages}, e.failing_since
    FROM webhook_endpoints e
   WHERE e.${ofPartner}
     AND (e.disabled_for IN ('failing', 'gone', 'operator') OR e.status = 'active' AND e.failing_since IS NOT NULL)`

const refusedRefreshes = `
  SELECT 'refused_refreshes', '', '', sum(refresh_refused), min(hour) FROM call_hours
   WHERE ${lastDay} AND refresh_refused > 0 HAVING count(*) > 0`

const limits = `
  SELECT 'limits', '', '', sum(calls), min(hour) FROM call_hours
   WHERE ${lastDay} AND kind = '${limitedKind}' HAVING count(*) > 0`

/** An application without a secret or key, for example after it went live: production makes no secret by itself. */
const noCredentials = `
  SELECT 'no_credentials', '', '', 0, NULL FROM partners
   WHERE ${ofPartner} AND cardinality(secret_hashes) + cardinality(key_thumbprints) = 0`

const oldSecret = `
  SELECT 'old_secret', '', '', cardinality(secret_hashes), NULL FROM partners
   WHERE ${ofPartner} AND cardinality(secret_hashes) > 1`

const expiringKeys = `
  SELECT 'api_key', id, name, 0, expires_at FROM developer_keys
   WHERE ${ofPartner} AND revoked_at IS NULL AND expires_at BETWEEN now() - ${day} AND now() + 14 * ${day}`

const deprecated = `
  SELECT 'deprecated', '', '', sum(calls), max(hour) FROM call_hours
   WHERE ${ofPartner} AND hour > now() - 7 * ${day} AND kind LIKE '${deprecatedKind('%')}' HAVING count(*) > 0`

const endingConsents = `
  SELECT 'ending_consents', '', '', count(*), min(g.expires_at) FROM grants g
   WHERE g.${ofPartner} AND g.expires_at <= now() + 14 * ${day} AND ${isLiveGrant('g')} HAVING count(*) > 0`

const sources = [
  suspended,
  webhooks,
  refusedRefreshes,
  limits,
  noCredentials,
  oldSecret,
  expiringKeys,
  deprecated,
  endingConsents,
]

/** What the developers of a partner should look at. $1 client_id */
export const partnerConcerns = statement(
  'partner_concerns',
  Concern,
  `SELECT kind, id, name, amount::float8, at FROM (${sources.join(' UNION ALL ')}) AS found (kind, id, name, amount, at)
    ORDER BY kind, id`,
)
