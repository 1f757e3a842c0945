import { statement } from '../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../resource/visibility-version.sql.ts'
import Type from '../typebox.ts'
import { householdsInOrder, mapByRole, rowsForRole } from './visibility.sql.ts'

export const EntryColumns = {
  count: Type.Integer(),
  entries: Type.Union([Type.String(), Type.Null()]),
}

/** Combines the `json` of `rows` into `Entries`. Keeps the order of the rows without a sort. */
export const asEntries = (rows: string) => `
  SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (${rows}) AS entry`

/** Columns that a statement selects from its `page` to return entries. `page` may have no row. */
export const entryColumns =
  'coalesce((SELECT count FROM page), 0) AS count, (SELECT entries FROM page) AS entries'

const page = mapByRole(
  householdsInOrder('h.json', { after: '$2', window: 'LIMIT $3::int + 1 OFFSET $4::bigint' }),
  asEntries,
)

/** The common table expression `page` of `listHouseholds` and `syncHouseholds`. */
export const listedPage = `page AS (${rowsForRole(page)})`

/**
 * Authenticates the call and reads the page, from indexes only. Reads one household more than the page size, to know
 * whether there is a next page.
 *
 * $1 the access token, $2 id after which the households begin, or empty, $3 page size, $4 households to skip
 */
export const listHouseholds = statement(
  'list_households',
  Type.Object({ ...CallerColumns, ...VisibilityVersionColumn, ...EntryColumns }),
  `WITH ${callerOf}, ${listedPage} SELECT ${callerColumns}, ${visibilityVersionColumn}, ${entryColumns}`,
)
