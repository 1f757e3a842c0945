import { seesAccount } from '../visibility.sql.ts'

// Why an id of the changes is no longer visible, at the time of reading. What exists in another firm gives the same reason as
// what the user has lost access to, so that the answer says nothing about other firms.

/** SQL: why the household with the id `id` is no longer visible. */
export const householdRemovedReason = (id: string): string =>
  `CASE WHEN EXISTS (SELECT FROM households h WHERE h.id = ${id} OFFSET 0) THEN 'access_ended' ELSE 'household_deleted' END`

/** SQL: why the account with the id `id` is no longer visible to `caller`, a table with one row. */
export const accountRemovedReason = (id: string): string => `
  CASE WHEN NOT EXISTS (SELECT FROM accounts a WHERE a.id = ${id} OFFSET 0) THEN 'account_deleted'
       WHEN EXISTS (SELECT FROM caller, accounts a WHERE a.id = ${id} AND ${seesAccount} OFFSET 0) THEN 'account_closed'
       ELSE 'access_ended' END`
