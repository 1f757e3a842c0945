import { optional, parseOrigin, type ReadVariable } from './config-values.ts'
import type { Environment } from './environment.ts'

/** How partners go from a sandbox to production (docs/adr/0048). */
export type GoingLiveSettings = {
  /** In a sandbox: the origin of the production that its requests are for. Absent: partners cannot ask to go live. */
  productionUrl?: string
  /** In production: the Ed25519 public keys of the sandboxes whose requests it accepts, 32 bytes each in base64url. */
  sandboxKeys: string[]
}

/** Reads LATCHKEY_PRODUCTION_URL and LATCHKEY_SANDBOX_KEYS. */
export function readGoingLiveSettings(
  read: ReadVariable,
  environment: Environment | undefined,
  faults: string[],
): GoingLiveSettings {
  const productionUrl = read('LATCHKEY_PRODUCTION_URL', '', optional(parseOrigin))
  const sandboxKeys = read('LATCHKEY_SANDBOX_KEYS', '', parseSandboxKeys) ?? []
  if (productionUrl && environment === 'production') {
    faults.push('LATCHKEY_PRODUCTION_URL: is for a sandbox, and this is production')
  }
  if (sandboxKeys.length > 0 && environment === 'sandbox') {
    faults.push('LATCHKEY_SANDBOX_KEYS: is for production, and this is a sandbox')
  }
  return { ...(productionUrl && { productionUrl }), sandboxKeys }
}

/** Before the key, so that people and programs see what it is. */
export const sandboxKeyPrefix = 'ed25519:'

/** Several with commas between them: those of several sandboxes, or the present and the next one of a sandbox. */
function parseSandboxKeys(text: string): string[] {
  return text.split(',').flatMap((part) => {
    const key = part.trim()
    if (key === '') return []
    const [, encoded] = /^ed25519:([A-Za-z0-9_-]{43})$/.exec(key) ?? []
    if (encoded === undefined) {
      throw new Error(
        `must be keys such as ${sandboxKeyPrefix}… from \`latchkey going-live key\`, not "${key}"`,
      )
    }
    return [encoded]
  })
}
