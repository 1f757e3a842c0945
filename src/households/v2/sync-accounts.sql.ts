import { statement } from '../../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../../resource/visibility-version.sql.ts'
import Type from '../../typebox.ts'
import { latest, SyncColumns, syncColumns } from '../as-of.sql.ts'
import { asEntries, EntryColumns, entryColumns } from '../list-households.sql.ts'
import { accountsInOrder, mapByRole, rowsForRole } from '../visibility.sql.ts'

const pageOfRole = mapByRole(
  accountsInOrder({ householdId: '$2', id: '$3', window: 'LIMIT $4::int + 1' }),
  (rows) => asEntries(rows, 'scope, household_id, id'),
)

/**
 * Authenticates the call and reads a page of the active accounts that the caller may see, in all households. Like
 * `syncHouseholds`, reads one more than the page size and returns the page's `as_of`.
 *
 * $1 the access token, $2 and $3 household and id of the last account sent, or empty, $4 page size,
 * $5 the `as_of` of the first page, null on the first page
 */
export const syncAccounts = statement(
  'sync_accounts',
  Type.Object({ ...CallerColumns, ...VisibilityVersionColumn, ...EntryColumns, ...SyncColumns }),
  `WITH ${callerOf}, ${latest}, page AS (${rowsForRole(pageOfRole)})
   SELECT ${callerColumns}, ${visibilityVersionColumn}, ${entryColumns}, ${syncColumns('$5')}`,
)
