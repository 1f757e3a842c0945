import { statement } from '../../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../../resource/visibility-version.sql.ts'
import Type from '../../typebox.ts'
import { latest, SyncColumns, syncColumns } from '../as-of.sql.ts'
import { EntryColumns, entryColumns, listedPage } from '../list-households.sql.ts'

/**
 * Like `listHouseholds`. Also returns the page's `as_of`, and whether the user's role or firm changed since the sync began.
 *
 * $1 to $3 as in `listHouseholds`, $4 the `as_of` of the first page, null on the first page
 */
export const syncHouseholds = statement(
  'sync_households',
  Type.Object({ ...CallerColumns, ...VisibilityVersionColumn, ...EntryColumns, ...SyncColumns }),
  `WITH ${callerOf}, ${latest}, ${listedPage}
   SELECT ${callerColumns}, ${visibilityVersionColumn}, ${entryColumns}, ${syncColumns('$4')}`,
)
