import { createHmac, type Hmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Environment } from '../environment.ts'

/** docs/adr/0021 says for each purpose what happens while the secret is replaced. */
type Purpose =
  | 'access-token'
  | 'refresh-token'
  | 'seal'
  | 'cookie'
  | 'browser'
  | 'throttle'
  | 'cursor'
  | 'etag'
  | 'signing-key'
  | 'stored-secret'
  | 'audit'
  | 'going-live'

/** One 256-bit key for each purpose, derived from one secret: servers that share the secret have the same keys. */
export type DerivedKeys = Record<Purpose, Buffer> & {
  /** Three base62 characters that are derived from the secret. They name it and do not reveal it. */
  id: string
  /**
   * Only on a previous secret: a token made with it must expire before this moment. No server made a later one
   * (docs/adr/0021), so only an attacker with the old secret can have made it.
   */
  tokensExpireBefore?: Date
}

/** The keys of all configured secrets. */
export type SecretKeys = {
  /** Makes everything new. */
  current: DerivedKeys
  /** Absent if no previous secret is configured. */
  previous?: DerivedKeys
  /** Opens and verifies: the current secret's keys first, then the previous, then the next. */
  accepted: readonly DerivedKeys[]
}

/** The keys of one purpose under all accepted secrets, the current one first. */
export function acceptedKeys({ accepted }: SecretKeys, purpose: Purpose): Buffer[] {
  return accepted.map((keys) => keys[purpose])
}

/** HKDF-SHA-256 (RFC 5869). The purpose is the `info` value, so that no key serves two purposes. */
export function deriveKeys(secret: string, environment: Environment): DerivedKeys {
  const derive = (info: string) => deriveKey(secret, info)
  return {
    id: keyIdOf(secret),
    // A token of the other environment must not verify, even if both use the same secret.
    'access-token': derive(`access-token ${environment}`),
    'refresh-token': derive(`refresh-token ${environment}`),
    seal: derive('seal'),
    cookie: derive('cookie'),
    browser: derive('browser'),
    throttle: derive('throttle'),
    cursor: derive('cursor'),
    etag: derive('etag'),
    'signing-key': derive('signing-key'),
    'stored-secret': derive('stored-secret'),
    audit: derive('audit'),
    'going-live': derive('going-live'),
  }
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `DerivedKeys.id` of a secret. Two secrets have the same one with a probability of 1 in 238,328. */
export function keyIdOf(secret: string): string {
  const number = deriveKey(secret, 'key id').readUIntBE(0, 6)
  return [0, 1, 2].map((place) => base62[Math.floor(number / 62 ** place) % 62]).join('')
}

function deriveKey(secret: string, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `latchkey ${info}`, 32))
}

/** HMAC-SHA-256 over the parts. */
export function hmac(key: Buffer, ...parts: (string | Buffer)[]): Buffer {
  return hmacOver(key, parts).digest()
}

/**
 * HMAC-SHA-256 over the parts as JSON, the first 132 bits in base64url. As text, because `digest` is faster without a Buffer.
 */
export function macOf(key: Buffer, ...parts: unknown[]): string {
  return hmacOver(key, [JSON.stringify(parts)])
    .digest('base64url')
    .slice(0, 22)
}

function hmacOver(key: Buffer, parts: (string | Buffer)[]): Hmac {
  const mac = createHmac('sha256', key)
  for (const part of parts) {
    // The length of each part comes first, because ("ab", "c") and ("a", "bc") must differ.
    mac.update(`${Buffer.byteLength(part)}:`).update(part)
  }
  return mac
}

/** Whether the text is the MAC of the parts under one of the keys. */
export function isMacOfAny(text: string, keys: readonly Buffer[], ...parts: unknown[]): boolean {
  return keys.some((key) => isMacOf(text, key, ...parts))
}

/**
 * Compares in constant time. It compares the texts and not the decoded bytes: base64url decoders ignore padding and unused
 * bits, so several texts decode to the same bytes.
 */
function isMacOf(text: string, key: Buffer, ...parts: unknown[]): boolean {
  const expected = Buffer.from(macOf(key, ...parts))
  const received = Buffer.from(text)
  return received.length === expected.length && timingSafeEqual(received, expected)
}
