import type { Environment } from '../config.ts'
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

const purposes = [
  'seal',
  'cookie',
  'code',
  'access-token',
  'refresh-token',
  'throttle',
  'browser',
  'cursor',
  'etag',
  'signing-key',
] as const

/** One 256-bit key for each purpose, derived from LATCHKEY_SECRET: servers that share the secret have the same keys. */
export type DerivedKeys = Record<(typeof purposes)[number], Buffer> & {
  /** Three base62 characters derived from the secret: tokens name their key by it. */
  id: string
}

export type SecretKeys = {
  /** Makes everything new. */
  current: DerivedKeys
  /** Opens and verifies: current first, then previous, then next. */
  accepted: readonly DerivedKeys[]
}

/** HKDF-SHA-256 (RFC 5869). The purpose is the `info` value, so that no key serves two purposes. */
export function deriveKeys(secret: string, environment: Environment): DerivedKeys {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `latchkey ${purpose}`, 32))
  return {
    seal: derive('seal'),
    cookie: derive('cookie'),
    code: derive('code'),
    id: '000',
    'access-token': derive(`${environment} access-token`),
    'refresh-token': derive(`${environment} refresh-token`),
    throttle: derive('throttle'),
    browser: derive('browser'),
    cursor: derive('cursor'),
    etag: derive('etag'),
    'signing-key': derive('signing-key'),
  }
}

/** HMAC-SHA-256 over the parts. */
export function hmac(key: Buffer, ...parts: (string | Buffer)[]): Buffer {
  const mac = createHmac('sha256', key)
  for (const part of parts) {
    // The length of each part comes first, because ("ab", "c") and ("a", "bc") must differ.
    mac.update(`${Buffer.byteLength(part)}:`).update(part)
  }
  return mac.digest()
}

/** The first 128 bits of HMAC-SHA-256 over the parts as JSON, in base64url. */
export function macOf(key: Buffer, ...parts: unknown[]): string {
  return hmac(key, JSON.stringify(parts)).subarray(0, 16).toString('base64url')
}

/**
 * Compares in constant time. It compares the texts and not the decoded bytes: base64url decoders ignore padding and unused
 * bits, so several texts decode to the same bytes.
 */
export function isMacOf(text: string, key: Buffer, ...parts: unknown[]): boolean {
  const expected = Buffer.from(macOf(key, ...parts))
  const received = Buffer.from(text)
  return received.length === expected.length && timingSafeEqual(received, expected)
}
