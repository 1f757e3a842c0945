import { originValue, systemOrigin } from '../audit/origin.ts'
import type { Queries } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { ExplainedError } from '../explained-error.ts'
import type { Secrets } from './configured-secrets.ts'
import { type DerivedKeys, deriveKeys, keyIdOf, type SecretKeys } from './derived-keys.ts'
import { findUsedSecret, recordCurrentSecret } from './secrets.sql.ts'

/**
 * A refresh token lasts 30 days, and a rolling restart may take one. After that, nothing that was made with the previous
 * secret is valid.
 */
const previousSecretDays = 31

type Configured = Omit<Secrets, 'secretInDataDir'> & { environment: Environment }

/** A token was signed under a secret that other servers use and this one does not have: the operator's fault, not the client's. */
export class MissingSecret extends ExplainedError {}

/**
 * The keys of the configured secrets.
 * @param currentSince when the current secret became current; undefined: tokens of the previous secret have no limit
 */
export function secretKeys(
  { secret, previousSecret, nextSecret, environment }: Configured,
  currentSince?: Date,
): SecretKeys {
  const current = deriveKeys(secret, environment)
  const next = nextSecret ? [deriveKeys(nextSecret, environment)] : []
  if (!previousSecret) return { current, accepted: [current, ...next] }
  const previous: DerivedKeys = {
    ...deriveKeys(previousSecret, environment),
    ...(currentSince ? { tokensExpireBefore: endOfOverlap(currentSince) } : {}),
  }
  return { current, previous, accepted: [current, previous, ...next] }
}

/** When everything that was made with the previous secret has expired. */
export function endOfOverlap(currentSince: Date): Date {
  return new Date(currentSince.getTime() + previousSecretDays * 24 * 3600 * 1000)
}

/**
 * Records which secret a server uses, and since when. Call it after the signing keys were opened: a server with a wrong
 * secret must record nothing.
 * @returns the server's keys; without those of the previous secret if its time is over
 * @throws {DatabaseUnavailable}
 */
export async function recordedSecretKeys(
  database: Queries,
  config: Configured & { authUrl: string },
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
