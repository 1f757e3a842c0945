import { type Origin, originValue } from '../audit/origin.ts'
import type { Config } from '../config.ts'
import type { Queries } from '../database/database.ts'
import type { DeveloperRole } from '../developer-keys/roles.ts'
import { foldCase } from '../directory/case-folding.ts'
import { faultsOf, newSetupLink, type SetupLink, shownLink } from '../people/accounts.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { deleteMember, inviteMember, updateMember } from './members.sql.ts'

/** Who changes the people of an application: an operator, or an administrator of the application. */
export type By = 'operator' | 'admin'

export type Invitation = { clientId: string; email: string; name: string; role: DeveloperRole }

export type InviteOutcome =
  /**
   * `link`: the account must still be set up. Only an operator gets it. An administrator of an application learns nothing
   * about the account, which may belong to someone who works for other partners too.
   */
  | { kind: 'invited' | 'was_member'; id: string; link?: SetupLink }
  /** There is no such application. */
  | { kind: 'unknown' }
  | { kind: 'refused'; reasons: string[] }

/** Makes someone a developer of an application, and mails it. */
export async function inviteDeveloper(
  database: Queries,
  origin: Origin,
  { config, by }: { config: Config; by: By },
  { clientId, email: typed, name, role }: Invitation,
): Promise<InviteOutcome> {
  const email = typed.trim()
  const reasons = faultsOf({ email, name })
  if (by === 'admin' && !config.mail) {
    reasons.push('This server sends no mails. Ask the operator of this API to invite developers.')
  }
  if (reasons.length > 0) return { kind: 'refused', reasons }
  const link = newSetupLink(config, 'developer')
  const key =
    by === 'admin' ? hmac(secretKeys(config).current.throttle, 'developer invitations', clientId) : null
  const row = await database.maybe(inviteMember, [
    ...[clientId, email, foldCase(email), name.trim(), role],
    ...[link.hash, link.sealed, key, originValue(origin)],
  ])
  if (!row) return { kind: 'unknown' }
  const { developer_id: id, link_expires_at: expiresAt } = row
  if (id === null) {
    return { kind: 'refused', reasons: ['Too many invitations were sent today. Try again tomorrow.'] }
  }
  const shown = by === 'operator' && expiresAt !== null && shownLink(config, link.address, expiresAt)
  return { kind: row.was_member ? 'was_member' : 'invited', id, ...(shown && { link: shown }) }
}

export type MemberOutcome =
  | { kind: 'done'; id: string }
  /** The developer is not a member of the application, or there is no such application. */
  | { kind: 'not_found' }
  /** Only an operator takes the last administrator away. */
  | { kind: 'last_admin' }

/** Changes what a developer may do with an application. @param developer id or address */
export async function changeMember(
  database: Queries,
  origin: Origin,
  by: By,
  { clientId, developer, role }: { clientId: string; developer: string; role: DeveloperRole },
): Promise<MemberOutcome> {
  const values = [clientId, foldCase(developer), role, by === 'operator', originValue(origin)]
  return outcomeOf(await database.maybe(updateMember, values))
}

/** Removes a developer from an application, with the next request of the developer. @param developer id or address */
export async function removeMember(
  database: Queries,
  origin: Origin,
  by: By,
  { clientId, developer }: { clientId: string; developer: string },
): Promise<MemberOutcome> {
  const values = [clientId, foldCase(developer), by === 'operator', originValue(origin)]
  return outcomeOf(await database.maybe(deleteMember, values))
}

function outcomeOf(row: { developer_id: string; last_admin: boolean } | undefined): MemberOutcome {
  if (!row) return { kind: 'not_found' }
  return row.last_admin ? { kind: 'last_admin' } : { kind: 'done', id: row.developer_id }
}
