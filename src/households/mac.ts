import { timingSafeEqual } from 'node:crypto'
import { hmac } from '../secrets/derived-keys.ts'

/** 128 bits of HMAC-SHA-256 over the parts, as text. */
export function macOf(key: Buffer, ...parts: string[]): string {
  return mac(key, parts).toString('base64url')
}

export function isMacOf(text: string, key: Buffer, ...parts: string[]): boolean {
  const expected = mac(key, parts)
  const given = Buffer.from(text, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function mac(key: Buffer, parts: string[]): Buffer {
  return hmac(key, ...parts).subarray(0, 16)
}
