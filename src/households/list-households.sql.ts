import { statement } from '../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../resource/bearer.sql.ts'
import {
  VisibilityVersionColumn,
  visibilityVersionColumn,
  visibilityVersionOf,
} from '../resource/visibility-version.sql.ts'
import Type, { orNull } from '../typebox.ts'
import { rangeOfPage } from './listing-ranges.sql.ts'
import { type ByRole, householdsInOrder, mapByRole, rowsForRole } from './visibility.sql.ts'

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

const Page = { ...CallerColumns, ...VisibilityVersionColumn, ...EntryColumns }

/** Also says what the role of the caller sees; null if the call is refused. */
const PageOfAnyRole = Type.Object({
  ...Page,
  sees: orNull(Type.Union([Type.Literal('firm'), Type.Literal('granted')])),
})
const sees = '(SELECT sees FROM caller) AS sees'

/**
 * Authenticates the call and reads the page, from indexes only. Reads one household more than the page size, to know
 * whether there is a next page.
 *
 * $1 the access token, $2 id after which the households begin, or empty, $3 page size
 */
export const listHouseholds = statement(
  'list_households',
  PageOfAnyRole,
  `WITH ${callerOf}, ${listedPage}
   SELECT ${callerColumns}, ${visibilityVersionColumn}, ${entryColumns}, ${sees}`,
)

/**
 * As `listHouseholds`, for a caller with this role, whose visibility version is still `$4`. No row in every other case, also
 * if the call is refused. PostgreSQL starts the whole plan of a statement at each call, so the other role's part would cost a
 * tenth of this one.
 *
 * $1 to $3 as in `listHouseholds`, $4 visibility version of a remembered place, or null for any
 */
const listForRole = (role: keyof ByRole) =>
  statement(
    `list_${role}_households`,
    Type.Object(Page),
    `WITH ${callerOf}, known AS (
     SELECT bearer.*, ${visibilityVersionOf('bearer')} AS visibility_version
       FROM bearer WHERE refusal IS NULL AND sees = '${role}'
   )
   SELECT caller.grant_id, now() AS used_at, caller.refusal, caller.client_id, caller.user_id, caller.visibility_version,
          page.count, page.entries
     FROM known AS caller CROSS JOIN LATERAL (${entries(...nextPage)[role]}) AS page
    WHERE $4::text IS NULL OR caller.visibility_version = $4`,
  )

export const listByRole = { firm: listForRole('firm'), granted: listForRole('granted') }

/**
 * As `listHouseholds`, for a page by its number. It is found by the counts of the ranges before it, and at most one range is
 * read. No row in `start` means that there are no more than `$3` households.
 *
 * $1 the access token, $2 page size, $3 households to skip
 */
export const listHouseholdsByNumber = statement(
  'list_households_by_number',
  PageOfAnyRole,
  `WITH ${callerOf}, start AS (
     SELECT range.after_id, $3::bigint - households_before AS skipped
       FROM caller CROSS JOIN LATERAL (${rangeOfPage('$3')}) AS range
   ),
   ${page('(SELECT after_id FROM start)', 'LIMIT $2::int + 1 OFFSET (SELECT skipped FROM start)')}
   SELECT ${callerColumns}, ${visibilityVersionColumn}, ${entryColumns}, ${sees}`,
)
