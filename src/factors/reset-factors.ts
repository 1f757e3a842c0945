import { type Origin, originValue } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { foldedUnlessId } from '../directory/users.ts'
import { deleteFactors, type RemovedFactors } from './factors.sql.ts'

/**
 * Removes all second factors of a user who has lost them, and ends the user's sessions and pending logins.
 * @param sendsMail whether the user gets a mail if there was a factor
 * @returns undefined if the user does not exist
 */
export function resetFactors(
  database: Database,
  origin: Origin,
  idOrEmail: string,
  sendsMail: boolean,
): Promise<RemovedFactors | undefined> {
  return database.maybe(deleteFactors, [foldedUnlessId(idOrEmail), sendsMail, originValue(origin)])
}
