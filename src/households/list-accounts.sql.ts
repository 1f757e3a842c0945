import { statement } from '../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../resource/visibility-version.sql.ts'
import Type from '../typebox.ts'
import { asEntries, EntryColumns } from './list-households.sql.ts'
import { seesAccount, seesHousehold } from './visibility.sql.ts'

/**
 * The active accounts of one household that the caller may see. `household_visible` is false for a household that the
 * caller may not see and for one that does not exist.
 *
 * $1 the access token, $2 household id, $3 page size, $4 accounts to skip,
 * $5 id after which the accounts begin, or empty
 */
export const listAccounts = statement(
  'list_accounts',
  Type.Object({
    ...CallerColumns,
    ...VisibilityVersionColumn,
    ...EntryColumns,
    household_visible: Type.Boolean(),
  }),
  `WITH ${callerOf}, household AS (
     SELECT h.id FROM caller, households h WHERE h.id = $2 AND ${seesHousehold}
   ), page AS (${asEntries(`
     SELECT a.household_id AS scope, a.id, a.json
       FROM caller, household, accounts a
      WHERE a.household_id = household.id AND a.id > $5 AND a.status = 'active' AND ${seesAccount}
      ORDER BY a.household_id, a.id LIMIT $3::int + 1 OFFSET $4::bigint`)}
   )
   SELECT ${callerColumns}, ${visibilityVersionColumn}, page.count, page.entries, EXISTS (SELECT FROM household) AS household_visible
     FROM page`,
)
