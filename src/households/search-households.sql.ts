import Type from 'typebox'
import { statement } from '../database/database.ts'
import { type ByRole, each, householdsInOrder, ofCaller, seesHousehold } from '../directory/visibility.sql.ts'
import { CallerColumns, callerColumns, callerOf } from '../tokens/bearer.sql.ts'
import { asEntries, EntryColumns, entryColumns } from './list-households.sql.ts'

/**
 * A name that many households have is found soonest by reading on in the order of the ids; one that few have, by the
 * index of grams, which gives all of them in no order. Which of the two is told by the first few hundred households.
 * Where `hits` of `looked` have the name, a page costs about `needed * looked / hits` reads in order, and the other way
 * `hits / looked` of the firm: the square of `hits` says where they are equal, for a firm of a million. A household
 * read for a role that sees `granted` costs ten times as much, so fewer are looked at.
 */
const sample = { firm: 1000, granted: 200 }
const readOn = `looked < most OR hits * hits * weight >= $3::int + $4::bigint`

const sampled: ByRole = {
  firm: sampleOf(sample.firm, 4).firm,
  granted: sampleOf(sample.granted, 25).granted,
}

function sampleOf(most: number, weight: number): ByRole {
  return each(
    householdsInOrder('h.name_folded', { after: '$2', window: `LIMIT ${most}` }),
    (rows) => `
      SELECT ${most} AS most, ${weight} AS weight, count(*) AS looked, count(*) FILTER (WHERE name_folded LIKE $5) AS hits
        FROM (${rows}) AS first`,
  )
}

const window = 'LIMIT $3::int + 1 OFFSET $4::bigint'

const inOrder = each(
  householdsInOrder('h.json', { after: '$2', filter: 'h.name_folded LIKE $5', window }),
  asEntries,
)

/** OFFSET 0 keeps the search apart from the order: on its way through an ordered index it would test each name by itself. */
const byGrams = asEntries(`
  SELECT firm_id AS scope, id, json
    FROM (SELECT h.firm_id, h.id, h.json FROM households h
           WHERE name_grams(h.firm_id, h.name_folded) @@ replace($6, ${"U&'\\FFFF'"}, caller.firm_id)::tsquery
             AND h.name_folded LIKE $5 AND h.id > $2 AND ${seesHousehold}
          OFFSET 0) AS found
   ORDER BY firm_id, id ${window}`)

/** Common table expressions of `searchHouseholds`. */
export const foundPage = `
  sample AS (${ofCaller(sampled)}), page AS (
    SELECT seen.* FROM sample, LATERAL (${ofCaller(inOrder)}) AS seen WHERE ${readOn}
     UNION ALL
    SELECT seen.* FROM sample, caller, LATERAL (${byGrams}) AS seen WHERE NOT (${readOn})
  )`

/**
 * Authenticates the call and finds the visible households by a part of their name.
 *
 * $1 SHA-256 of the access token, $2 id that all of them follow, or empty, $3 page size, $4 households to pass over,
 * $5 LIKE pattern for the folded name, $6 tsquery of its grams, U+FFFF for the id of the caller's firm
 */
export const searchHouseholds = statement(
  'search_households',
  Type.Object({ ...CallerColumns, ...EntryColumns }),
  `WITH ${callerOf}, ${foundPage} SELECT ${callerColumns}, ${entryColumns}`,
)
