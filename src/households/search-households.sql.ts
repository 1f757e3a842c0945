import Type from 'typebox'
import { statement } from '../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../resource/visibility-version.sql.ts'
import { asEntries, EntryColumns, entryColumns } from './list-households.sql.ts'
import { accessInOrder, householdsInOrder, seesHousehold } from './visibility.sql.ts'

/**
 * A name that many households have is found soonest by reading on in the order of the ids; one that few have, by the
 * index of grams, which gives all of them in no order. Which of the two is told by the first few hundred households that
 * follow. Where `hits` of `looked` have the name, a page costs about `needed * looked / hits` reads in order, and the
 * other way `hits / looked` of the households there are, each at the price of a few reads.
 */
const readOn = 'looked < most OR hits * hits * weight >= $3::int + $4::bigint'

/** How many there are, as of the last time the table was analyzed. Where there are more firms, the most that one has. */
const households = `(SELECT greatest(reltuples, 1) FROM pg_class WHERE oid = 'households'::regclass)`

/** Of a user who sees `granted`: who sees no more than so many has them all read, which costs less than the index may. */
const few = 2000

const next = (most: number | string) => ({ after: '$2', window: `LIMIT ${most}` })

/**
 * Whose households are read in order. One's own are looked up one by one, at ten times the price of reading just all of
 * the firm and looking up whether the user sees one where the name is the right one. The latter is therefore done for a
 * user who sees many, the next fifty of them among the next five hundred of the firm. OFFSET 0: asked once.
 */
const searcher = `
  SELECT caller.*, sees = 'firm' OR sees_many AND EXISTS (
           SELECT FROM (${accessInOrder('$2', 'LIMIT 1 OFFSET 49')}) AS fiftieth
            WHERE household_id <= coalesce(
              (SELECT max(id) FROM (${householdsInOrder('h.json', next(500)).firm}) AS followed), household_id)) AS from_firm
    FROM (SELECT caller.*, sees = 'granted' AND EXISTS (${accessInOrder('$2', `LIMIT 1 OFFSET ${few}`)}) AS sees_many
            FROM caller OFFSET 0) AS caller`

/** Out of the index, but for long names. */
const holdsPattern = `(h.name_searched LIKE $5 OR h.name_searched IS NULL
  AND (SELECT name_folded FROM households WHERE id = h.id) LIKE $5)`

/** `even`: of so many households, one hit makes both ways equally dear for one household that is needed; as measured. */
const sampleOf = (rows: string, most: number, even: number) => `
  SELECT ${most} AS most, ${households} / ${even} AS weight, count(*) AS looked, count(*) FILTER (WHERE hit) AS hits
    FROM (${rows}) AS first`

const firstOnes = {
  ofFirm: householdsInOrder(`${holdsPattern} AS hit`, next(400)).firm,
  own: householdsInOrder(`${holdsPattern} AS hit`, next('CASE WHEN caller.sees_many THEN 200 ELSE 0 END'))
    .granted,
}

const sample = `
  SELECT seen.* FROM searcher AS caller, LATERAL (${sampleOf(firstOnes.ofFirm, 400, 40_000)}) AS seen WHERE from_firm
   UNION ALL
  SELECT seen.* FROM searcher AS caller, LATERAL (${sampleOf(firstOnes.own, 200, 10_000)}) AS seen WHERE NOT from_firm`

const window = 'LIMIT $3::int + 1 OFFSET $4::bigint'

/**
 * What the first ones promised may be all that there is: where reading on has come so far without filling the page, the
 * next way is tried. `complete`: the page is full, or there was nothing more to read.
 */
const readOnFor = { firm: 50_000, own: 10_000 }

const readInOrder = (rows: string, most: number) => `
  SELECT found.*, found.count > $3::int OR (SELECT count(*) FROM (${rows}) AS read) < ${most} AS complete
    FROM (${asEntries(`SELECT scope, id, json FROM (${rows}) AS read WHERE hit ORDER BY scope, id ${window}`)}) AS found`

const ofFirm = readInOrder(
  householdsInOrder(`h.json, ${holdsPattern} AND ${seesHousehold} AS hit`, next(readOnFor.firm)).firm,
  readOnFor.firm,
)

const own = readInOrder(
  householdsInOrder(`h.json, ${holdsPattern} AS hit`, next(readOnFor.own)).granted,
  readOnFor.own,
)

/** OFFSET 0 keeps the rest apart from the search: no other index could give what it gives, but could be taken for it. */
const byGrams = asEntries(`
  SELECT h.firm_id AS scope, h.id, h.json
    FROM (SELECT firm_id, id, json FROM households
           WHERE name_grams(firm_id, name_folded) @@ replace($6, ${"U&'\\FFFF'"}, caller.firm_id)::tsquery
             AND name_folded LIKE $5
          OFFSET 0) AS h
   WHERE h.id > $2 AND ${seesHousehold}
   ORDER BY h.firm_id, h.id ${window}`)

/** Common table expressions of `searchHouseholds`. */
export const foundPage = `
  searcher AS (${searcher}),
  sample AS (${sample}),
  of_firm AS (
    SELECT seen.* FROM sample, searcher AS caller, LATERAL (${ofFirm}) AS seen WHERE from_firm AND (${readOn})
  ), own AS (
    SELECT seen.* FROM sample, searcher AS caller, LATERAL (${own}) AS seen
     WHERE sees = 'granted' AND (${readOn}) AND NOT EXISTS (SELECT FROM of_firm WHERE complete)
  ), in_order AS (
    SELECT count, entries FROM of_firm WHERE complete UNION ALL SELECT count, entries FROM own WHERE complete
  ), page AS (
    SELECT count, entries FROM in_order
     UNION ALL
    SELECT seen.* FROM caller, LATERAL (${byGrams}) AS seen WHERE NOT EXISTS (SELECT FROM in_order)
  )`

/**
 * Authenticates the call and finds the visible households by a part of their name.
 *
 * $1 SHA-256 of the access token, $2 id that all of them follow, or empty, $3 page size, $4 households to pass over,
 * $5 LIKE pattern for the folded name, $6 tsquery of its grams, U+FFFF for the id of the caller's firm
 */
export const searchHouseholds = statement(
  'search_households',
  Type.Object({ ...CallerColumns, ...VisibilityVersionColumn, ...EntryColumns }),
  `WITH ${callerOf}, ${foundPage} SELECT ${callerColumns}, ${visibilityVersionColumn}, ${entryColumns}`,
)
