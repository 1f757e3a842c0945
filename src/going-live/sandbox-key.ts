import { createPublicKey, type KeyObject } from 'node:crypto'
import { sandboxKeyPrefix } from '../going-live-settings.ts'
import type { DerivedKeys, SecretKeys } from '../secrets/derived-keys.ts'
import { ed25519KeyOf } from '../secrets/ed25519.ts'

/** The key with which a sandbox signs requests to go live. */
export function signingKeyOf(keys: SecretKeys): KeyObject {
  return ed25519KeyOf(keys.current['going-live'])
}

/** The public key of a secret, as the operator of production configures it in LATCHKEY_SANDBOX_KEYS. */
export function sandboxKeyText(keys: DerivedKeys): string {
  return `${sandboxKeyPrefix}${encodedKeyOf(ed25519KeyOf(keys['going-live']))}`
}

/** The 32 bytes of the public key in base64url. */
export function encodedKeyOf(key: KeyObject): string {
  return String(createPublicKey(key).export({ format: 'jwk' }).x)
}

/** @param encoded 32 bytes in base64url */
export function sandboxKeyOf(encoded: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: encoded }, format: 'jwk' })
}
