import Type from 'typebox'
import { statement } from '../../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../../resource/visibility-version.sql.ts'
import { asOfColumn, instantText, latest } from '../as-of.sql.ts'
import { accessInOrder, type ByRole, ofCaller, seesHousehold } from '../visibility.sql.ts'

/** For so many days the two logs tell all that changed. */
export const daysKept = 90

/** In hours: days are shorter and longer where clocks are changed, and the border would go back over what was purged. */
const kept = `interval '${daysKept * 24} hours'`

/** SQL: before this instant, changes are not asked for. */
const oldestChange = `now() - ${kept}`

/** SQL: of a row of the logs, whether nobody can ask for it any more, nor a statement that is under way. */
export const isForgotten = `changed_at < now() - ${kept} - interval '1 minute'`

/**
 * A page for a role that sees `granted` is read in one of two ways. By the firm's log: each change is checked for access,
 * which costs the less the fewer changes there are. By the user's own households: each is looked up in the log, which
 * costs the less the fewer households the user has. `readChanges` chooses.
 */
const fewChanges = 1000
export const mostOwnHouseholds = 5000

const asOf = '(SELECT as_of FROM sync)'
const window = 'LIMIT $4::int + 1'

// OFFSET 0 keeps each of these a look-up by key. As a join, PostgreSQL might read the whole table, not knowing the LIMIT.

/** Of a change `c`: whether the user has access to an account of the household. */
const hasAccess = `EXISTS (
  SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = c.household_id OFFSET 0)`

/**
 * The changes `c` of one log that are still to be told, in the order of its index. No other index has such bounds or this
 * order, and the plain ones on the first column, which say nothing new, make PostgreSQL expect no more of this one than of
 * the primary key: it would otherwise read all and sort.
 */
function inOrder(log: 'household_changes' | 'access_changes', of: 'firm_id' | 'user_id', filter = 'true') {
  return `
    SELECT c.changed_at, c.household_id FROM ${log} c
     WHERE (c.${of}, c.changed_at, c.household_id) > (caller.${of}, $2::timestamptz, $3)
       AND (c.${of}, c.changed_at) <= (caller.${of}, ${asOf})
       AND c.${of} >= caller.${of} AND c.${of} <= caller.${of} AND ${filter}
     ORDER BY c.${of}, c.changed_at, c.household_id`
}

/** Households that came into the user's access or left it, if they are or were of the firm, which no access row crosses. */
const accessChanges = inOrder(
  'access_changes',
  'user_id',
  `(EXISTS (SELECT FROM households h WHERE h.firm_id = caller.firm_id AND h.id = c.household_id OFFSET 0)
     OR EXISTS (SELECT FROM household_changes l
                 WHERE l.firm_id = caller.firm_id AND l.household_id = c.household_id OFFSET 0))`,
)

/** The changes of the user's own households, which the primary key of the log gives in no useful order. */
const ownHouseholdChanges = `
  SELECT c.changed_at, c.household_id
    FROM (SELECT DISTINCT household_id FROM account_access WHERE user_id = caller.user_id) AS own
   CROSS JOIN LATERAL (SELECT * FROM household_changes
                        WHERE firm_id = caller.firm_id AND household_id = own.household_id LIMIT 1) AS c
   WHERE (c.changed_at, c.household_id) > ($2::timestamptz, $3) AND c.changed_at <= ${asOf}
   ORDER BY c.changed_at, c.household_id`

/** `$5` is refused where nobody can have been told it, and where the logs do not tell all that changed since. */
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
  /** False: nothing was read, another statement has to. */
  complete: Type.Boolean(),
}

/** `change` as a page: each with its place and the household as the API answers it, if the caller sees it now. */
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
 * Authenticates the call and tells what changed for the caller, in the order of the changes: `entries` of what is visible
 * now, `removed` of the rest, both without brackets, and where it ended. A household that both changed and came into or
 * left the user's access, in two imports, is listed in both places. Reads the firm's log in its order.
 *
 * $1 SHA-256 of the access token, $2 and $3 instant and id of the last change told, $4 page size, $5 since when changes
 * are asked for, $6 the `as_of` of the first page, null on it, $7 whether to read the log however long it is
 */
export const listChanges = statement(
  'list_changes',
  Type.Object({
    ...Row,
    /** Where too many changes would have to be checked: the user's own households, up to one more than `mostOwnHouseholds`. */
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
     SELECT change.* FROM sync, plan, LATERAL (${ofCaller(byFirmLog)}) AS change WHERE fault IS NULL AND complete
   ),
   own AS (
     SELECT own.* FROM plan, caller, LATERAL (${accessInOrder("''", `LIMIT ${mostOwnHouseholds + 1}`)}) AS own
      WHERE NOT complete
   ), ${page}
   SELECT ${columns}, coalesce((SELECT complete FROM plan), true) AS complete, (SELECT count(*) FROM own)::int AS own
     FROM page`,
)

/**
 * As `listChanges`, but looks up each of the user's own households. $1 to $6 as there. Not complete where the role has
 * just begun to see the firm.
 */
export const listChangesOfOwn = statement(
  'list_changes_of_own',
  Type.Object(Row),
  `WITH ${callerOf}, ${latest}, ${sync},
   change AS (
     SELECT change.*
       FROM sync, caller, LATERAL ((${accessChanges} ${window}) UNION (${ownHouseholdChanges} ${window})) AS change
      WHERE fault IS NULL AND sees = 'granted'
   ), ${page}
   SELECT ${columns}, coalesce((SELECT sees = 'granted' FROM caller), false) AS complete FROM page`,
)
