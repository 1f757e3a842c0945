import Type from 'typebox'
import { statement } from '../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../resource/visibility-version.sql.ts'
import { each, householdsInOrder, ofCaller } from './visibility.sql.ts'

export const EntryColumns = {
  count: Type.Integer(),
  entries: Type.Union([Type.String(), Type.Null()]),
}

/** The `json` of `rows` as `Entries`. The order is the one that they have: nothing is sorted. */
export const asEntries = (rows: string) => `
  SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (${rows}) AS entry`

/** What a statement that answers with entries selects from its `page`, which may have no row. */
export const entryColumns =
  'coalesce((SELECT count FROM page), 0) AS count, (SELECT entries FROM page) AS entries'

const page = each(
  householdsInOrder('h.json', { after: '$2', window: 'LIMIT $3::int + 1 OFFSET $4::bigint' }),
  asEntries,
)

/** Common table expression of `listHouseholds`. */
export const listedPage = `page AS (${ofCaller(page)})`

/**
 * Authenticates the call and answers it, out of indexes alone. One household more than asked for is read, to know
 * whether there is a next page.
 *
 * $1 SHA-256 of the access token, $2 id that all of them follow, or empty, $3 page size, $4 households to pass over
 */
export const listHouseholds = statement(
  'list_households',
  Type.Object({ ...CallerColumns, ...VisibilityVersionColumn, ...EntryColumns }),
  `WITH ${callerOf}, ${listedPage} SELECT ${callerColumns}, ${visibilityVersionColumn}, ${entryColumns}`,
)
