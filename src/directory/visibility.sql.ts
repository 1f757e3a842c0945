/**
 * Who sees what: the one definition that every read goes through. Both stand on a row `caller (user_id, firm_id, sees)`.
 * The firm is the boundary that no role crosses, whatever the access rows say.
 */

/** A role that sees `firm` sees every household of it; one that sees `granted`, those with an account it has access to. */
export const visibleHouseholds = `
  SELECT h.id, h.name, h.name_folded
    FROM caller JOIN households h ON h.firm_id = caller.firm_id
   WHERE caller.sees = 'firm'
  UNION ALL
  SELECT h.id, h.name, h.name_folded
    FROM caller
   CROSS JOIN LATERAL (
     SELECT DISTINCT a.household_id FROM account_access x JOIN accounts a ON a.id = x.account_id
      WHERE x.user_id = caller.user_id) granted
    JOIN households h ON h.id = granted.household_id AND h.firm_id = caller.firm_id
   WHERE caller.sees = 'granted'`

/** Of the accounts of visible households, a role that sees `granted` sees those it has access to. */
export const visibleAccounts = `
  SELECT a.*
    FROM caller
    JOIN households h ON h.firm_id = caller.firm_id
    JOIN accounts a ON a.household_id = h.id
   WHERE caller.sees = 'firm'
      OR EXISTS (SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.account_id = a.id)`
