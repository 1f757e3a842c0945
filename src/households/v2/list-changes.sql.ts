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
 * Of so many changes each is looked at, and otherwise, of a user with so many households at most, each household: what a
 * page costs grows neither with the firm for a user with few, nor with the user's households when little has changed.
 */
const fewChanges = 1000
const ownHouseholds = 10_000

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

const ofOwnHouseholds = `
  SELECT c.changed_at, c.household_id
    FROM (SELECT DISTINCT household_id FROM account_access WHERE user_id = caller.user_id) AS own
   CROSS JOIN LATERAL (SELECT * FROM household_changes
                        WHERE firm_id = caller.firm_id AND household_id = own.household_id LIMIT 1) AS c
   WHERE (c.changed_at, c.household_id) > ($2::timestamptz, $3) AND c.changed_at <= ${asOf}
   ORDER BY c.changed_at, c.household_id`

const byChanges = `(SELECT by_changes FROM plan)`

const changes: ByRole = {
  firm: `${inOrder('household_changes', 'firm_id')} ${window}`,
  granted: `
    (${accessChanges} ${window})
     UNION
    SELECT * FROM (${inOrder('household_changes', 'firm_id', hasAccess)} ${window}) AS c
     WHERE ${byChanges}
     UNION
    SELECT * FROM (${ofOwnHouseholds} ${window}) AS c WHERE NOT ${byChanges}`,
}

const plan = `plan AS (
  SELECT (SELECT count(*) FROM (${inOrder('household_changes', 'firm_id')} LIMIT ${fewChanges + 1}) AS c) <= ${fewChanges}
      OR (SELECT count(*) FROM (${accessInOrder("''", `LIMIT ${ownHouseholds + 1}`)}) AS own) > ${ownHouseholds} AS by_changes
    FROM caller WHERE caller.sees = 'granted'
)`

/** `$5` is refused where nobody can have been told it, and where the logs do not tell all that changed since. */
const sync = `sync AS (
  SELECT coalesce($6::timestamptz, as_of) AS as_of,
         CASE WHEN $5::timestamptz > greatest(now(), as_of) THEN 'future'
              WHEN $5::timestamptz < greatest(sees_since, least(changed_at, ${oldestChange})) THEN 'expired' END AS fault
    FROM latest
)`

/** Each change with the household as the API answers it, if the caller sees it now. */
const entries = `entry AS (
  SELECT page.*, (SELECT h.json FROM households h WHERE h.id = page.household_id AND ${seesHousehold}) AS json
    FROM caller, (SELECT change.*, row_number() OVER (ORDER BY changed_at, household_id) AS place
                    FROM sync, LATERAL (${ofCaller(changes)}) AS change WHERE fault IS NULL
                   ORDER BY changed_at, household_id ${window}) AS page
)`

const MaybeText = Type.Union([Type.String(), Type.Null()])

/**
 * Authenticates the call and tells what changed for the caller, in the order of the changes: `entries` of what is visible
 * now, `removed` of the rest, both without brackets, and where it ended. A household that both changed and came into or
 * left the user's access, in two imports, is told in both places.
 *
 * $1 SHA-256 of the access token, $2 and $3 instant and id of the last change told, $4 page size, $5 since when changes
 * are asked for, $6 the `as_of` of the first page, null on it
 */
export const listChanges = statement(
  'list_changes',
  Type.Object({
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
  }),
  `WITH ${callerOf}, ${latest}, ${sync}, ${plan}, ${entries}, page AS (SELECT * FROM entry WHERE place <= $4::int)
   SELECT ${callerColumns}, ${visibilityVersionColumn}, (SELECT fault FROM sync) AS fault, ${asOfColumn('sync')},
          (SELECT count(*) FROM entry) > $4::int AS more,
          count(json)::int AS count, string_agg(json, ',' ORDER BY place) AS entries,
          count(*) FILTER (WHERE json IS NULL)::int AS removed_count,
          string_agg(to_json(household_id)::text, ',' ORDER BY place) FILTER (WHERE json IS NULL) AS removed,
          (SELECT household_id FROM page ORDER BY place DESC LIMIT 1) AS last_id,
          (SELECT ${instantText('changed_at')} FROM page ORDER BY place DESC LIMIT 1) AS last_changed_at
     FROM page`,
)
