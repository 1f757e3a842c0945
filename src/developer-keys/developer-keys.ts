import { type Origin, originValue } from '../audit/origin.ts'
import type { Queries } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { keyFaults } from '../management/key-rules.ts'
import { newToken, randomId } from '../secrets/token-format.ts'
import { quoted } from '../visible-text.ts'
import {
  type DeveloperKeyRow,
  insertDeveloperKey,
  mostLiveKeys,
  revokeDeveloperKeyRow,
} from './developer-keys.sql.ts'
import { developerRoles, isDeveloperRole } from './roles.ts'

/** `expiresInDays`: 1 to `longestKeyDays`. Undefined: the key does not expire. */
export type NewDeveloperKey = {
  clientId: string
  name: string
  role: string
  expiresInDays?: number | undefined
}

/** `text` is the only copy of the key. */
export type DeveloperKeyCreation =
  | { kind: 'created'; key: DeveloperKeyRow; text: string }
  | { kind: 'refused'; faults: string[] }

/** Makes a key for a program of a partner, or returns all faults and makes none. */
export async function createDeveloperKey(
  database: Queries,
  origin: Origin,
  environment: Environment,
  { clientId, role, expiresInDays, ...input }: NewDeveloperKey,
): Promise<DeveloperKeyCreation> {
  const name = input.name.trim()
  const faults = [
    ...keyFaults(name, expiresInDays),
    ...(isDeveloperRole(role)
      ? []
      : [`There is no role ${quoted(role)}. The roles are ${developerRoles.join(', ')}.`]),
  ]
  if (faults.length > 0) return { kind: 'refused', faults }
  const { text, hash } = newToken(environment, 'dk')
  const values = [randomId(), clientId, name, role, hash, expiresInDays ?? null, originValue(origin)]
  const key = await database.maybe(insertDeveloperKey, values)
  if (key) return { kind: 'created', key, text }
  const reason = `There is no partner ${quoted(clientId)}, or it has ${mostLiveKeys} live keys. Revoke keys that are not used.`
  return { kind: 'refused', faults: [reason] }
}

/** Undefined: the partner has no such key, or it is revoked already. */
export function revokeDeveloperKey(
  database: Queries,
  origin: Origin,
  { clientId, id }: { clientId: string; id: string },
): Promise<DeveloperKeyRow | undefined> {
  return database.maybe(revokeDeveloperKeyRow, [id, clientId, originValue(origin)])
}
