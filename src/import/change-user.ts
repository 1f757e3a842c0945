import type { Origin } from '../audit/origin.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Database } from '../database/database.ts'
import { findUser } from '../directory/users.ts'
import { findUserRow } from './change-directory.sql.ts'
import { type DirectoryTransaction, inDirectoryTransaction, storeChange } from './change-directory.ts'
import { ChangeSet } from './change-set.ts'
import type { Reserved } from './reserved.ts'

/** Undefined: not changed. */
export type UserChanges = {
  email?: string | undefined
  name?: string | undefined
  role?: string | undefined
}

export type UserChange =
  | { kind: 'done'; id: string }
  | { kind: 'unknown' }
  /** Nothing was changed. The reasons are messages for the operator. */
  | { kind: 'refused'; reasons: string[] }
  /** An import or other changes of the directory are running. Nothing was changed. */
  | { kind: 'busy' }

/**
 * Changes a user as a change of the directory would: a new role moves the change logs of the partners that read for the user.
 * The next import or change by API sets the user to what it says (docs/directory-api.md).
 */
export async function changeUser(
  database: Database,
  origin: Origin,
  idOrEmail: string,
  changes: UserChanges,
  reserved: Reserved | undefined,
): Promise<UserChange> {
  if (Object.values(changes).every((value) => value === undefined)) {
    return { kind: 'refused', reasons: ['there is nothing to change'] }
  }
  const user = await findUser(database, idOrEmail)
  if (!user) return { kind: 'unknown' }
  const outcome = await inDirectoryTransaction(
    database,
    (transaction) => inTransaction(transaction, origin, user.id, changes, reserved),
    ({ kind }) => kind === 'done',
  )
  return outcome === 'busy' ? { kind: 'busy' } : outcome
}

async function inTransaction(
  transaction: DirectoryTransaction,
  origin: Origin,
  id: string,
  changes: UserChanges,
  reserved: Reserved | undefined,
): Promise<UserChange> {
  const user = await transaction.maybe(findUserRow, [id])
  if (!user) return { kind: 'unknown' } // deleted in the meantime
  const fields = (['email', 'name', 'role'] as const).filter(
    (field) => changes[field] !== undefined && changes[field] !== user[field],
  )
  const before = Object.fromEntries(fields.map((field) => [field, user[field]]))
  const after = Object.fromEntries(fields.map((field) => [field, changes[field]]))
  const change = new ChangeSet()
  change.add(1, { ...user, ...after, op: 'upsert', type: 'user' })
  const outcome = await storeChange(transaction, origin, change, { reserved, source: 'operator' })
  if (outcome.kind === 'refused') {
    return { kind: 'refused', reasons: outcome.faults.map(({ field, detail }) => `${field}: ${detail}`) }
  }
  if (outcome.changedAt !== null) {
    await recordEvent(transaction, origin, {
      event: 'user.updated',
      target: { kind: 'user', id },
      about: { user: id, firm: user.firm_id },
      details: { before, after },
    })
  }
  return { kind: 'done', id }
}
