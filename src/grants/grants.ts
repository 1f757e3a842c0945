import { type Origin, originValue } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { updateGrantEnd, updateGrantEnds, updateToRevoked } from './grants.sql.ts'

/**
 * Ends a grant, and with it all its connections and tokens, from the next request on.
 * @param userId the grant must belong to this user. Undefined: the operator ends it
 * @returns undefined if there is no such live grant
 */
export async function revokeGrant(
  database: Database,
  origin: Origin,
  { id, userId }: { id: string; userId?: string },
): Promise<{ clientId: string } | undefined> {
  if (!/^\d{1,18}$/.test(id)) return undefined
  const row = await database.maybe(updateToRevoked, [id, userId ?? null, originValue(origin)])
  return row && { clientId: row.client_id }
}

/**
 * Renews a user's consent: its end is counted from now.
 * @param defaultDays days for which a consent is valid by default; undefined: it has no end
 * @returns undefined if the grant has ended, belongs to another user, or already ends as late as a new consent would
 */
export async function renewGrant(
  database: Database,
  origin: Origin,
  { id, userId, defaultDays }: { id: string; userId: string; defaultDays: number | undefined },
): Promise<{ clientId: string } | undefined> {
  const row = await database.maybe(updateGrantEnd, [id, defaultDays ?? null, userId, originValue(origin)])
  return row && { clientId: row.client_id }
}

/**
 * Gives live grants the end that a consent of now would have, if they have none or a later one.
 * @param clientId only grants for this partner
 * @param defaultDays days for which a consent is valid by default; undefined: it has no end
 * @returns how many grants end earlier
 */
export async function applyLifetime(
  database: Database,
  origin: Origin,
  { clientId, defaultDays }: { clientId: string | undefined; defaultDays: number | undefined },
): Promise<number> {
  const values = [clientId ?? null, defaultDays ?? null, originValue(origin)]
  return (await database.run(updateGrantEnds, values)).length
}
