import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

const MaybeText = Type.Union([Type.String(), Type.Null()])

const RequestRow = Type.Object({
  at: Instant,
  /** `at` as text, with microseconds: the place of the row in a list. */
  place: Type.String(),
  request_id: Type.String(),
  method: Type.String(),
  /** Empty: the address is unknown. */
  route: Type.String(),
  status: Type.Integer(),
  ms: Type.Number(),
  /** Of the error. Empty: there is none. */
  code: Type.String(),
  outcome: Type.String(),
  authenticated: Type.Boolean(),
  /** Null: the partner is unknown. */
  client_id: MaybeText,
  partner_name: MaybeText,
  grant_id: MaybeText,
  /** Null: unknown, or the user was deleted. */
  user_id: MaybeText,
  /** By which the partner knows the user. Null: the grant is unknown. */
  subject: MaybeText,
  detail: MaybeText,
})
export type RequestRow = Static<typeof RequestRow>

const described = (rows: string) => `
   SELECT l.at, to_char(l.at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS place, l.request_id, k.method, k.route, l.status, l.ms,
          k.code, k.outcome, k.authenticated, coalesce(g.client_id, l.client_id) AS client_id, p.name AS partner_name,
          l.grant_id, g.user_id, g.subject, l.detail
     FROM (${rows}) AS l
     JOIN request_kinds k ON k.id = l.kind_id
     LEFT JOIN grants g ON g.id = l.grant_id
     LEFT JOIN partners p ON p.client_id = coalesce(g.client_id, l.client_id)
    ORDER BY l.at DESC`

/** `route`: the parameter with a route, or null. */
const window = (log: string, route: string) => `${log}.at >= coalesce($1::timestamptz, '-infinity')
        AND ${log}.at < coalesce($2::timestamp AT TIME ZONE 'UTC', 'infinity') AND ${log}.status BETWEEN $3::int AND $4::int
        AND (${route}::text IS NULL OR ${log}.kind_id = ANY (ARRAY(SELECT id FROM request_kinds WHERE route = ${route})))`

/**
 * Of a call of a partner. With `status >= 400`, PostgreSQL could also choose the index of all refused calls, and read those of
 * strangers: its estimates do not know that most refused calls have no grant.
 */
const isRefused = (log: string) => `${log}.status / 100 >= 4`

const newest = 'ORDER BY at DESC LIMIT $5::int'

/**
 * Calls with a request id, newest first. The caller chooses the id, so there may be several, of several partners.
 *
 * $1 since when, or null, $2 `place` of the last row of the page before, or null, $3 and $4 lowest and highest status, $5 rows
 * at most, $6 request id, $7 client_id or null, $8 route or null
 */
export const findRequests = statement(
  'find_requests',
  RequestRow,
  described(`
    SELECT l.* FROM request_log l LEFT JOIN grants owner ON owner.id = l.grant_id
     WHERE hashtextextended(l.request_id, 0) = hashtextextended($6, 0) AND l.request_id = $6 AND ${window('l', '$8')}
       AND ($7::text IS NULL OR $7 = coalesce(owner.client_id, l.client_id)) ${newest.replace('at', 'l.at')}`),
)

/**
 * Calls of a user, partner or grant, newest first. $1 to $5 as above, $6 user id or null, $7 client_id or null, $8 grant id or
 * null, $9 subject or null, $10 route or null. Calls whose grant is unknown have no user: they are in the list of a partner
 * only.
 */
export const listRequestsOfGrants = statement(
  'list_requests_of_grants',
  RequestRow,
  `WITH chosen AS (
     SELECT id FROM grants
      WHERE ($6::text IS NULL OR user_id = $6) AND ($7::text IS NULL OR client_id = $7) AND ($8::bigint IS NULL OR id = $8)
        AND ($9::text IS NULL OR subject = $9)
   ), calls AS (
     SELECT l.* FROM chosen CROSS JOIN LATERAL (
              SELECT * FROM request_log l WHERE l.grant_id = chosen.id AND ${window('l', '$10')} ${newest}) AS l
      UNION ALL
     SELECT * FROM (SELECT * FROM request_log c WHERE c.client_id = $7 AND coalesce($6, $8::text, $9) IS NULL AND ${window('c', '$10')} ${newest}) AS own
   )
   ${described(`SELECT * FROM calls ${newest}`)}`,
)

/** Refused calls of all partners, newest first. $1 to $5 as above; $3 is at least 400. $6 route or null */
export const listRefusedRequests = statement(
  'list_refused_requests',
  RequestRow,
  described(`SELECT * FROM request_log l WHERE l.status >= 400 AND ${window('l', '$6')} ${newest}`),
)

/**
 * Refused calls of a partner, newest first, by indexes that have only its refused calls: neither its other calls nor the
 * refused calls of strangers are read. $1 to $5 as above; $3 is at least 400. $6 client_id, $7 route or null
 */
export const listRefusedRequestsOfPartner = statement(
  'list_refused_requests_of_partner',
  RequestRow,
  `WITH calls AS (
     SELECT l.* FROM grants g CROSS JOIN LATERAL (
              SELECT * FROM request_log l WHERE l.grant_id = g.id AND ${isRefused('l')} AND ${window('l', '$7')} ${newest}) AS l
      WHERE g.client_id = $6
      UNION ALL
     SELECT * FROM (SELECT * FROM request_log c WHERE c.client_id = $6 AND ${isRefused('c')} AND ${window('c', '$7')} ${newest}) AS own
   )
   ${described(`SELECT * FROM calls ${newest}`)}`,
)
