import Type from 'typebox'
import { statement } from '../database/database.ts'
import { CallerColumns, callerColumns, callerOf } from '../tokens/bearer.sql.ts'

/**
 * When anything changed that users of the caller's firm may see: every import that changes such a thing moves it
 * (docs/adr/0012). To stand where there is a row `caller`.
 */
export const firmChangedAt = '(SELECT changed_at FROM firms WHERE id = caller.firm_id)'

/**
 * All that decides, beside the address, what a caller is answered: the user, the firm, what the role sees, and the state
 * of the firm in seconds with six decimals. To stand beside `callerColumns`; null for a call that is refused.
 */
export const viewColumn = `
  (SELECT concat_ws(' ', user_id, firm_id, sees, extract(epoch FROM ${firmChangedAt})) FROM caller) AS view`

export const ViewColumn = { view: Type.Union([Type.String(), Type.Null()]) }

/**
 * Authenticates the call, and tells whether an answer that the client has is still right.
 *
 * $1 SHA-256 of the access token
 */
export const viewOfCaller = statement(
  'view_of_caller',
  Type.Object({ ...CallerColumns, ...ViewColumn }),
  `WITH ${callerOf} SELECT ${callerColumns}, ${viewColumn}`,
)
