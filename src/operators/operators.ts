import { type Origin, originValue } from '../audit/origin.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { foldCase } from '../directory/case-folding.ts'
import {
  faultsOf,
  type NotChanged,
  newSetupLink,
  noSuchPerson,
  type SetupLink,
  shownLink,
} from '../people/accounts.ts'
import { quoted } from '../visible-text.ts'
import { deleteOperator, insertOperator, updateOperator } from './operators.sql.ts'
import type { Role } from './scopes.ts'

/** Stores an operator. */
export async function createOperator(
  database: Database,
  origin: Origin,
  config: Config,
  operator: { email: string; name: string; role: Role },
): Promise<({ kind: 'done'; id: string } & SetupLink) | NotChanged> {
  const email = operator.email.trim()
  const faults = faultsOf({ ...operator, email })
  if (faults.length > 0) return { kind: 'refused', reasons: faults }
  const link = newSetupLink(config, 'operator')
  const created = await database.maybe(insertOperator, [
    ...[email, foldCase(email), operator.name, operator.role],
    ...[link.hash, link.sealed, originValue(origin)],
  ])
  if (!created) return { kind: 'refused', reasons: [`${quoted(email)} is the address of another operator`] }
  return { kind: 'done', id: created.id, ...shownLink(config, link.address, created.expires_at) }
}

export type OperatorChange = {
  name?: string | undefined
  role?: Role | undefined
  status?: 'active' | 'disabled' | undefined
  email?: string | undefined
}

/**
 * Changes an operator. A change of the role or the status ends the sessions of the operator. The last active owner stays one.
 */
export async function changeOperator(
  database: Database,
  origin: Origin,
  idOrEmail: string,
  change: OperatorChange,
): Promise<{ kind: 'done'; id: string; sessionsEnded: number } | NotChanged> {
  const { name, role, status } = change
  const email = change.email?.trim()
  const faults = faultsOf({ name, email })
  if (faults.length > 0) return { kind: 'refused', reasons: faults }
  const row = await database.maybe(updateOperator, [
    ...[foldCase(idOrEmail), name ?? null, role ?? null, status ?? null],
    ...[email ?? null, email === undefined ? null : foldCase(email), originValue(origin)],
  ])
  if (!row) return noSuchPerson('operator', idOrEmail)
  if (row.last_owner) return lastOwner
  if (row.email_taken)
    return { kind: 'refused', reasons: [`${quoted(email ?? '')} is the address of another operator`] }
  return { kind: 'done', id: row.id, sessionsEnded: row.sessions_ended }
}

/** Removes an operator. What the operator did stays in the audit log. The last active owner cannot be removed. */
export async function removeOperator(
  database: Database,
  origin: Origin,
  idOrEmail: string,
): Promise<{ kind: 'done'; id: string } | NotChanged> {
  const row = await database.maybe(deleteOperator, [foldCase(idOrEmail), originValue(origin)])
  if (!row) return noSuchPerson('operator', idOrEmail)
  return row.last_owner ? lastOwner : { kind: 'done', id: row.id }
}

const lastOwner: NotChanged = {
  kind: 'refused',
  reasons: ['this is the last active owner; make another operator an owner first'],
}
