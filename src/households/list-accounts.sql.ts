import Type from 'typebox'
import { statement } from '../database/database.ts'
import { visibleAccounts, visibleHouseholds } from '../directory/visibility.sql.ts'
import { CallerColumns, callerColumns, callerOf } from '../tokens/bearer.sql.ts'

/**
 * The active accounts of one household that the caller may see. `household_visible` is false alike for a household of
 * somebody else and for one that does not exist.
 *
 * $1 SHA-256 of the access token, $2 household id, $3 page size, $4 accounts to pass over,
 * $5 id that all of them follow, or empty
 */
export const listAccounts = statement(
  'list_accounts',
  Type.Object({
    ...CallerColumns,
    household_visible: Type.Boolean(),
    accounts: Type.Integer(),
    body: Type.String(),
    last: Type.Union([Type.String(), Type.Null()]),
  }),
  `WITH ${callerOf}, page AS (
    SELECT *, row_number() OVER (ORDER BY id) AS place
      FROM (SELECT id, household_id, name, type, number_masked, custodian, currency, status, opened_on
              FROM (${visibleAccounts}) AS visible
             WHERE household_id = $2 AND status = 'active' AND id > $5
             ORDER BY id LIMIT $3::int + 1 OFFSET $4::bigint) AS one_more
  )
  SELECT ${callerColumns},
         EXISTS (SELECT FROM (${visibleHouseholds}) AS visible WHERE id = $2) AS household_visible,
         (SELECT count(*)::int FROM page WHERE place <= $3) AS accounts,
         coalesce((SELECT json_agg(json_strip_nulls(json_build_object(
                     'id', id, 'household_id', household_id, 'name', name, 'type', type,
                     'number_masked', number_masked, 'custodian', custodian, 'currency', currency,
                     'status', status, 'opened_on', opened_on)) ORDER BY id)
                     FROM page WHERE place <= $3), '[]')::text AS body,
         (SELECT id FROM page WHERE place = $3 AND EXISTS (SELECT FROM page WHERE place > $3)) AS last`,
)
