import { statement } from '../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../resource/bearer.sql.ts'
import {
  columnOfVersion,
  VisibilityVersionColumn,
  versionOfCaller,
  visibilityVersionColumn,
  visibilityVersionOf,
} from '../resource/visibility-version.sql.ts'
import Type from '../typebox.ts'
import { rangeOfPage } from './listing-ranges.sql.ts'
import { householdsInOrder, mapByRole, rowsForRole } from './visibility.sql.ts'

export const EntryColumns = {
  count: Type.Integer(),
  entries: Type.Union([Type.String(), Type.Null()]),
}

/** Combines the `json` of `rows` into `Entries`. `order` is the order of the rows, which is kept without a sort. */
export const asEntries = (rows: string, order = 'scope, id') => `
  SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY ${order}) AS entries FROM (${rows}) AS entry`

/** Columns that a statement selects from its `page` to return entries. `page` may have no row. */
export const entryColumns =
  'coalesce((SELECT count FROM page), 0) AS count, (SELECT entries FROM page) AS entries'

const entries = (after: string, window: string) =>
  mapByRole(householdsInOrder('h.json', { after, window }), (rows) => asEntries(rows))
const page = (after: string, window: string) => `page AS (${rowsForRole(entries(after, window))})`

const nextPage = ['$2', 'LIMIT $3::int + 1'] as const

/** The common table expression `page` of `listHouseholds` and `syncHouseholds`. */
export const listedPage = page(...nextPage)

const Page = Type.Object({ ...CallerColumns, ...VisibilityVersionColumn, ...EntryColumns })

/**
 * Authenticates the call and reads the page, from indexes only. Reads one household more than the page size, to know
 * whether there is a next page.
 *
 * $1 the access token, $2 id after which the households begin, or empty, $3 page size
 */
export const listHouseholds = statement(
  'list_households',
  Type.Object({ ...Page.properties, sees: Type.Union([Type.String(), Type.Null()]) }),
  `WITH ${callerOf}, ${listedPage}
   SELECT ${callerColumns}, ${visibilityVersionColumn}, ${entryColumns}, (SELECT sees FROM caller) AS sees`,
)

/**
 * As `listHouseholds`, for a caller who sees the whole firm. No row in every other case, also if the call is refused.
 * PostgreSQL starts the whole plan of a statement at each call, so the other role's part would cost a tenth of this one.
 */
export const listFirmHouseholds = statement(
  'list_firm_households',
  Page,
  `WITH ${callerOf}
   SELECT caller.grant_id, now() AS used_at, caller.refusal, caller.client_id, caller.user_id,
          ${visibilityVersionOf('caller')} AS visibility_version, page.count, page.entries
     FROM bearer AS caller CROSS JOIN LATERAL (${entries(...nextPage).firm}) AS page
    WHERE caller.refusal IS NULL AND caller.sees = 'firm'`,
)

/**
 * Like `listHouseholds`, for a page by its number. If the caller's visibility version is still `$4`, the page begins after the
 * id `$5`, where the page before it ended. Otherwise it is found by the counts of the ranges before it, and at most one range
 * is read. No row in `start` means that there are no more than `$3` households.
 *
 * $1 the access token, $2 page size, $3 households to skip, $4 visibility version of a remembered place, or null,
 * $5 id of a remembered place, or null
 */
export const listHouseholdsByNumber = statement(
  'list_households_by_number',
  Page,
  `WITH ${callerOf}, ${versionOfCaller},
   start AS (
     SELECT $5 AS after_id, 0::bigint AS skipped FROM version WHERE visibility_version = $4
      UNION ALL
     SELECT range.after_id, $3::bigint - households_before
       FROM version, caller, LATERAL (${rangeOfPage('$3')}) AS range WHERE visibility_version IS DISTINCT FROM $4
   ),
   ${page('(SELECT after_id FROM start)', 'LIMIT $2::int + 1 OFFSET (SELECT skipped FROM start)')}
   SELECT ${callerColumns}, ${columnOfVersion}, ${entryColumns}`,
)
