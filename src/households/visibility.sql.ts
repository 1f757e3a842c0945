/**
 * Who sees what: the one definition that every read goes through. All of it stands on a row
 * `caller (user_id, firm_id, sees)`. The firm is the boundary that no role crosses, whatever the access rows say.
 */

/** SQL for a role that sees `firm`, every household of it, and for one that sees `granted`, those with an account it has access to. */
export type ByRole = { firm: string; granted: string }

/** The households that access rows of the caller's name, and that follow the id `after`: once each, in the order of their ids. */
export function accessInOrder(after: string, window = ''): string {
  return `
    SELECT DISTINCT user_id, household_id FROM account_access
     WHERE (user_id, household_id) > (caller.user_id, ${after}) AND user_id <= caller.user_id
     ORDER BY user_id, household_id ${window}`
}

/**
 * The visible households `h` that follow the id `after`, in the order of their ids, as `columns` and, to say that order
 * again, `scope` and `id`. `window` (LIMIT, OFFSET) is part of the scan. Each is ordered by the index it
 * is read from, and by nothing that another index could give: PostgreSQL, which cannot know how few rows a LIMIT that
 * is a parameter asks for, would otherwise read all and sort.
 */
export function householdsInOrder(
  columns: string,
  { after, window }: { after: string; window: string },
): ByRole {
  return {
    firm: `
      SELECT h.firm_id AS scope, h.id, ${columns} FROM households h
       WHERE (h.firm_id, h.id) > (caller.firm_id, ${after}) AND h.firm_id <= caller.firm_id
       ORDER BY h.firm_id, h.id ${window}`,
    granted: `
      SELECT x.user_id AS scope, x.household_id AS id, ${columns}
        FROM (${accessInOrder(after)}) AS x
       CROSS JOIN LATERAL (SELECT * FROM households
                            WHERE firm_id = caller.firm_id AND id = x.household_id LIMIT 1) AS h
       ORDER BY x.user_id, x.household_id ${window}`,
  }
}

/** Of a household `h`: whether the caller sees it. OFFSET 0 keeps this a look-up, where PostgreSQL might hash all access rows. */
export const seesHousehold: string = `(
  h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
    SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0)))`

/** Of an account `a` of a household that the caller sees: whether the caller sees it. */
export const seesAccount: string = `(
  caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
    SELECT FROM account_access x
     WHERE x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id))`

/** What the one of the two gives that is the caller's. */
export function ofCaller({ firm, granted }: ByRole): string {
  return `SELECT seen.* FROM caller CROSS JOIN LATERAL (${firm}) AS seen WHERE caller.sees = 'firm'
    UNION ALL
    SELECT seen.* FROM caller CROSS JOIN LATERAL (${granted}) AS seen WHERE caller.sees = 'granted'`
}

/** The same of both. */
export function each({ firm, granted }: ByRole, select: (rows: string) => string): ByRole {
  return { firm: select(firm), granted: select(granted) }
}
