import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'
import { silentSeconds } from './heartbeat.sql.ts'

/** Calendar months (UTC) that are shown: the current one, and those before it. */
export const shownMonths = 13

/** Interval of PostgreSQL until which the rows are kept. It is longer than what is shown. */
export const keptStatus = `interval '${shownMonths} months'`

const Span = Type.Object({ from: Type.String(), to: Type.String() })

const StatusRow = Type.Object({
  now: Instant,
  /** Null: no server has written a heartbeat. */
  first_heartbeat: Type.Union([Instant, Type.Null()]),
  /** No server has written a heartbeat for too long: the last outage goes on, and ends now. */
  is_silent: Type.Boolean(),
  /** In order. */
  outages: Type.Array(Span),
  /** Times whose heartbeats are lost. In order, and not part of the outages. */
  unknown: Type.Array(Span),
  days: Type.Array(
    Type.Object({
      day: Type.String(),
      kind: Type.Union([Type.Literal('read'), Type.Literal('token')]),
      calls: Type.Number(),
      failed: Type.Number(),
      slower: Type.Array(Type.Number()),
    }),
  ),
})
export type StatusRow = Static<typeof StatusRow>

const silence = `interval '${silentSeconds} seconds'`

/** An array of the parts of a multirange. */
const spansOf = (multirange: string) =>
  `(SELECT coalesce(jsonb_agg(jsonb_build_object('from', lower(span), 'to', upper(span)) ORDER BY span), '[]')
      FROM unnest(${multirange}) AS span)`

/**
 * Outages and calls of the shown months. Each uptime is extended by the longest silence that is not an outage: what is still
 * missing between the first heartbeat and now is an outage, and began at the last heartbeat before it. No parameters.
 */
export const readStatus = statement(
  'read_status',
  StatusRow,
  `WITH up AS (
     SELECT min(up_from) AS since, max(up_to) AS until,
            range_agg(tstzrange(up_from, up_to + ${silence})) AS spans FROM uptimes
   ), down AS (
     SELECT coalesce(range_agg(tstzrange(lower(gap) - ${silence}, upper(gap))), '{}') AS spans
       FROM up, unnest(tstzmultirange(tstzrange(since, greatest(since, now()))) - spans) AS gap
   ), lost AS (
     SELECT coalesce(range_agg(tstzrange(lost_from, lost_to)), '{}') AS spans FROM lost_heartbeats
   )
   SELECT now() AS now, up.since AS first_heartbeat, coalesce(up.until + ${silence} < now(), false) AS is_silent,
          ${spansOf('down.spans - lost.spans')} AS outages, ${spansOf('lost.spans')} AS unknown,
          (SELECT coalesce(jsonb_agg(jsonb_build_object(
                             'day', day, 'kind', kind, 'calls', calls, 'failed', failed, 'slower', slower)
                             ORDER BY day, kind), '[]')
             FROM call_days
            WHERE day >= (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '${shownMonths - 1} months')::date) AS days
     FROM up, down, lost`,
)
