import { originValue, systemOrigin } from '../audit/origin.ts'
import type { Queries } from '../database/database.ts'
import { keyIdOf, type SecretKeys } from '../secrets/derived-keys.ts'
import { type ConfiguredSecrets, endOfOverlap, MissingSecret, secretKeys } from '../secrets/secret-keys.ts'
import { findUsedSecret, recordCurrentSecret } from './secrets.sql.ts'

/**
 * Records which secret a server uses, and since when. Call it after the signing keys were opened: a server with a wrong
 * secret must record nothing.
 * @returns the server's keys; without those of the previous secret if its time is over
 * @throws {DatabaseUnavailable}
 */
export async function recordedSecretKeys(
  database: Queries,
  config: ConfiguredSecrets & { authUrl: string },
  now: Date,
): Promise<SecretKeys> {
  const values = [keyIdOf(config.secret), config.authUrl, originValue(systemOrigin)]
  const { current_since: since } = await database.one(recordCurrentSecret, values)
  if (now < endOfOverlap(since)) return secretKeys(config, since)
  const { secret, nextSecret, environment } = config
  return secretKeys({ secret, environment, ...(nextSecret ? { nextSecret } : {}) })
}

/**
 * Call it before a refresh token with an unknown key is refused: the client would give up the connection.
 * @throws {MissingSecret} if other servers of this deployment use the key
 */
export async function checkKeyIsForeign(database: Queries, keyId: string): Promise<void> {
  if (!(await database.maybe(findUsedSecret, [keyId]))) return
  throw new MissingSecret(
    `A token was signed under the secret ${keyId}, which other servers use and this one does not have. ` +
      'Set LATCHKEY_SECRET_NEXT or LATCHKEY_SECRET_PREVIOUS; `latchkey secret rotate` says which.',
  )
}
