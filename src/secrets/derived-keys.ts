import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

const purposes = [
  'seal',
  'cookie',
  'code',
  'rotation',
  'throttle',
  'browser',
  'cursor',
  'etag',
  'signing-key',
] as const

/** One 256-bit key a purpose, all from LATCHKEY_SECRET: servers that share the secret agree on them with nothing stored. */
export type DerivedKeys = Record<(typeof purposes)[number], Buffer>

/** HKDF-SHA-256 (RFC 5869); the purpose is the info, so that no key serves two uses. */
export function deriveKeys(secret: string): DerivedKeys {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `latchkey ${purpose}`, 32))
  return {
    seal: derive('seal'),
    cookie: derive('cookie'),
    code: derive('code'),
    rotation: derive('rotation'),
    throttle: derive('throttle'),
    browser: derive('browser'),
    cursor: derive('cursor'),
    etag: derive('etag'),
    'signing-key': derive('signing-key'),
  }
}

export function hmac(key: Buffer, ...parts: (string | Buffer)[]): Buffer {
  const mac = createHmac('sha256', key)
  for (const part of parts) {
    // Length first: ("ab", "c") and ("a", "bc") must differ.
    mac.update(`${Buffer.byteLength(part)}:`).update(part)
  }
  return mac.digest()
}

/** 128 bits of HMAC-SHA-256 over the JSON of the parts, as text. */
export function macOf(key: Buffer, ...parts: unknown[]): string {
  return hmac(key, JSON.stringify(parts)).subarray(0, 16).toString('base64url')
}

/** Compares the texts, not what they decode to: base64url decoders ignore padding, and bits that mean nothing. */
export function isMacOf(text: string, key: Buffer, ...parts: unknown[]): boolean {
  const expected = Buffer.from(macOf(key, ...parts))
  const given = Buffer.from(text)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
