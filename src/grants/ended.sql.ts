import Type from '../typebox.ts'

/** Why a connection has ended; the catalogue has it in src/errors/endings.ts. */
export const Ended = Type.Union([
  Type.Literal('ended_by_user'),
  Type.Literal('ended_by_operator'),
  Type.Literal('ended_by_firm_change'),
  Type.Literal('ended_by_expiry'),
  Type.Literal('ended_by_partner'),
  Type.Literal('ended_by_code_replay'),
  Type.Literal('ended_by_code_misuse'),
  Type.Literal('ended_by_refresh_replay'),
  Type.Literal('ended_by_leak'),
  Type.Literal('ended'),
  Type.Literal('user_disabled'),
])

/**
 * Whether a grant has expired, before anything else ended it. Null if it has no end. An expired grant stays expired: its row
 * is only closed later (`revoked_at`), when the user connects again (docs/adr/0035).
 */
export const hasExpired = (grant: string) => `${grant}.expires_at <= coalesce(${grant}.revoked_at, now())`

/** When a grant ended. Null if it is live. */
export const endOfGrant = (grant: string) =>
  `CASE WHEN ${hasExpired(grant)} THEN ${grant}.expires_at ELSE ${grant}.revoked_at END`

/** Whether a grant is live: nothing has ended it, and it has not expired. */
export const isLiveGrant = (grant: string) =>
  `(${grant}.revoked_at IS NULL AND coalesce(${grant}.expires_at > now(), true))`

/**
 * The WHEN clauses of a CASE that says why a connection has ended. The first clause that applies wins. No clause
 * applies to a live connection. The parameters are the aliases of the tables connections, grants and users.
 */
export const whenEnded = (connection: string, grant: string, user: string) => `
   WHEN ${connection}.revoked_at IS NOT NULL THEN
     CASE ${connection}.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
       WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
   WHEN ${hasExpired(grant)} THEN 'ended_by_expiry'
   WHEN ${grant}.revoked_at IS NOT NULL THEN
     CASE WHEN ${grant}.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN ${grant}.revoked_by = 'user' THEN 'ended_by_user'
       WHEN ${grant}.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
   WHEN ${user}.status <> 'active' THEN 'user_disabled'`

/**
 * Whether nothing has ended a connection. One expression and not three conditions: for a condition on `revoked_at`, and while
 * there are few grants, PostgreSQL would plan to read all live grants by their index, and keep this plan.
 */
export const isLive = (connection: string, grant: string, user: string) =>
  `CASE ${whenEnded(connection, grant, user)} END IS NULL`

/** Whether a connection is live, or would be again as soon as its user is enabled. */
export const mayBeLive = (connection: string, grant: string, user: string) =>
  `coalesce(CASE ${whenEnded(connection, grant, user)} END, 'user_disabled') = 'user_disabled'`
