import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

/** Upper bounds of the durations that are counted, in milliseconds. The last count is of slower calls. */
export const durationBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

/** `kind` of the calls of an operation that is deprecated. */
export function deprecatedKind(operationId: string): string {
  return `deprecated ${operationId}`
}

/** `kind` of the calls that a limit refused with 429. */
export const limitedKind = 'limited'

/** `kind` of calls that are not what partners get: those of operators, and failures that a partner requested in a sandbox. */
export const otherKind = 'other'

/** Sums of the calls by duration. `of`: the calls that count, a condition of SQL. */
const durationSums = (of: string) =>
  [...durationBounds, Infinity]
    .map((_, n) => `coalesce(sum(slower[${n + 1}]) FILTER (WHERE ${of}), 0)`)
    .join(', ')

/**
 * Adds to the counts by hour and by day. The rows are in the order of the primary key, so that two servers that write the same
 * rows cannot wait for each other. A caller without valid credentials counts for its day only if the call failed: anyone can
 * send calls that are refused at once, and they would hide slow and failed ones on the status page.
 * $1 hours, $2 kinds, $3 client ids, $4 calls, $5 refused, $6 failed, $7 refused refreshes, $8 calls by duration,
 * each an array in PostgreSQL's notation
 */
export const addCallHours = statement(
  'add_call_hours',
  Type.Object({}),
  `WITH added AS (
     SELECT hour::timestamptz, kind, client_id, calls::bigint, refused::bigint, failed::bigint, refresh_refused::bigint,
            slower::bigint[]
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
            AS added (hour, kind, client_id, calls, refused, failed, refresh_refused, slower)
   ), by_day AS (
     INSERT INTO call_days AS d (day, kind, calls, failed, slower)
     SELECT (hour AT TIME ZONE 'UTC')::date, CASE kind WHEN 'token' THEN kind ELSE 'read' END, sum(CASE client_id WHEN '' THEN failed ELSE calls END), sum(failed),
            ARRAY[${durationSums(`client_id <> ''`)}]
       FROM added WHERE kind IN ('read', 'token') OR kind LIKE '${deprecatedKind('%')}' GROUP BY 1, 2 ORDER BY 1, 2
     ON CONFLICT (day, kind) DO UPDATE
        SET calls = d.calls + excluded.calls, failed = d.failed + excluded.failed,
            slower = ${sumOfArrays('d.slower')}
   )
   INSERT INTO call_hours AS h (hour, kind, client_id, calls, refused, failed, refresh_refused, slower)
   SELECT hour, kind, client_id, calls, refused, failed, refresh_refused, slower FROM added
    ORDER BY hour, kind, client_id
   ON CONFLICT (hour, kind, client_id) DO UPDATE
      SET calls = h.calls + excluded.calls, refused = h.refused + excluded.refused, failed = h.failed + excluded.failed,
          refresh_refused = h.refresh_refused + excluded.refresh_refused, slower = ${sumOfArrays('h.slower')}`,
)

/** The partner of each connection that exists. $1 SHA-256 of the locators of its access tokens, in hex */
export const partnersOfLocators = statement(
  'partners_of_locators',
  Type.Object({ locator_hash: Type.String(), client_id: Type.String() }),
  `SELECT encode(access_locator_hash, 'hex') AS locator_hash, client_id
     FROM connections WHERE access_locator_hash IN (SELECT decode(locator, 'hex') FROM unnest($1::text[]) AS locator)`,
)

/** Each element of the row's array and of the new one together. */
function sumOfArrays(stored: string): string {
  return `ARRAY(SELECT a + b FROM unnest(${stored}, excluded.slower) WITH ORDINALITY AS both_counts (a, b, n) ORDER BY n)`
}

const CallHours = Type.Object({
  /** Start of the period. */
  at: Instant,
  calls: Type.Number(),
  refused: Type.Number(),
  failed: Type.Number(),
  refresh_refused: Type.Number(),
  /** Calls by duration: one more than `durationBounds`. */
  slower: Type.Array(Type.Number()),
})
export type CallHours = Static<typeof CallHours>

const counts = ['calls', 'refused', 'failed', 'refresh_refused']
const durations = [...durationBounds, Infinity].map((_, n) => `sum(slower[${n + 1}])::float8`)

/**
 * Calls by period. Periods without calls have no row. $1 since when, $2 seconds of a period, $3 client_id, or null for all
 * calls
 */
export const callsByPeriod = statement(
  'calls_by_period',
  CallHours,
  `SELECT to_timestamp(floor(extract(epoch FROM hour) / $2::int) * $2::int) AS at,
          ${counts.map((name) => `sum(${name})::float8 AS ${name}`).join(', ')}, ARRAY[${durations.join(', ')}] AS slower
     FROM call_hours WHERE hour >= $1 AND ($3::text IS NULL OR client_id = $3) GROUP BY 1 ORDER BY 1`,
)

/**
 * How often a partner has called deprecated operations, the latest first. $1 client_id, $2 since when
 */
export const deprecatedCalls = statement(
  'deprecated_calls',
  Type.Object({
    /** As in the description of the API. */
    operation: Type.String(),
    calls: Type.Number(),
    refused: Type.Number(),
    /** Start of the hour of the first and of the last call. */
    first_hour: Instant,
    last_hour: Instant,
  }),
  `SELECT substr(kind, length('${deprecatedKind('')}') + 1) AS operation, sum(calls)::float8 AS calls, sum(refused)::float8 AS refused,
          min(hour) AS first_hour, max(hour) AS last_hour
     FROM call_hours WHERE client_id = $1 AND hour >= $2 AND kind LIKE '${deprecatedKind('%')}'
    GROUP BY kind ORDER BY last_hour DESC, kind`,
)

/**
 * The hour with the most calls of a partner that no limit refused: one row for token requests, one for the others.
 * $1 client_id, $2 since when
 */
export const busiestHours = statement(
  'busiest_hours',
  Type.Object({ is_token: Type.Boolean(), at: Instant, calls: Type.Number() }),
  `SELECT DISTINCT ON (is_token) is_token, hour AS at, sum(calls)::float8 AS calls
     FROM (SELECT hour, kind = 'token' AS is_token, calls FROM call_hours
            WHERE client_id = $1 AND hour >= $2 AND kind NOT IN ('${limitedKind}', '${otherKind}')) AS counted
    GROUP BY is_token, hour ORDER BY is_token, sum(calls) DESC, hour DESC`,
)
