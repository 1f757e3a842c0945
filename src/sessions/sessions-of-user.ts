import { type Origin, originValue } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { endOtherSessions, endSessionOfUser, type ListedSession, sessionsOfUser } from './sessions.sql.ts'

// What an operator sees and ends. The hash of no session is empty, so no session is the current one.
const noSession = Buffer.alloc(0)

/** The live sessions of a user, the last used first. */
export function listSessions(database: Database, userId: string): Promise<ListedSession[]> {
  return database.run(sessionsOfUser, [userId, noSession])
}

/**
 * Ends sessions of a user from the next request on. Connections of partners go on.
 * @param sessionId the `id` of a session. Undefined: all sessions
 * @returns how many have ended
 */
export async function endSessions(
  database: Database,
  origin: Origin,
  userId: string,
  sessionId: string | undefined,
): Promise<number> {
  if (sessionId === undefined) {
    return (await database.run(endOtherSessions, [userId, noSession, originValue(origin)])).length
  }
  if (!/^\d{1,18}$/.test(sessionId)) return 0
  return (await database.run(endSessionOfUser, [userId, sessionId, originValue(origin)])).length
}
