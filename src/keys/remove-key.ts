import { type Origin, originValue } from '../audit/origin.ts'
import type { Queries } from '../database/database.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { deleteSigningKey, findKeyAlgorithm, type RemovedKey } from './remove-key.sql.ts'
import { generateSigningKey } from './signing-keys.ts'

/**
 * Removes a signing key whose private key leaked. Every server takes it out of the JWKS within `watchSeconds`, and no longer
 * accepts it in an `id_token_hint`. A partner that has the JWKS in its cache accepts the key for up to `jwksMaxAgeSeconds`
 * more.
 * @param keys of the secret that the servers use
 * @returns undefined if there is no such key
 */
export async function removeSigningKey(
  database: Queries,
  origin: Origin,
  keys: SecretKeys,
  kid: string,
): Promise<RemovedKey | undefined> {
  const found = await database.maybe(findKeyAlgorithm, [kid])
  if (!found) return undefined
  const made = await generateSigningKey(found.algorithm, keys.current['signing-key'])
  return database.maybe(deleteSigningKey, [
    kid,
    made.kid,
    made.publicJwk,
    made.sealedPrivateJwk,
    originValue(origin),
  ])
}
