import Type from 'typebox'
import { Instant, statement } from '../database/database.ts'
import { callerOf } from '../tokens/bearer.sql.ts'

/**
 * When anything changed that users of the firm of a row `caller` or `bearer` may see: every import that changes such a
 * thing moves it (docs/adr/0012).
 */
const firmChangedAt = (row: string) => `(SELECT changed_at FROM firms WHERE id = ${row}.firm_id)`

/**
 * All that decides, beside the address, what a caller is answered: the user, the firm, what the role sees, and the state
 * of the firm in seconds with six decimals.
 */
const viewOf = (row: string) =>
  `concat_ws(' ', ${row}.user_id, ${row}.firm_id, ${row}.sees, extract(epoch FROM ${firmChangedAt(row)}))`

/** To stand beside `callerColumns`; null for a call that is refused. */
export const viewColumn = `(SELECT ${viewOf('caller')} FROM caller) AS view`

export const ViewColumn = { view: Type.Union([Type.String(), Type.Null()]) }

/**
 * What an authenticated caller is answered by, without the answer; no row for a call that is refused.
 *
 * $1 SHA-256 of the access token
 */
export const viewOfCaller = statement(
  'view_of_caller',
  Type.Object({
    client_id: Type.String(),
    user_id: Type.String(),
    grant_id: Type.String(),
    used_at: Instant,
    view: Type.String(),
  }),
  `WITH ${callerOf}
   SELECT client_id, user_id, grant_id, now() AS used_at, ${viewOf('bearer')} AS view
     FROM bearer WHERE refusal IS NULL`,
)
