import { statement } from '../../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../../resource/bearer.sql.ts'
import { VisibilityVersionColumn, visibilityVersionColumn } from '../../resource/visibility-version.sql.ts'
import Type from '../../typebox.ts'
import { seesHousehold } from '../visibility.sql.ts'

/**
 * Authenticates the call and returns the household as the API's JSON. Null if the caller may not see the household or if it
 * does not exist.
 *
 * $1 the access token, $2 household id
 */
export const findHousehold = statement(
  'find_household',
  Type.Object({
    ...CallerColumns,
    ...VisibilityVersionColumn,
    household: Type.Union([Type.String(), Type.Null()]),
  }),
  `WITH ${callerOf}
   SELECT ${callerColumns}, ${visibilityVersionColumn},
          (SELECT h.json FROM caller, households h WHERE h.id = $2 AND ${seesHousehold}) AS household`,
)
