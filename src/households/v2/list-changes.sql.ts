import { type Statement, statement } from '../../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../../resource/visibility-version.sql.ts'
import Type, { type Static } from '../../typebox.ts'
import { asOfColumn, instantText, latest } from '../as-of.sql.ts'
import { type ByRole, rowsForRole } from '../visibility.sql.ts'
import { accountLogs, type ChangeLogs, householdLogs } from './change-logs.sql.ts'

/** The logs keep all changes for this number of days. */
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
 * access. This is cheap if there are few changes. The other looks up in the log each household or account that the user has
 * access to ("own"). This is cheap if these are few. `readChanges` chooses.
 */
const fewChanges = 1000
export const mostOwn = 5000

const asOf = '(SELECT as_of FROM sync)'
const window = 'LIMIT $4::int + 1'

/**
 * The changes `c` of one log that the sync has not sent yet, in the order of the log's index. No other index has these bounds
 * or this order. The bounds on the first column alone are redundant. With them, PostgreSQL expects no more rows from this
 * index than from the primary key. Without them, it would read all rows and sort them.
 */
function inOrder({ id, ofFirm, ofUser }: ChangeLogs, of: 'firm_id' | 'user_id', filter = 'true'): string {
  return `
    SELECT c.changed_at, c.${id} AS id FROM ${of === 'firm_id' ? ofFirm : ofUser} c
     WHERE (c.${of}, c.changed_at, c.${id}) > (caller.${of}, $2::timestamptz, $3)
       AND (c.${of}, c.changed_at) <= (caller.${of}, ${asOf})
       AND c.${of} >= caller.${of} AND c.${of} <= caller.${of} AND ${filter}
     ORDER BY c.${of}, c.changed_at, c.${id}`
}

/**
 * What the user gained or lost access to. Only what belongs or belonged to the user's firm, because access rows must not
 * reveal other firms.
 */
function accessChanges(logs: ChangeLogs): string {
  const { id, ofFirm, isOfFirm } = logs
  return inOrder(
    logs,
    'user_id',
    `(${isOfFirm}
     OR EXISTS (SELECT FROM ${ofFirm} l WHERE l.firm_id = caller.firm_id AND l.${id} = c.${id} OFFSET 0))`,
  )
}

/** The changes of what the user has access to. The primary key of the log finds them in no useful order. */
function ownChanges({ id, ofFirm, own }: ChangeLogs): string {
  return `
  SELECT c.changed_at, c.${id} AS id
    FROM (${own}) AS own
   CROSS JOIN LATERAL (SELECT * FROM ${ofFirm} WHERE firm_id = caller.firm_id AND ${id} = own.id LIMIT 1) AS c
   WHERE (c.changed_at, c.${id}) > ($2::timestamptz, $3) AND c.changed_at <= ${asOf}
   ORDER BY c.changed_at, c.${id}`
}

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
  removed_reasons: MaybeText,
  last_id: MaybeText,
  last_changed_at: MaybeText,
  /** False if this statement read nothing, so that another statement must read the page. */
  complete: Type.Boolean(),
}

const ChangesRow = Type.Object(Row)
export type ChangesRow = Static<typeof ChangesRow>

const FirstChangesRow = Type.Object({
  ...Row,
  /** If there are too many changes to check: to how many households or accounts the user has access, at most `mostOwn` + 1. */
  own: Type.Integer(),
})
type FirstChangesRow = Static<typeof FirstChangesRow>

/** Makes a page of `change`: each change with its place and, if the caller now sees what changed, its JSON. */
const page = ({ visible }: ChangeLogs) => `
  entry AS (
    SELECT first.*, (${visible}) AS json
      FROM caller, (SELECT change.*, row_number() OVER (ORDER BY changed_at, id) AS place
                      FROM change ORDER BY changed_at, id ${window}) AS first
  ),
  page AS (SELECT * FROM entry WHERE place <= $4::int)`

const columns = ({ removedReason }: ChangeLogs) => `
  ${callerColumns}, ${visibilityVersionColumn}, (SELECT fault FROM sync) AS fault, ${asOfColumn('sync')},
  (SELECT count(*) FROM entry) > $4::int AS more,
  count(json)::int AS count, string_agg(json, ',' ORDER BY place) AS entries,
  count(*) FILTER (WHERE json IS NULL)::int AS removed_count,
  string_agg(to_json(id)::text, ',' ORDER BY place) FILTER (WHERE json IS NULL) AS removed,
  (jsonb_object_agg(id, ${removedReason('page.id')}) FILTER (WHERE json IS NULL))::text AS removed_reasons,
  (SELECT id FROM page ORDER BY place DESC LIMIT 1) AS last_id,
  (SELECT ${instantText('changed_at')} FROM page ORDER BY place DESC LIMIT 1) AS last_changed_at`

const byFirmLog = (logs: ChangeLogs): ByRole => ({
  firm: `${inOrder(logs, 'firm_id')} ${window}`,
  granted: `(${accessChanges(logs)} ${window}) UNION (${inOrder(logs, 'firm_id', logs.hasAccess)} ${window})`,
})

/**
 * Authenticates the call and reads what changed for the caller, in the order of the changes. `entries` are the households or
 * accounts that are visible now, `removed` are the ids of the others, both without brackets. `removed_reasons` is an object
 * with the reason for each of these ids. Also returns the position of the last change. If a household changed in one import and
 * the user gained or lost access to it in another, it has two changes and is listed for both. Reads the firm's log in its
 * order.
 *
 * $1 the access token, $2 and $3 instant and id of the last change sent, $4 page size, $5 instant since which
 * changes are read, $6 the `as_of` of the first page, null on the first page, $7 true: read the log even if it is long
 */
const listChanges = (logs: ChangeLogs) =>
  statement(
    `list_${logs.resource}_changes`,
    FirstChangesRow,
    `WITH ${callerOf}, ${latest}, ${sync},
   plan AS (
     SELECT fault IS NOT NULL OR sees = 'firm' OR $7::boolean OR (
              SELECT count(*) FROM (${inOrder(logs, 'firm_id')} LIMIT ${fewChanges + 1}) AS c
            ) <= ${fewChanges} AS complete
       FROM caller, sync
   ),
   change AS (
     SELECT change.* FROM sync, plan, LATERAL (${rowsForRole(byFirmLog(logs))}) AS change WHERE fault IS NULL AND complete
   ),
   own AS (
     SELECT own.* FROM plan, caller, LATERAL (${logs.ownOfFirm(`LIMIT ${mostOwn + 1}`)}) AS own WHERE NOT complete
   ), ${page(logs)}
   SELECT ${columns(logs)}, coalesce((SELECT complete FROM plan), true) AS complete, (SELECT count(*) FROM own)::int AS own
     FROM page`,
  )

/**
 * Like `listChanges`, but looks up each of the user's own households or accounts. $1 to $6 as in `listChanges`. Not complete if
 * the role was just changed to see the firm.
 */
const listOwnChanges = (logs: ChangeLogs) =>
  statement(
    `list_own_${logs.resource}_changes`,
    ChangesRow,
    `WITH ${callerOf}, ${latest}, ${sync},
   change AS (
     SELECT change.*
       FROM sync, caller, LATERAL ((${accessChanges(logs)} ${window}) UNION (${ownChanges(logs)} ${window})) AS change
      WHERE fault IS NULL AND sees = 'granted'
   ), ${page(logs)}
   SELECT ${columns(logs)}, coalesce((SELECT sees = 'granted' FROM caller), false) AS complete FROM page`,
  )

export type ChangeStatements = { all: Statement<FirstChangesRow>; own: Statement<ChangesRow> }

const statementsFor = (logs: ChangeLogs): ChangeStatements => ({
  all: listChanges(logs),
  own: listOwnChanges(logs),
})
export const householdChanges: ChangeStatements = statementsFor(householdLogs)
export const accountChanges: ChangeStatements = statementsFor(accountLogs)
