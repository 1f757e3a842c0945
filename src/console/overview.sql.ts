import { Instant, statement } from '../database/database.ts'
import { isLiveGrant } from '../grants/ended.sql.ts'
import { rotationDays } from '../keys/lifetimes.ts'
import Type, { type Static } from '../typebox.ts'

/** Grants that began, by period. $1 since when, $2 seconds of a period */
export const grantsByPeriod = statement(
  'grants_by_period',
  Type.Object({ at: Instant, grants: Type.Integer() }),
  `SELECT to_timestamp(floor(extract(epoch FROM created_at) / $2::int) * $2::int) AS at, count(*)::int AS grants
     FROM grants WHERE created_at >= $1 GROUP BY 1 ORDER BY 1`,
)

/** Rows of one kind that the overview names. It says how many more there are. */
const shown = 3

const Concern = Type.Object({
  kind: Type.Union([
    Type.Literal('failing_partner'),
    Type.Literal('refused_refreshes'),
    Type.Literal('signing_key'),
    Type.Literal('api_key'),
    Type.Literal('old_secret'),
    Type.Literal('waiting_mails'),
    Type.Literal('ending_consents'),
    Type.Literal('unused_link'),
    Type.Literal('late_import'),
    Type.Literal('audit_checkpoint'),
  ]),
  /** Of what it is about: client_id, kid, id of a key or of an operator. Empty for the deployment. */
  id: Type.String(),
  name: Type.String(),
  /** How many: calls, mails, consents. */
  amount: Type.Number(),
  at: Type.Union([Instant, Type.Null()]),
  /** All of this kind. */
  total: Type.Integer(),
})
export type Concern = Static<typeof Concern>

/** Calls that failed or were refused in a day and a half, from which on a partner is named, and how much more than before. */
const leastFailures = 20

const day = `interval '1 day'`

/** Partners whose refusals and failures of the last day are more than twice those of the day before. */
const failingPartners = `
  SELECT CASE WHEN n.refresh_refused >= ${leastFailures} THEN 'refused_refreshes' ELSE 'failing_partner' END AS kind,
         n.client_id AS id, p.name, CASE WHEN n.refresh_refused >= ${leastFailures} THEN n.refresh_refused ELSE n.bad END AS amount,
         n.since AS at
    FROM (SELECT client_id, sum(refused + failed) FILTER (WHERE hour > now() - ${day}) AS bad,
                 sum(refused + failed) FILTER (WHERE hour <= now() - ${day}) AS before,
                 sum(calls) FILTER (WHERE hour > now() - ${day}) AS calls,
                 sum(refresh_refused) FILTER (WHERE hour > now() - ${day}) AS refresh_refused,
                 min(hour) FILTER (WHERE refused + failed > 0 AND hour > now() - ${day}) AS since
            FROM call_hours WHERE hour > now() - 2 * ${day} AND client_id <> '' GROUP BY client_id) AS n
    JOIN partners p USING (client_id)
   WHERE n.bad >= ${leastFailures} AND n.bad > 2 * coalesce(n.before, 0) AND n.bad * 20 >= n.calls`

/** Signing keys rotate by themselves. A key that signs for longer than that has no successor. */
const overdueKeys = `
  SELECT 'signing_key', k.kid, k.algorithm, 0, k.signs_from + interval '${rotationDays} days'
    FROM signing_keys k
   WHERE k.private_jwk IS NOT NULL AND k.signs_from < now() - interval '${rotationDays + 2} days'
     AND NOT EXISTS (SELECT FROM signing_keys s WHERE s.algorithm = k.algorithm AND s.generation > k.generation)`

const expiringApiKeys = `
  SELECT 'api_key', id, name, 0, expires_at FROM api_keys
   WHERE revoked_at IS NULL AND expires_at BETWEEN now() - ${day} AND now() + interval '14 days'`

const oldSecrets = `
  SELECT 'old_secret', client_id, name, cardinality(secret_hashes), NULL::timestamptz FROM partners
   WHERE cardinality(secret_hashes) > 1 AND status = 'active'`

/** Mails whose delivery has failed several times. The worker goes on until they expire. */
const waitingMails = `
  SELECT 'waiting_mails', '', '', count(*), min(created_at) FROM outbox WHERE kind = 'mail' AND attempts >= 3 HAVING count(*) > 0`

const endingConsents = `
  SELECT 'ending_consents', g.client_id, p.name, count(*), min(g.expires_at) FROM grants g JOIN partners p USING (client_id)
   WHERE g.end_notice_at <= now() + interval '7 days' AND g.expires_at <= now() + interval '14 days' AND ${isLiveGrant('g')}
   GROUP BY g.client_id, p.name`

const unusedLinks = `
  SELECT 'unused_link', o.id::text, o.name, 0, l.expires_at FROM operators o JOIN operator_links l ON l.operator_id = o.id
   WHERE l.expires_at < now() AND o.password_hash IS NULL AND o.status = 'active'
     AND NOT EXISTS (SELECT FROM operator_identities i WHERE i.operator_id = o.id)`

/** Data came every day, and has not come for a day and a half. */
const lateImports = `
  SELECT 'late_import', '', '', 0, max(at) FROM audit_log
   WHERE target_kind = 'directory' AND event = 'directory.imported' AND at > now() - interval '14 days'
  HAVING count(DISTINCT at::date) >= 5 AND max(at) < now() - interval '36 hours'`

/** Changes of more than two hours ago that no signed checkpoint covers. */
const uncoveredAudit = `
  SELECT 'audit_checkpoint', '', '', count(*), min(at) FROM audit_log
   WHERE at BETWEEN now() - interval '7 days' AND now() - interval '2 hours'
     AND at > coalesce((SELECT max(at) FROM audit_checkpoints), '-infinity')
  HAVING count(*) > 0`

const sources = [
  failingPartners,
  overdueKeys,
  expiringApiKeys,
  oldSecrets,
  waitingMails,
  endingConsents,
  unusedLinks,
  lateImports,
  uncoveredAudit,
]

/** What needs attention: of each kind the first few, and how many there are. No parameters. */
export const concerns = statement(
  'overview_concerns',
  Concern,
  `SELECT kind, id, name, amount::float8, at, total::int
     FROM (SELECT kind, id, name, amount, at, count(*) OVER (PARTITION BY kind) AS total,
                  row_number() OVER (PARTITION BY kind ORDER BY amount DESC, at, id) AS place
             FROM (${sources.join(' UNION ALL ')}) AS found (kind, id, name, amount, at)) AS numbered
    WHERE place <= ${shown} ORDER BY kind, place`,
)

const LatestEvent = Type.Object({
  at: Instant,
  event: Type.String(),
  actor_kind: Type.String(),
  actor: Type.String(),
  via: Type.String(),
  target_kind: Type.String(),
  target_id: Type.String(),
})
export type LatestEvent = Static<typeof LatestEvent>

/** The latest rows of the audit log. No parameters. */
export const latestEvents = statement(
  'latest_events',
  LatestEvent,
  `SELECT at, event, actor_kind, coalesce(actor_name, actor_id, '') AS actor, via, target_kind, target_id
     FROM audit_log ORDER BY at DESC, id DESC LIMIT 8`,
)
