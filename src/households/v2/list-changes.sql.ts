import { statement } from '../../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../../resource/visibility-version.sql.ts'
import Type, { type Static } from '../../typebox.ts'
import { asOfColumn, instantText, latest } from '../as-of.sql.ts'
import { accessInOrder, type ByRole, rowsForRole, seesHousehold } from '../visibility.sql.ts'

/** The two logs keep all changes for this number of days. */
export const daysKept = 90

/**
 * In hours, because daylight saving time changes the length of days. With days, the limit could move back to a time whose
 * changes are already purged.
 */
const retention = `interval '${daysKept * 24} hours'`

/** SQL: the earliest instant since which changes can be read. */
const oldestChange = `now() - ${retention}`

/** SQL: whether a row of the logs can be purged. No later request can read it, and no statement in progress needs it. */
export const isPastRetention = `changed_at < now() - ${retention} - interval '1 minute'`

/**
 * There are two ways to read a page for a role that sees `granted`. One reads the firm's log and checks each change for
 * access. This is cheap if there are few changes. The other looks up each of the user's own households in the log. This is
 * cheap if the user has few households. `changesRow` in read-page.ts chooses.
 */
const fewChanges = 1000
export const mostOwnHouseholds = 5000

const asOf = '(SELECT as_of FROM sync)'
const window = 'LIMIT $4::int + 1'

// OFFSET 0 keeps each of these subqueries a look-up by key. PostgreSQL does not know the LIMIT. With a join, it might read
// the whole table.

/** Whether the user has access to an account of the household of the change `c`. */
const hasAccess = `EXISTS (
  SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = c.household_id OFFSET 0)`

/**
 * The changes `c` of one log that the sync has not sent yet, in the order of the log's index. No other index has these bounds
 * or this order. The bounds on the first column alone are redundant. With them, PostgreSQL expects no more rows from this
 * index than from the primary key. Without them, it would read all rows and sort them.
 */
function inOrder(log: 'household_changes' | 'access_changes', of: 'firm_id' | 'user_id', filter = 'true') {
  return `
    SELECT c.changed_at, c.household_id FROM ${log} c
     WHERE (c.${of}, c.changed_at, c.household_id) > (caller.${of}, $2::timestamptz, $3)
       AND (c.${of}, c.changed_at) <= (caller.${of}, ${asOf})
       AND c.${of} >= caller.${of} AND c.${of} <= caller.${of} AND ${filter}
     ORDER BY c.${of}, c.changed_at, c.household_id`
}

/**
 * Households to which the user gained or lost access. Only households that belong or belonged to the user's firm, because
 * access rows must not reveal other firms.
 */
const accessChanges = inOrder(
  'access_changes',
  'user_id',
  `(EXISTS (SELECT FROM households h WHERE h.firm_id = caller.firm_id AND h.id = c.household_id OFFSET 0)
     OR EXISTS (SELECT FROM household_changes l
                 WHERE l.firm_id = caller.firm_id AND l.household_id = c.household_id OFFSET 0))`,
)

/** The changes of the user's own households. The primary key of the log finds them in no useful order. */
const ownHouseholdChanges = `
  SELECT c.changed_at, c.household_id
    FROM (SELECT DISTINCT household_id FROM account_access WHERE user_id = caller.user_id) AS own
   CROSS JOIN LATERAL (SELECT * FROM household_changes
                        WHERE firm_id = caller.firm_id AND household_id = own.household_id LIMIT 1) AS c
   WHERE (c.changed_at, c.household_id) > ($2::timestamptz, $3) AND c.changed_at <= ${asOf}
   ORDER BY c.changed_at, c.household_id`

/** `$5` is refused if it is in the future, or if the logs do not contain all changes since then. */
const sync = `sync AS (
  SELECT coalesce($6::timestamptz, as_of) AS as_of,
         CASE WHEN $5::timestamptz > greatest(now(), as_of) THEN 'future'
              WHEN $5::timestamptz < greatest(sees_since, least(changed_at, ${oldestChange})) THEN 'expired' END AS fault
    FROM latest
)`

const MaybeText = Type.Union([Type.String(), Type.Null()])

const Row = {
  ...CallerColumns,
  ...VisibilityVersionColumn,
  fault: Type.Union([Type.Literal('future'), Type.Literal('expired'), Type.Null()]),
  as_of: Type.String(),
  more: Type.Boolean(),
  count: Type.Integer(),
  entries: MaybeText,
  removed_count: Type.Integer(),
  removed: MaybeText,
  last_id: MaybeText,
  last_changed_at: MaybeText,
  /** False if this statement read nothing, so that another statement must read the page. */
  complete: Type.Boolean(),
}

const ChangesRow = Type.Object(Row)
export type ChangesRow = Static<typeof ChangesRow>

/** Makes a page of `change`: each change with its place and, if the caller now sees the household, the household's JSON. */
const page = `
  entry AS (
    SELECT first.*, (SELECT h.json FROM households h WHERE h.id = first.household_id AND ${seesHousehold}) AS json
      FROM caller, (SELECT change.*, row_number() OVER (ORDER BY changed_at, household_id) AS place
                      FROM change ORDER BY changed_at, household_id ${window}) AS first
  ),
  page AS (SELECT * FROM entry WHERE place <= $4::int)`

const columns = `
  ${callerColumns}, ${visibilityVersionColumn}, (SELECT fault FROM sync) AS fault, ${asOfColumn('sync')},
  (SELECT count(*) FROM entry) > $4::int AS more,
  count(json)::int AS count, string_agg(json, ',' ORDER BY place) AS entries,
  count(*) FILTER (WHERE json IS NULL)::int AS removed_count,
  string_agg(to_json(household_id)::text, ',' ORDER BY place) FILTER (WHERE json IS NULL) AS removed,
  (SELECT household_id FROM page ORDER BY place DESC LIMIT 1) AS last_id,
  (SELECT ${instantText('changed_at')} FROM page ORDER BY place DESC LIMIT 1) AS last_changed_at`

const byFirmLog: ByRole = {
  firm: `${inOrder('household_changes', 'firm_id')} ${window}`,
  granted: `(${accessChanges} ${window}) UNION (${inOrder('household_changes', 'firm_id', hasAccess)} ${window})`,
}

/**
 * Authenticates the call and reads what changed for the caller, in the order of the changes. `entries` are the households
 * that are visible now, `removed` are the ids of the others, both without brackets. Also returns the position of the last
 * change. If a household changed in one import and the user gained or lost access to it in another, it has two changes and
 * is listed for both. Reads the firm's log in its order.
 *
 * $1 the access token, $2 and $3 instant and id of the last change sent, $4 page size, $5 instant since which
 * changes are read, $6 the `as_of` of the first page, null on the first page, $7 true: read the log even if it is long
 */
export const listChanges = statement(
  'list_changes',
  Type.Object({
    ...Row,
    /** The number of the user's own households if there are too many changes to check. At most `mostOwnHouseholds` + 1. */
    own: Type.Integer(),
  }),
  `WITH ${callerOf}, ${latest}, ${sync},
   plan AS (
     SELECT fault IS NOT NULL OR sees = 'firm' OR $7::boolean OR (
              SELECT count(*) FROM (${inOrder('household_changes', 'firm_id')} LIMIT ${fewChanges + 1}) AS c
            ) <= ${fewChanges} AS complete
       FROM caller, sync
   ),
   change AS (
     SELECT change.* FROM sync, plan, LATERAL (${rowsForRole(byFirmLog)}) AS change WHERE fault IS NULL AND complete
   ),
   own AS (
     SELECT own.* FROM plan, caller, LATERAL (${accessInOrder("''", `LIMIT ${mostOwnHouseholds + 1}`)}) AS own
      WHERE NOT complete
   ), ${page}
   SELECT ${columns}, coalesce((SELECT complete FROM plan), true) AS complete, (SELECT count(*) FROM own)::int AS own
     FROM page`,
)

/**
 * Like `listChanges`, but looks up each of the user's own households. $1 to $6 as in `listChanges`. Not complete if the role
 * was just changed to see the firm.
 */
export const listChangesOfOwn = statement(
  'list_changes_of_own',
  ChangesRow,
  `WITH ${callerOf}, ${latest}, ${sync},
   change AS (
     SELECT change.*
       FROM sync, caller, LATERAL ((${accessChanges} ${window}) UNION (${ownHouseholdChanges} ${window})) AS change
      WHERE fault IS NULL AND sees = 'granted'
   ), ${page}
   SELECT ${columns}, coalesce((SELECT sees = 'granted' FROM caller), false) AS complete FROM page`,
)
