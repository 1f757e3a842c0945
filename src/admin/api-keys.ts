import { type Origin, originValue } from '../audit/origin.ts'
import type { Queries } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { keyFaults } from '../management/key-rules.ts'
import { isScope, type Scope, scopes } from '../operators/scopes.ts'
import { newToken, randomId } from '../secrets/token-format.ts'
import { quoted } from '../visible-text.ts'
import { type ApiKeyRow, insertApiKey, revokeApiKeyRow } from './api-keys.sql.ts'

/** `expiresInDays`: 1 to `longestKeyDays`. Undefined: the key does not expire. */
export type NewApiKey = { name: string; scopes: string[]; expiresInDays?: number | undefined }

/** `text` is the only copy of the key. */
type ApiKeyCreation =
  | { kind: 'created'; key: ApiKeyRow; text: string }
  | { kind: 'refused'; faults: string[] }

/** Makes a key for a program that uses the admin API, or returns all faults and makes none. */
export async function createApiKey(
  database: Queries,
  origin: Origin,
  environment: Environment,
  input: NewApiKey,
): Promise<ApiKeyCreation> {
  const name = input.name.trim()
  const unique = [...new Set(input.scopes)].filter(isScope)
  const faults = faultsOf({ ...input, name })
  if (faults.length > 0) return { kind: 'refused', faults }
  const { text, hash } = newToken(environment, 'ak')
  const key = await database.one(insertApiKey, [
    randomId(),
    name,
    hash,
    inOrder(unique),
    input.expiresInDays ?? null,
    originValue(origin),
  ])
  return { kind: 'created', key, text }
}

/** @returns undefined if there is no such key, or it is revoked already */
export function revokeApiKey(database: Queries, origin: Origin, id: string): Promise<ApiKeyRow | undefined> {
  return database.maybe(revokeApiKeyRow, [id, originValue(origin)])
}

function faultsOf({ name, scopes: given, expiresInDays: days }: NewApiKey): string[] {
  return [
    keyFaults(name, days),
    given.length === 0 ? `At least one scope is required: ${scopes.join(', ')}.` : [],
    given
      .filter((scope) => !isScope(scope))
      .map((scope) => `There is no scope ${quoted(scope)}. The scopes are ${scopes.join(', ')}.`),
  ].flat()
}

function inOrder(given: Scope[]): Scope[] {
  return scopes.filter((scope) => given.includes(scope))
}
