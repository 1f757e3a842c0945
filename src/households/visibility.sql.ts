/**
 * Defines who sees what. Every read uses these definitions. They need a row `caller (user_id, firm_id, sees)`. No role sees
 * data of another firm, even if an access row refers to it.
 */

/**
 * SQL for both kinds of role: `firm` sees every household of the firm, `granted` sees the households in which the user has
 * access to an account.
 */
export type ByRole = { firm: string; granted: string }

/**
 * The households of the caller's firm after the id `after` to which the caller has access rows, each once, in the order of
 * their ids. The access row carries the firm, so that LIMIT and OFFSET apply before any household is looked up.
 */
export function accessInOrder(after: string, window = ''): string {
  return `
    SELECT DISTINCT user_id, household_id FROM account_access
     WHERE (user_id, household_id) > (caller.user_id, ${after}) AND user_id <= caller.user_id
       AND firm_id = caller.firm_id
     ORDER BY user_id, household_id ${window}`
}

/**
 * The visible households `h` after the id `after`. Selects `columns`, and `scope` and `id`, by which an outer query orders
 * them. `window` (LIMIT, OFFSET) is part of the scan of the index that has the households in this order. `firm` leaves
 * PostgreSQL no other index: it might choose one, read all rows and sort them, because it does not know how small a LIMIT
 * parameter is. `granted` looks up all its households in one scan of an index, and households that are neighbours in it cost
 * one descent together (PostgreSQL 17 and later).
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
      SELECT caller.user_id AS scope, h.id, ${columns} FROM households h
       WHERE h.firm_id = caller.firm_id AND h.id = ANY (ARRAY(SELECT household_id FROM (${accessInOrder(after, window)}) AS own))`,
  }
}

/**
 * The `json` of the visible active accounts after the account `id` of the household `householdId`, in the order of households
 * and, within a household, of the accounts' ids (docs/adr/0024). Also selects what an outer query needs to repeat the order:
 * `scope`, `household_id` and `id`. An account that is not active is skipped, so `window` applies after the look-up. This is a
 * subquery of the select list, because PostgreSQL keeps the results of a joined one in memory, for repetitions that do not
 * occur. Without a limit, not even OFFSET 0, it would look up each account twice. `looksUp` limits the look-ups of a caller
 * whose accounts are nearly all closed.
 */
export function accountsInOrder({
  householdId,
  id,
  window,
  looksUp = 'OFFSET 0',
}: {
  householdId: string
  id: string
  window: string
  looksUp?: string
}): ByRole {
  return {
    firm: `
      SELECT a.firm_id AS scope, a.household_id, a.id, a.json FROM accounts a
       WHERE (a.firm_id, a.household_id, a.id) > (caller.firm_id, ${householdId}, ${id}) AND a.firm_id <= caller.firm_id
         AND a.status = 'active'
       ORDER BY a.firm_id, a.household_id, a.id ${window}`,
    granted: `
      SELECT scope, household_id, id, json
        FROM (SELECT x.user_id AS scope, x.household_id, x.account_id AS id,
                     (SELECT a.json FROM accounts a
                       WHERE a.household_id = x.household_id AND a.id = x.account_id AND a.status = 'active') AS json
                FROM account_access x
               WHERE (x.user_id, x.household_id, x.account_id) > (caller.user_id, ${householdId}, ${id})
                 AND x.user_id <= caller.user_id AND x.firm_id = caller.firm_id
               ORDER BY x.user_id, x.household_id, x.account_id ${looksUp}) AS own
       WHERE json IS NOT NULL
       ORDER BY scope, household_id, id ${window}`,
  }
}

/** Whether the caller sees the household `h`. Without OFFSET 0, PostgreSQL might hash all access rows instead of a look-up. */
export const seesHousehold: string = `(
  h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
    SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0)))`

/** Whether the caller sees the account `a`. */
export const seesAccount: string = `(
  a.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
    SELECT FROM account_access x
     WHERE x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id OFFSET 0)))`

/** The rows of the query for the caller's role. */
export function rowsForRole({ firm, granted }: ByRole): string {
  return `SELECT seen.* FROM caller CROSS JOIN LATERAL (${firm}) AS seen WHERE caller.sees = 'firm'
    UNION ALL
    SELECT seen.* FROM caller CROSS JOIN LATERAL (${granted}) AS seen WHERE caller.sees = 'granted'`
}

/** Applies `select` to both queries. */
export function mapByRole({ firm, granted }: ByRole, select: (rows: string) => string): ByRole {
  return { firm: select(firm), granted: select(granted) }
}
