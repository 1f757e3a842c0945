import { type Origin, originValue } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { type ListedFirm, type ListedRole, updateFirm, updateRole } from './requirements.sql.ts'

/** Undefined: the setting is not changed. `requireAcr: null`: users may connect with any login. */
export type FirmChanges = { requireAcr?: string | null | undefined; localPasswords?: boolean | undefined }

/** Changes how the users of a firm log in. Undefined: the firm does not exist. */
export function changeFirm(
  database: Database,
  origin: Origin,
  id: string,
  { requireAcr, localPasswords }: FirmChanges,
): Promise<ListedFirm | undefined> {
  const acr = requireAcr === null ? '' : (requireAcr ?? null)
  return database.maybe(updateFirm, [id, acr, localPasswords ?? null, originValue(origin)])
}

/** @param requireAcr null: users of the role may connect with any login. Undefined: the role does not exist. */
export function changeRole(
  database: Database,
  origin: Origin,
  name: string,
  requireAcr: string | null,
): Promise<ListedRole | undefined> {
  return database.maybe(updateRole, [name, requireAcr, originValue(origin)])
}
