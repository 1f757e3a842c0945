import { type Origin, originValue } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import {
  type Consequences,
  deletePartnerRow,
  findConsequences,
  lockConnectionsOfPartner,
  lockPartner,
} from './delete-partner.sql.ts'

/** Milliseconds: a partner may have very many connections. */
const deletionTimeout = 60_000

export type Deletion =
  | { kind: 'deleted'; ended: Consequences }
  | { kind: 'unknown' }
  /** Nothing was deleted: the number of connected users is another one than the operator has seen. */
  | { kind: 'changed'; now: Consequences }

/** What a deletion would end. Undefined: no such partner. */
export function consequencesOfDeletion(
  database: Database,
  clientId: string,
): Promise<Consequences | undefined> {
  return database.maybe(findConsequences, [clientId])
}

/**
 * Deletes a partner for good, with its grants and connections. From the next request on, its tokens are unknown.
 * @param seenUsers the number of connected users that the operator has seen. Undefined: any
 */
export function deletePartner(
  database: Database,
  origin: Origin,
  clientId: string,
  seenUsers: number | undefined,
): Promise<Deletion> {
  return inTransaction<Deletion>(
    (work) => database.withConnection(work),
    async (transaction) => {
      const locked = await transaction.maybe(lockPartner, [clientId])
      if (!locked) return { kind: 'unknown' }
      await transaction.one(lockConnectionsOfPartner, [clientId])
      const ended = await transaction.one(deletePartnerRow, [clientId, originValue(origin)])
      const isSeen = seenUsers === undefined || seenUsers === ended.connected_users
      return isSeen ? { kind: 'deleted', ended } : { kind: 'changed', now: ended }
    },
    ({ kind }) => kind === 'deleted',
    deletionTimeout,
  )
}
