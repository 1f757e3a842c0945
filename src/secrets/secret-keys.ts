import type { Environment } from '../environment.ts'
import { ExplainedError } from '../explained-error.ts'
import type { Secrets } from './configured-secrets.ts'
import { type DerivedKeys, deriveKeys, type SecretKeys } from './derived-keys.ts'

/**
 * A refresh token lasts 30 days, and a rolling restart may take one. After that, nothing that was made with the previous
 * secret is valid.
 */
const previousSecretDays = 31

export type ConfiguredSecrets = Omit<Secrets, 'secretInDataDir'> & { environment: Environment }

/**
 * A token was signed under a secret that other servers use and this one does not have: the operator's fault, not the client's.
 */
export class MissingSecret extends ExplainedError {}

/**
 * The keys of the configured secrets.
 * @param currentSince when the current secret became current; undefined: tokens of the previous secret have no limit
 */
export function secretKeys(
  { secret, previousSecret, nextSecret, environment }: ConfiguredSecrets,
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
