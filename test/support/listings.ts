import type { Database } from '../../src/database/database.ts'
import { query } from './database.ts'
import type { DirectoryRows } from './directory.ts'
import { byteOrder } from './directory-rows.ts'

/** Makes ranges so small that a few households already fill several of them. */
export function useSmallRanges(database: Database, size: number): Promise<unknown> {
  return query(
    database,
    `CREATE OR REPLACE FUNCTION listing_range_size() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT ${size}'`,
  )
}

type Range = { firm_id: string; user_id: string; after_id: string; households: number; counted: number }

/** All ranges, each with the number of households that are really in it. */
export function countedRanges(database: Database): Promise<Range[]> {
  return query<Range>(
    database,
    `WITH listed AS (
       SELECT firm_id, '' AS user_id, id FROM households
        UNION ALL SELECT DISTINCT firm_id, user_id, household_id FROM account_access
     ), placed AS (
       SELECT l.*, (SELECT max(after_id) FROM listing_ranges r
                     WHERE (r.firm_id, r.user_id) = (l.firm_id, l.user_id) AND after_id < l.id) AS after_id
         FROM listed l
     )
     SELECT firm_id, user_id, after_id, coalesce(households, -1) AS households, count(placed.id)::int AS counted
       FROM placed FULL JOIN listing_ranges USING (firm_id, user_id, after_id)
      GROUP BY firm_id, user_id, after_id, households ORDER BY firm_id, user_id, after_id`,
  )
}

/** The ids that a user sees, in the order of the listing: a second, simple implementation. */
export function listed({ users, households, accounts, access }: DirectoryRows, userId: string): string[] {
  const user = users.find(({ id }) => id === userId)
  const granted = new Set(
    access
      .filter((row) => row.user === userId)
      .map((row) => accounts.find(({ id }) => id === row.account)?.household),
  )
  return households
    .filter(({ id, firm }) => firm === user?.firm && (user.sees === 'firm' || granted.has(id)))
    .map(({ id }) => id)
    .sort(byteOrder)
}
