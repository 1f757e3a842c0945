import Type from 'typebox'
import { statement } from '../database/database.ts'
import { type ByRole, each, householdsInOrder, ofCaller, seesHousehold } from '../directory/visibility.sql.ts'
import { CallerColumns, callerColumns, callerOf } from '../tokens/bearer.sql.ts'
import { asEntries, EntryColumns, entryColumns } from './list-households.sql.ts'
import { ViewColumn, viewColumn } from './view.sql.ts'

/**
 * A name that many households have is found soonest by reading on in the order of the ids; one that few have, by the
 * index of grams, which gives all of them in no order. Which of the two is told by the first few hundred households that
 * follow. Where `hits` of `looked` have the name, a page costs about `needed * looked / hits` reads in order, and the
 * other way `hits / looked` of the firm: the square of `hits` says where they are equal, for a firm of a million.
 * A user who sees `granted`, and no more than `few`, costs less than the index may: they are all read.
 */
const few = 2000

/** Out of the index, but for long names. */
const holdsPattern = `(h.name_searched LIKE $5 OR h.name_searched IS NULL
  AND (SELECT name_folded FROM households WHERE id = h.id) LIKE $5)`

const readOn = 'looked < most OR hits * hits * weight >= $3::int + $4::bigint'

const sampled: ByRole = {
  firm: sampleOf(400, 25).firm,
  granted: sampleOf(
    200,
    100,
    `(SELECT CASE count(*) WHEN ${few} THEN 200 ELSE 0 END FROM (
        SELECT DISTINCT user_id, household_id FROM account_access
         WHERE (user_id, household_id) > (caller.user_id, $2) AND user_id <= caller.user_id
         ORDER BY user_id, household_id LIMIT ${few}) AS counted)`,
  ).granted,
}

function sampleOf(most: number, weight: number, limit = String(most)): ByRole {
  return each(
    householdsInOrder(`${holdsPattern} AS hit`, { after: '$2', window: `LIMIT ${limit}` }),
    (rows) => `
      SELECT ${most} AS most, ${weight} AS weight, count(*) AS looked, count(*) FILTER (WHERE hit) AS hits
        FROM (${rows}) AS first`,
  )
}

const window = 'LIMIT $3::int + 1 OFFSET $4::bigint'

/**
 * What the first ones promised may be all that there is: where reading on has come so far without filling the page, the
 * index is asked after all. `complete`: the page is full, or there was nothing more to read.
 */
const readOnFor = { firm: 50_000, granted: 10_000 }

const inOrder: ByRole = {
  firm: readInOrder(readOnFor.firm).firm,
  granted: readInOrder(readOnFor.granted).granted,
}

function readInOrder(most: number): ByRole {
  const following = householdsInOrder(`h.json, ${holdsPattern} AS hit`, {
    after: '$2',
    window: `LIMIT ${most}`,
  })
  return each(
    following,
    (rows) => `
      SELECT found.*, found.count > $3::int OR (SELECT count(*) FROM (${rows}) AS read) < ${most} AS complete
        FROM (${asEntries(`SELECT scope, id, json FROM (${rows}) AS read WHERE hit ORDER BY scope, id ${window}`)}) AS found`,
  )
}

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
  sample AS (${ofCaller(sampled)}), in_order AS (
    SELECT seen.* FROM sample, LATERAL (${ofCaller(inOrder)}) AS seen WHERE ${readOn}
  ), page AS (
    SELECT count, entries FROM in_order WHERE complete
     UNION ALL
    SELECT seen.* FROM caller, LATERAL (${byGrams}) AS seen WHERE NOT EXISTS (SELECT FROM in_order WHERE complete)
  )`

/**
 * Authenticates the call and finds the visible households by a part of their name.
 *
 * $1 SHA-256 of the access token, $2 id that all of them follow, or empty, $3 page size, $4 households to pass over,
 * $5 LIKE pattern for the folded name, $6 tsquery of its grams, U+FFFF for the id of the caller's firm
 */
export const searchHouseholds = statement(
  'search_households',
  Type.Object({ ...CallerColumns, ...ViewColumn, ...EntryColumns }),
  `WITH ${callerOf}, ${foundPage} SELECT ${callerColumns}, ${viewColumn}, ${entryColumns}`,
)
