import Type from 'typebox'
import { Instant, statement } from '../database/database.ts'
import { callerOf } from './bearer.sql.ts'

/**
 * The instant of the last change to anything that users of the firm of a row `caller` or `bearer` may see. Every import
 * that changes such a thing moves it (docs/adr/0012).
 */
const firmChangedAt = (row: string) => `(SELECT changed_at FROM firms WHERE id = ${row}.firm_id)`

/**
 * Everything beside the address that decides what a caller gets: the user, the firm, what the role sees, and the instant
 * of the firm's last change in seconds with six decimals.
 */
const visibilityVersionOf = (row: string) =>
  `concat_ws(' ', ${row}.user_id, ${row}.firm_id, ${row}.sees, extract(epoch FROM ${firmChangedAt(row)}))`

/** Stands beside `callerColumns`; null for a call that is refused. */
export const visibilityVersionColumn = `(SELECT ${visibilityVersionOf('caller')} FROM caller) AS visibility_version`

export const VisibilityVersionColumn = { visibility_version: Type.Union([Type.String(), Type.Null()]) }

/**
 * Authenticates a call and gives the caller's visibility version, without reading a page; no row for a call that is
 * refused.
 *
 * $1 SHA-256 of the access token
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
