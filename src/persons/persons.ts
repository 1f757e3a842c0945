import { randomUUID } from 'node:crypto'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { foldedUnlessId } from '../directory/users.ts'
import { erasePerson, exportPerson, recordExport } from './person.sql.ts'

/** What Latchkey has about a user, by kind of data: the user, sessions, grants, and rows of the logs. */
export type ExportedPerson = Record<string, unknown> & { user: unknown }

/** Undefined: there is no such user. The export itself is recorded in the audit log. */
export async function exportUser(
  database: Database,
  origin: Origin,
  idOrEmail: string,
): Promise<ExportedPerson | undefined> {
  const user = foldedUnlessId(idOrEmail)
  const exported = await database.expensive.maybe(exportPerson, [user])
  if (exported) await database.run(recordExport, [user, originValue(origin)])
  return exported
}

export type Erasure =
  | { kind: 'erased'; id: string; grants: number; sessions: number; accountAccess: number }
  | { kind: 'unknown' }
  /** An active user may log in, and the next import would create the user again. */
  | { kind: 'active'; id: string }

/**
 * Erases a disabled user from everything but the audit log (docs/read-log.md). The read log keeps which application read which
 * household, under a random pseudonym that nothing connects with the user.
 */
export async function eraseUser(database: Database, origin: Origin, idOrEmail: string): Promise<Erasure> {
  const values = [foldedUnlessId(idOrEmail), `erased-${randomUUID()}`, originValue(origin)]
  const row = await database.maybe(erasePerson, values)
  if (!row) return { kind: 'unknown' }
  const { id, erased, grants, sessions, account_access: accountAccess } = row
  return erased ? { kind: 'erased', id, grants, sessions, accountAccess } : { kind: 'active', id }
}
