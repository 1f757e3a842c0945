import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/**
 * The number of each household. Households without one get the next, in the given order. A household that another server
 * numbers at the same moment may be missing in the result. $1 household ids, each once
 */
export const numberHouseholds = statement(
  'number_households',
  Type.Object({ household_id: Type.String(), number: Type.Integer() }),
  `WITH given AS (
     SELECT given.household_id, place, number
       FROM unnest($1::text[]) WITH ORDINALITY AS given (household_id, place)
       LEFT JOIN household_numbers known ON known.household_id = given.household_id
   ), added AS (
     INSERT INTO household_numbers (household_id)
     SELECT household_id FROM given WHERE number IS NULL ORDER BY place
         ON CONFLICT DO NOTHING
     RETURNING household_id, number
   )
   SELECT household_id, number FROM given WHERE number IS NOT NULL UNION ALL SELECT household_id, number FROM added`,
)

/**
 * Common table expressions that add up `piece (grant_id, day, low, high, reads)`: ranges of numbers, which may overlap.
 * `summed` has, for each grant, day and number of reads, the set of households that were read so often. A sweep over the ends
 * of the ranges: its cost depends on the number of ranges, not of households.
 */
const summedPieces = `
  ends AS (
    SELECT grant_id, day, low AS number, reads AS change FROM piece
     UNION ALL
    SELECT grant_id, day, high, -reads FROM piece
  ), changes AS (
    SELECT grant_id, day, number, sum(change) AS change FROM ends GROUP BY grant_id, day, number
  ), steps AS (
    SELECT grant_id, day, number AS low, lead(number) OVER upwards AS high, sum(change) OVER upwards AS reads
      FROM changes WINDOW upwards AS (PARTITION BY grant_id, day ORDER BY number)
  ), summed AS (
    SELECT grant_id, day, reads::int AS reads, range_agg(int4range(low, high)) AS households
      FROM steps WHERE reads > 0 GROUP BY grant_id, day, reads
  )`

/**
 * Adds a batch. $1 to $5 are arrays with an entry for each range of a grant and day: $1 grant id, $2 day in UTC, $3 first
 * number, $4 the number after the last, $5 reads. $6 to $8 have an entry for each grant: $6 grant id, $7 user id, $8 client_id
 */
export const addReads = statement(
  'add_reads',
  Type.Object({ rows: Type.Integer() }),
  `WITH piece AS (
     SELECT * FROM unnest($1::bigint[], $2::date[], $3::int[], $4::int[], $5::bigint[])
       AS piece (grant_id, day, low, high, reads)
   ), ${summedPieces}, named AS (
     INSERT INTO read_log_grants (grant_id, user_id, client_id, partner_name)
     SELECT g.grant_id, g.user_id, g.client_id, coalesce(p.name, g.client_id)
       FROM unnest($6::bigint[], $7::text[], $8::text[]) AS g (grant_id, user_id, client_id)
       LEFT JOIN partners p ON p.client_id = g.client_id
      WHERE NOT EXISTS (SELECT FROM read_log_grants known WHERE known.grant_id = g.grant_id)
         ON CONFLICT DO NOTHING
   ), added AS (
     INSERT INTO read_log (grant_id, day, reads, households, merged)
     SELECT grant_id, day, reads, households, false FROM summed RETURNING 1
   )
   SELECT count(*)::int AS rows FROM added`,
)

/** Rows of one grant and day that are left unmerged while the day goes on. */
const mostUnmerged = 100

const today = `(now() AT TIME ZONE 'UTC')::date`

/** Grants and days that one statement merges. */
export const mergedAtOnce = 50

const Merged = Type.Object({ merged: Type.Integer() })

/** Whether there is anything to merge. No parameters. */
export const findUnmerged = statement(
  'find_unmerged',
  Type.Object({ found: Type.Boolean() }),
  `SELECT EXISTS (
     SELECT FROM read_log WHERE NOT merged GROUP BY grant_id, day HAVING count(*) >= ${mostUnmerged} OR day < ${today}
   ) AS found`,
)

/**
 * Merges the rows of some grants and days: those with many rows, and all of the days that are over. Rows that a server adds
 * meanwhile stay as they are. Run it under the lock of the purge, one at a time. No parameters.
 */
export const mergeReads = statement(
  'merge_reads',
  Merged,
  `WITH due AS (
     SELECT grant_id, day FROM read_log WHERE NOT merged
      GROUP BY grant_id, day HAVING count(*) >= ${mostUnmerged} OR day < ${today} LIMIT ${mergedAtOnce}
   ), taken AS (
     DELETE FROM read_log l USING due WHERE l.grant_id = due.grant_id AND l.day = due.day
     RETURNING l.grant_id, l.day, l.reads, l.households
   ), piece AS (
     SELECT grant_id, day, lower(part) AS low, upper(part) AS high, reads FROM taken, unnest(households) AS part
   ), ${summedPieces}, added AS (
     INSERT INTO read_log (grant_id, day, reads, households, merged)
     SELECT grant_id, day, reads, households, true FROM summed
   )
   SELECT count(*)::int AS merged FROM due`,
)
