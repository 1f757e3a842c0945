import { statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

const ReadRow = Type.Object({
  /** In UTC: `2026-11-22`. */
  day: Type.String(),
  grant_id: Type.String(),
  /** A pseudonym if the user was erased. */
  user_id: Type.String(),
  client_id: Type.String(),
  partner_name: Type.String(),
  /** Different households that were read. */
  households: Type.Number(),
  /** How often households were read: each answer counts once for each household in it. */
  reads: Type.Number(),
})
export type ReadRow = Static<typeof ReadRow>

const columns = 'iso_date(l.day) AS day, n.grant_id, n.user_id, n.client_id, n.partner_name'

const chosenReaders = `($2::text IS NULL OR n.user_id = $2) AND ($3::text IS NULL OR n.client_id = $3)
      AND ($4::bigint IS NULL OR n.grant_id = $4)`

const page = `l.day >= coalesce($5::date, '-infinity') AND (l.day, l.grant_id) < (coalesce($6::date, 'infinity'), coalesce($7::bigint, 0))
    GROUP BY l.day, n.grant_id, n.user_id, n.client_id, n.partner_name
    ORDER BY l.day DESC, n.grant_id DESC LIMIT $8::int`

/**
 * Who read a household, newest first. $1 household id, $2 user id or null, $3 client_id or null, $4 grant id or null, $5 first
 * day or null, $6 and $7 day and grant id of the last row of the page before, or null, $8 rows at most
 */
export const listReadsOfHousehold = statement(
  'list_reads_of_household',
  ReadRow,
  `SELECT ${columns}, 1 AS households, sum(l.reads)::float8 AS reads
     FROM (SELECT number FROM household_numbers WHERE household_id = $1) AS household
     JOIN read_log l ON l.households @> household.number JOIN read_log_grants n ON n.grant_id = l.grant_id
    WHERE ${chosenReaders} AND ${page}`,
)

/** What grants have read, newest first. $1 is not used; $2 to $8 as in `listReadsOfHousehold` */
export const listReadsOfGrants = statement(
  'list_reads_of_grants',
  ReadRow,
  `SELECT ${columns}, set_size(range_agg(l.households))::float8 AS households,
          sum(l.reads * set_size(l.households))::float8 AS reads
     FROM read_log_grants n JOIN read_log l ON l.grant_id = n.grant_id
    WHERE $1::text IS NULL AND ${chosenReaders} AND ${page}`,
)

export const ReadHousehold = Type.Object({
  /** The household's number in the read log, which is the order of the list. */
  number: Type.Integer(),
  household_id: Type.String(),
  /** Null: it no longer exists, or the reader of this list may not see it. Empty: it has none. */
  name: Type.Union([Type.String(), Type.Null()]),
  /** In UTC. */
  last_day: Type.String(),
  days: Type.Integer(),
  reads: Type.Number(),
})
export type ReadHousehold = Static<typeof ReadHousehold>

/**
 * SQL for which households a grant has read, without `WITH`. Only the ranges of the page are resolved to households.
 * $1 grant id, $2 first day or null, $3 number of the last household of the page before, or 0, $4 rows at most
 *
 * @param name a query of the name of the household `page.household_id`
 */
export const householdsOfGrant = (name: string) => `
   log AS (SELECT * FROM read_log WHERE grant_id = $1::bigint AND day >= coalesce($2::date, '-infinity')),
   part AS (
     SELECT part FROM (SELECT range_agg(households) AS households FROM log) AS all_read, unnest(households) AS part
      WHERE upper(part) > $3::int + 1 ORDER BY lower(part) LIMIT $4::int
   ), page AS (
     SELECT n.* FROM part CROSS JOIN LATERAL (
              SELECT * FROM household_numbers WHERE number >= greatest(lower(part), $3 + 1) AND number < upper(part)
               ORDER BY number LIMIT $4) AS n
      ORDER BY n.number LIMIT $4
   )
   SELECT page.number, page.household_id, (${name}) AS name, total.*
     FROM page CROSS JOIN LATERAL (
            SELECT iso_date(max(day)) AS last_day, count(DISTINCT day)::int AS days, sum(reads)::float8 AS reads
              FROM log WHERE households @> page.number) AS total
    ORDER BY page.number`

/** For the operator. $1 to $4 as above */
export const listHouseholdsOfGrant = statement(
  'list_households_of_grant',
  ReadHousehold,
  `WITH ${householdsOfGrant("SELECT coalesce(h.name, '') FROM households h WHERE h.id = page.household_id")}`,
)
