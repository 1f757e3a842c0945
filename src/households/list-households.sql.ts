import Type from 'typebox'
import { statement } from '../database/database.ts'
import { visibleHouseholds } from '../directory/visibility.sql.ts'
import { CallerColumns, callerColumns, callerOf } from '../tokens/bearer.sql.ts'

/**
 * Authenticates the call and answers it. `body` is the response as it goes out: built here, it costs the server a copy
 * instead of an object a row. One household more than asked for is read, to know whether there is a next page: `last` is
 * the last id of this one if there is.
 *
 * $1 SHA-256 of the access token, $2 LIKE pattern for the folded name or null, $3 page size, $4 households to pass over,
 * $5 id that all of them follow, or empty
 */
export const listHouseholds = statement(
  'list_households',
  Type.Object({
    ...CallerColumns,
    households: Type.Integer(),
    body: Type.String(),
    last: Type.Union([Type.String(), Type.Null()]),
  }),
  `WITH ${callerOf}, visible AS (${visibleHouseholds}
  ), page AS (
    SELECT id, name, row_number() OVER (ORDER BY id) AS place
      FROM (SELECT id, name FROM visible WHERE id > $5 AND ($2::text IS NULL OR name_folded LIKE $2)
             ORDER BY id LIMIT $3::int + 1 OFFSET $4::bigint) AS one_more
  )
  SELECT ${callerColumns}, (SELECT count(*)::int FROM page WHERE place <= $3) AS households,
         coalesce((SELECT json_agg(json_strip_nulls(json_build_object('id', id, 'name', name)) ORDER BY id)
                     FROM page WHERE place <= $3), '[]')::text AS body,
         (SELECT id FROM page WHERE place = $3 AND EXISTS (SELECT FROM page WHERE place > $3)) AS last`,
)
