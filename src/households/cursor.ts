import { timingSafeEqual } from 'node:crypto'
import { hmac } from '../secrets/derived-keys.ts'

/** One page of one listing: where it stands, so that a cursor made for it serves no other. */
export type Place = { address: string; filters: Record<string, string>; number: number; size: number }

/**
 * The id after which a page begins, for `Link: rel="next"`. A client that follows it neither skips nor repeats what
 * stays while other entries come and go, and never pays for the pages before; a page number alone cannot promise that.
 */
export function makeCursor(key: Buffer, place: Place, after: string): string {
  return `${Buffer.from(after).toString('base64url')}.${mac(key, place, after).toString('base64url')}`
}

/** Undefined where the cursor was not made for this very page: a client that counts pages itself is then served by number. */
export function readCursor(key: Buffer, place: Place, cursor: string): string | undefined {
  const [id = '', tag = ''] = cursor.split('.')
  const after = Buffer.from(id, 'base64url').toString()
  const expected = mac(key, place, after)
  const given = Buffer.from(tag, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected) ? after : undefined
}

function mac(key: Buffer, { address, filters, number, size }: Place, after: string): Buffer {
  return hmac(key, address, JSON.stringify(filters), String(number), String(size), after).subarray(0, 16)
}
