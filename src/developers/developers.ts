import { type Origin, originValue } from '../audit/origin.ts'
import type { Queries } from '../database/database.ts'
import type { DeveloperRole } from '../developer-keys/roles.ts'
import { foldCase } from '../directory/case-folding.ts'
import { faultsOf, type NotChanged, noSuchPerson } from '../people/accounts.ts'
import { quoted } from '../visible-text.ts'
import { deleteDeveloper, type ListedDeveloper, listDevelopers, updateDeveloper } from './developers.sql.ts'

export type DeveloperChange = {
  name?: string | undefined
  status?: 'active' | 'disabled' | undefined
  email?: string | undefined
}

/** Changes the account of a developer. Only operators do: the developer may work for several partners. */
export async function changeDeveloper(
  database: Queries,
  origin: Origin,
  idOrEmail: string,
  { name, status, email: typed }: DeveloperChange,
): Promise<{ kind: 'done'; id: string; sessionsEnded: number } | NotChanged> {
  const email = typed?.trim()
  const reasons = faultsOf({ name, email })
  if (reasons.length > 0) return { kind: 'refused', reasons }
  const row = await database.maybe(updateDeveloper, [
    ...[foldCase(idOrEmail), name ?? null, status ?? null],
    ...[email ?? null, email === undefined ? null : foldCase(email), originValue(origin)],
  ])
  if (!row) return noSuchPerson('developer', idOrEmail)
  if (row.email_taken) {
    return { kind: 'refused', reasons: [`${quoted(email ?? '')} is the address of another developer`] }
  }
  return { kind: 'done', id: row.id, sessionsEnded: row.sessions_ended }
}

/** Removes the account of a developer, also from all applications. What the developer did stays in the audit log. */
export async function removeDeveloper(
  database: Queries,
  origin: Origin,
  idOrEmail: string,
): Promise<{ kind: 'done'; id: string } | NotChanged> {
  const row = await database.maybe(deleteDeveloper, [foldCase(idOrEmail), originValue(origin)])
  return row ? { kind: 'done', id: row.id } : noSuchPerson('developer', idOrEmail)
}

/** A developer as operators see it, with the role at one partner. Administrators of a partner see less: `membersOf`. */
export type DeveloperOfPartner = Omit<ListedDeveloper, 'partners'> & { role: DeveloperRole }

/** The developers of a partner, for operators. */
export async function developersOfPartner(
  database: Queries,
  clientId: string,
): Promise<DeveloperOfPartner[]> {
  const developers = await database.run(listDevelopers, [clientId])
  return developers.flatMap(({ partners, ...developer }) => {
    const membership = partners.find((partner) => partner.client_id === clientId)
    return membership ? { ...developer, role: membership.role } : []
  })
}
