import { timingSafeEqual } from 'node:crypto'
import { hmac } from '../secrets/derived-keys.ts'

/** 128 bits of HMAC-SHA-256 over the JSON of the parts, as text. */
export function macOf(key: Buffer, ...parts: unknown[]): string {
  return mac(key, parts).toString('base64url')
}

export function isMacOf(text: string, key: Buffer, ...parts: unknown[]): boolean {
  const expected = mac(key, parts)
  const given = Buffer.from(text, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function mac(key: Buffer, parts: unknown[]): Buffer {
  return hmac(key, JSON.stringify(parts)).subarray(0, 16)
}
