import Type from 'typebox'
import { statement } from '../../database/database.ts'
import { seesHousehold } from '../../directory/visibility.sql.ts'
import { CallerColumns, callerColumns, callerOf } from '../../tokens/bearer.sql.ts'
import { ViewColumn, viewColumn } from '../view.sql.ts'

/**
 * Authenticates the call and gives the household as the API answers it; null alike for one that the caller may not see
 * and one that does not exist.
 *
 * $1 SHA-256 of the access token, $2 household id
 */
export const findHousehold = statement(
  'find_household',
  Type.Object({ ...CallerColumns, ...ViewColumn, household: Type.Union([Type.String(), Type.Null()]) }),
  `WITH ${callerOf}
   SELECT ${callerColumns}, ${viewColumn},
          (SELECT h.json FROM caller, households h WHERE h.id = $2 AND ${seesHousehold}) AS household`,
)
