import { Instant, statement } from '../database/database.ts'
import Type from '../typebox.ts'
import { callerOf } from './bearer.sql.ts'

/**
 * SQL for everything except the address that decides what a caller gets: the user, the firm, what the role sees, and the
 * instant of the last change to data that users of the firm may see, in seconds with six decimals. Every write that changes such
 * data updates the instant (docs/adr/0012). `row` is `caller` or `bearer`.
 */
export const visibilityVersionOf = (row: string) =>
  `concat_ws(' ', ${row}.user_id, ${row}.firm_id, ${row}.sees, extract(epoch FROM ${row}.firm_changed_at))`

/** The common table expression `version`, for statements that also compare it. No row if the call is refused. */
export const versionOfCaller = `version AS (SELECT ${visibilityVersionOf('caller')} AS visibility_version FROM caller)`

/** Like `visibilityVersionColumn`, from `version`. */
export const columnOfVersion = '(SELECT visibility_version FROM version) AS visibility_version'

/** Selected together with `callerColumns`. Null if the call is refused. */
export const visibilityVersionColumn = `(SELECT ${visibilityVersionOf('caller')} FROM caller) AS visibility_version`

export const VisibilityVersionColumn = { visibility_version: Type.Union([Type.String(), Type.Null()]) }

/**
 * Authenticates a call and returns the caller's visibility version, without reading a page. No row if the call is refused.
 *
 * $1 the access token
 */
export const visibilityVersionOfCaller = statement(
  'visibility_version_of_caller',
  Type.Object({
    client_id: Type.String(),
    user_id: Type.String(),
    grant_id: Type.String(),
    used_at: Instant,
    visibility_version: Type.String(),
  }),
  `WITH ${callerOf}
   SELECT client_id, user_id, grant_id, now() AS used_at, ${visibilityVersionOf('bearer')} AS visibility_version
     FROM bearer WHERE refusal IS NULL`,
)
