import { isMacOf, macOf } from './mac.ts'

/** One page of one listing: where it stands, so that a cursor made for it serves no other. */
export type Place = { address: string; filters: Record<string, string>; number: number; size: number }

/**
 * The id after which a page begins, for `Link: rel="next"`. A client that follows it neither skips nor repeats what
 * stays while other entries come and go, and never pays for the pages before; a page number alone cannot promise that.
 */
export function makeCursor(key: Buffer, place: Place, after: string): string {
  return `${Buffer.from(after).toString('base64url')}.${macOf(key, ...partsOf(place, after))}`
}

/** Undefined where the cursor was not made for this very page: a client that counts pages itself is then served by number. */
export function readCursor(key: Buffer, place: Place, cursor: string): string | undefined {
  const [id = '', tag = ''] = cursor.split('.')
  const after = Buffer.from(id, 'base64url').toString()
  return isMacOf(tag, key, ...partsOf(place, after)) ? after : undefined
}

function partsOf({ address, filters, number, size }: Place, after: string): unknown[] {
  return [address, filters, number, size, after]
}
