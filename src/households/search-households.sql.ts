import { statement } from '../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../resource/bearer.sql.ts'
import {
  columnOfVersion,
  VisibilityVersionColumn,
  versionOfCaller,
} from '../resource/visibility-version.sql.ts'
import Type from '../typebox.ts'
import { latest, SyncColumns, syncColumns } from './as-of.sql.ts'
import { asEntries, EntryColumns, entryColumns } from './list-households.sql.ts'
import { accessInOrder, householdsInOrder, seesHousehold } from './visibility.sql.ts'

// A search runs two statements. `searchSample` counts. Then one of the three others, chosen by `chooseSearchPlan`, reads the
// page. All three return the same page and differ only in cost (docs/adr/0017). Each statement authenticates the call.

/** The number of the firm's households in the sample. */
export const sampleSize = 200

/** `searchSample` counts the caller's own households up to this number. */
export const mostOwnCounted = 1000

/** Whether the name of a household `h` matches. `name_searched` is null if the name is too long for the index. */
const nameMatches = `(h.name_searched LIKE $3 OR h.name_searched IS NULL
  AND (SELECT name_folded FROM households WHERE id = h.id) LIKE $3)`

const firmInOrder = (columns: string, after: string, window: string) =>
  householdsInOrder(columns, { after, window }).firm

/** With a look-up for each household, so that the scan can end when the page is full. */
const ownInOrder = (columns: string, after: string, window: string) => `
  SELECT x.user_id AS scope, x.household_id AS id, ${columns}
    FROM (${accessInOrder(after, window)}) AS x
   CROSS JOIN LATERAL (SELECT * FROM households
                        WHERE firm_id = caller.firm_id AND id = x.household_id LIMIT 1) AS h
   ORDER BY x.user_id, x.household_id`

/** Where a page begins: after `$9` if the caller's visibility version is still `$8`, otherwise after `$2`. */
const start = `${versionOfCaller}, start AS (
  SELECT CASE WHEN visibility_version = $8 THEN $9 ELSE $2 END AS after_id,
         CASE WHEN visibility_version = $8 THEN 0 ELSE $5::bigint END AS skipped FROM version
)`
const afterStart = '(SELECT after_id FROM start)'

/**
 * Authenticates the call and counts what `chooseSearchPlan` needs. Returns no row if the call is refused. The sample
 * consists of the next households of the firm in listing order, visible or not, because reading them costs a tenth of
 * looking up the caller's own.
 *
 * $1 the access token, $2 id after which the households begin, or empty, $3 LIKE pattern for the folded name
 */
export const searchSample = statement(
  'search_sample',
  Type.Object({
    /** Households in the sample. If there are fewer than `sampleSize`, the firm has no further households. */
    sampled: Type.Integer(),
    /** Households in the sample whose name matches. */
    matching: Type.Integer(),
    /** Households in the sample that the caller sees, with any name. */
    visible: Type.Integer(),
    /** The caller's own households after $2, at most `mostOwnCounted`. Null for a role that sees the firm. */
    own: Type.Union([Type.Integer(), Type.Null()]),
    /** Households of all firms, as estimated by the last ANALYZE. */
    total: Type.Number(),
  }),
  `WITH ${callerOf},
   sample AS (
     SELECT count(*)::int AS sampled, count(*) FILTER (WHERE matches)::int AS matching, max(id) AS last_id
       FROM caller, LATERAL (${firmInOrder(`${nameMatches} AS matches`, '$2', `LIMIT ${sampleSize}`)}) AS next
   ),
   own AS (
     SELECT count(*)::int AS own, count(*) FILTER (WHERE household_id <= last_id)::int AS in_sample
       FROM sample, caller, LATERAL (${accessInOrder('$2', `LIMIT ${mostOwnCounted}`)}) AS next
      WHERE sees = 'granted'
   )
   SELECT sampled, matching, CASE sees WHEN 'firm' THEN sampled ELSE in_sample END AS visible,
          CASE sees WHEN 'granted' THEN own END AS own,
          (SELECT greatest(reltuples, 1) FROM pg_class WHERE oid = 'households'::regclass) AS total
     FROM caller, sample, own`,
)

const Page = { ...CallerColumns, ...VisibilityVersionColumn, ...EntryColumns, ...SyncColumns }
const pageColumns = `${callerColumns}, ${columnOfVersion}, ${entryColumns}, ${syncColumns('$6')}`

/** One household more than the page size, to know whether another page follows. */
const window = 'LIMIT $4::int + 1 OFFSET (SELECT skipped FROM start)'

/**
 * Reads a page from `rows`, which has at most `$7` rows. `complete` means that the page is full or that there were no more
 * rows to read. The scan ends as soon as the page is full. The rows are counted only if the page is not full.
 */
const pageInOrder = (rows: string, role = 'true') => `
  page AS (
    SELECT found.*, found.count > $4::int OR (SELECT count(*) FROM (${rows}) AS read) < $7::bigint AS complete
      FROM caller, LATERAL (
        ${asEntries(`SELECT scope, id, json FROM (${rows}) AS read WHERE matches ORDER BY scope, id ${window}`)}
      ) AS found
     WHERE ${role}
  )`

const InOrder = Type.Object({ ...Page, complete: Type.Boolean() })
const completeColumn = 'coalesce((SELECT complete FROM page), false) AS complete'

/**
 * Authenticates the call and reads the firm's households in listing order until the page is full. This is best if many
 * names match and the caller sees many of the firm's households. Access is checked only for households whose name matches.
 *
 * $1 the access token, $2 id after which the households begin, or empty, $3 LIKE pattern for the folded name,
 * $4 page size, $5 households to skip, $6 `as_of` of a sync's first page, or null, $7 maximum number of households to read,
 * $8 and $9 visibility version and id of a remembered place, or null. If they are used, $2 and $5 are not.
 */
export const searchFirmInOrder = statement(
  'search_firm_in_order',
  InOrder,
  `WITH ${callerOf}, ${latest}, ${start},
   ${pageInOrder(firmInOrder(`h.json, ${nameMatches} AND ${seesHousehold} AS matches`, afterStart, 'LIMIT $7::bigint'))}
   SELECT ${pageColumns}, ${completeColumn}`,
)

/**
 * Like `searchFirmInOrder`, but reads only the households to which the caller has access, with one look-up for each. This is
 * best for a caller who sees few of the firm's households. Only for roles that see `granted`.
 */
export const searchOwnInOrder = statement(
  'search_own_in_order',
  InOrder,
  `WITH ${callerOf}, ${latest}, ${start},
   ${pageInOrder(ownInOrder(`h.json, ${nameMatches} AS matches`, afterStart, 'LIMIT $7::bigint'), `caller.sees = 'granted'`)}
   SELECT ${pageColumns}, ${completeColumn}`,
)

/**
 * Authenticates the call and reads all matching households of the firm from the index of grams, which has no useful order.
 * This is best if few names match. OFFSET 0 prevents PostgreSQL from using another index.
 *
 * $1 to $6, $8 and $9 as in `searchFirmInOrder`, $7 tsquery of the pattern's grams, with U+FFFF for the id of the caller's firm
 */
export const searchByGrams = statement(
  'search_by_grams',
  Type.Object(Page),
  `WITH ${callerOf}, ${latest}, ${start},
   matching AS (
     SELECT h.firm_id, h.id, h.json FROM caller, households h
      WHERE name_grams(h.firm_id, h.name_folded) @@ replace($7, ${"U&'\\FFFF'"}, caller.firm_id)::tsquery
        AND h.name_folded LIKE $3
     OFFSET 0
   ),
   page AS (
     ${asEntries(`
       SELECT h.firm_id AS scope, h.id, h.json FROM caller, matching h
        WHERE h.id > ${afterStart} AND ${seesHousehold}
        ORDER BY h.firm_id, h.id ${window}`)}
   )
   SELECT ${pageColumns}`,
)
