import Type from 'typebox'
import { statement } from '../../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../../resource/visibility-version.sql.ts'
import { EntryColumns, entryColumns, listedPage } from '../list-households.sql.ts'
import { foundPage } from '../search-households.sql.ts'
import { instantText } from './instant.ts'

/**
 * The instant that a copy read now is as of: all that the caller may see has changed for the last time then or before.
 * What changes later has a later instant, for imports wait for each other (docs/adr/0014).
 */
export const latest = `latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
    FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
)`

/** Empty where the call is refused. */
export const asOfColumn = (from: string) =>
  `coalesce((SELECT ${instantText('as_of')} FROM ${from}), '') AS as_of`

const Row = Type.Object({
  ...CallerColumns,
  ...VisibilityVersionColumn,
  ...EntryColumns,
  as_of: Type.String(),
  expired: Type.Boolean(),
})
const columns = (
  asOf: string,
) => `${callerColumns}, ${visibilityVersionColumn}, ${entryColumns}, ${asOfColumn('latest')},
  coalesce((SELECT ${asOf}::timestamptz < sees_since FROM latest), false) AS expired`

/**
 * As `listHouseholds`, with what it is as of, and whether since the walk began another role or firm decides what is seen.
 *
 * $5 the `as_of` of the first page, null on it
 */
export const syncHouseholds = statement(
  'sync_households',
  Row,
  `WITH ${callerOf}, ${latest}, ${listedPage} SELECT ${columns('$5')}`,
)

/** The same of `searchHouseholds`; `as_of` is $7. */
export const syncFoundHouseholds = statement(
  'sync_found_households',
  Row,
  `WITH ${callerOf}, ${latest}, ${foundPage} SELECT ${columns('$7')}`,
)
