import { accessInOrder, seesAccount, seesHousehold } from '../visibility.sql.ts'
import { accountRemovedReason, householdRemovedReason } from './removed-reasons.sql.ts'

/**
 * Where the changes of a resource are recorded (docs/adr/0014), and how its rows are found by the id in the logs. The
 * conditions are about `caller` and about the change `c`, a row of one of the logs.
 */
export type ChangeLogs = {
  /** Part of the statements' names. */
  resource: 'household' | 'account'
  /** The column of both logs that has the id. */
  id: 'household_id' | 'account_id'
  /** What came to a firm, changed or left it. */
  ofFirm: 'household_changes' | 'account_changes'
  /** What a user gained or lost access to. */
  ofUser: 'access_changes' | 'account_access_changes'
  /** Whether the user has access to what changed. */
  hasAccess: string
  /** Whether what changed is now of the user's firm. */
  isOfFirm: string
  /** Query for the ids `id` of all that the user has access to. */
  own: string
  /** Query for rows of the same number, of the user's firm only. `window` limits it. */
  ownOfFirm(window: string): string
  /** Query for the `json` of the resource with the id `id` of `first`; no row if the caller does not see it now. */
  visible: string
  /** Why the one with this id is no longer visible to `caller`. */
  removedReason(id: string): string
}

// OFFSET 0 keeps each of these subqueries a look-up by key. PostgreSQL does not know the LIMIT. With a join, it might read
// the whole table.

export const householdLogs: ChangeLogs = {
  resource: 'household',
  id: 'household_id',
  ofFirm: 'household_changes',
  ofUser: 'access_changes',
  hasAccess: `EXISTS (
    SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = c.household_id OFFSET 0)`,
  isOfFirm: `EXISTS (
    SELECT FROM households h WHERE h.firm_id = caller.firm_id AND h.id = c.household_id OFFSET 0)`,
  own: 'SELECT DISTINCT household_id AS id FROM account_access WHERE user_id = caller.user_id',
  ownOfFirm: (window) => accessInOrder("''", window),
  visible: `SELECT h.json FROM households h WHERE h.id = first.id AND ${seesHousehold}`,
  removedReason: householdRemovedReason,
}

export const accountLogs: ChangeLogs = {
  resource: 'account',
  id: 'account_id',
  ofFirm: 'account_changes',
  ofUser: 'account_access_changes',
  hasAccess: `EXISTS (
    SELECT FROM accounts a
      JOIN account_access x ON x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id
     WHERE a.id = c.account_id OFFSET 0)`,
  isOfFirm: `EXISTS (
    SELECT FROM accounts a WHERE a.id = c.account_id AND a.firm_id = caller.firm_id OFFSET 0)`,
  own: 'SELECT account_id AS id FROM account_access WHERE user_id = caller.user_id',
  ownOfFirm: (window) => `
    SELECT account_id FROM account_access WHERE user_id = caller.user_id AND firm_id = caller.firm_id ${window}`,
  visible: `SELECT a.json FROM accounts a WHERE a.id = first.id AND a.status = 'active' AND ${seesAccount}`,
  removedReason: accountRemovedReason,
}
