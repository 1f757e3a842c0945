/** The ranges of the caller's listing: of the firm, or of the households to which the caller has access (migration 0016). */
const rangesOfCaller = `listing_ranges
           WHERE firm_id = caller.firm_id AND user_id = CASE caller.sees WHEN 'firm' THEN '' ELSE caller.user_id END`

/**
 * The first range of the caller's listing that ends after `skipped` households. `households_to` counts the
 * households up to its end. The sum stops there, because the rows are in the order of the index.
 */
export const rangeOfPage = (skipped: string) => `
  SELECT after_id, households_to - households AS households_before
    FROM (SELECT after_id, households,
                 sum(households) OVER (ORDER BY firm_id, user_id, after_id ROWS UNBOUNDED PRECEDING) AS households_to
            FROM ${rangesOfCaller}
         ) AS range
   WHERE households_to > ${skipped}::bigint LIMIT 1`

/** The number of households that the caller sees. Reads one row for each thousand of them. */
export const countedHouseholds = `SELECT coalesce(sum(households), 0)::float8 AS households FROM ${rangesOfCaller}`
