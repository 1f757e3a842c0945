import Type from 'typebox'
import { isMacOf, macOf } from '../secrets/derived-keys.ts'

/** Contract, section 8. */
export const defaultSize = 100
export const largestSize = 1000

export const PageQuery = {
  page: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'Page number, from 0.',
    }),
  ),
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: largestSize, default: defaultSize, description: 'Entries a page.' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 200, description: 'Set by the links of `Link`; to be sent back as it came.' }),
  ),
}

/** What is being listed: its public address, the parameters that the links keep, and the listing that supersedes it. */
export type Listing = { address: string; filters: Record<string, string>; successor?: string }

/** `after` is the id behind which the page begins, and empty on a page that was asked for by its number: no id is. */
export type Page = { listing: Listing; number: number; size: number; after: string }

export function pageOf(
  query: { page?: number; page_size?: number; cursor?: string },
  listing: Listing,
  key: Buffer,
): Page {
  const number = query.page ?? 0
  const size = query.page_size ?? defaultSize
  const after = query.cursor ? readCursor(key, { ...listing, number, size }, query.cursor) : undefined
  return { listing, number, size, after: after ?? '' }
}

/** A page with so many entries before it is an expensive read: all of them are read and passed over. */
export const deepPageEntries = 10_000n

/** Entries before the page; beyond 2^53 a number would be rounded. */
export function entriesBefore({ number, size, after }: Page): bigint {
  return after ? 0n : BigInt(number) * BigInt(size)
}

/** RFC 8288, and RFC 5829 for the successor. `last` is the page's last id if more follow. */
export function linkHeader(
  { listing, number, size }: Page,
  last: string | null,
  key: Buffer,
): string | undefined {
  const filters = new URLSearchParams(listing.filters).toString()
  const link = (rel: string, page: number, cursor?: string) => {
    const parameters = [`page=${page}&page_size=${size}`, filters, cursor && `cursor=${cursor}`]
    return `<${listing.address}?${parameters.filter(Boolean).join('&')}>; rel="${rel}"`
  }
  const next = number + 1
  const links = [
    ...(number > 0 ? [link('first', 0), link('prev', number - 1)] : []),
    ...(last !== null ? [link('next', next, makeCursor(key, { ...listing, number: next, size }, last))] : []),
    ...(listing.successor ? [`<${listing.successor}>; rel="successor-version"`] : []),
  ]
  return links.length > 0 ? links.join(', ') : undefined
}

/** One page of one listing: where it stands, so that a cursor made for it serves no other. */
type Place = { address: string; filters: Record<string, string>; number: number; size: number }

/**
 * The id after which a page begins, for `Link: rel="next"`. A client that follows it neither skips nor repeats what
 * stays while other entries come and go, and never pays for the pages before; a page number alone cannot promise that.
 */
function makeCursor(key: Buffer, place: Place, after: string): string {
  return `${Buffer.from(after).toString('base64url')}.${macOf(key, ...partsOf(place, after))}`
}

/** Undefined where the cursor was not made for this very page: a client that counts pages itself is then served by number. */
function readCursor(key: Buffer, place: Place, cursor: string): string | undefined {
  const [id = '', tag = ''] = cursor.split('.')
  const after = Buffer.from(id, 'base64url').toString()
  return isMacOf(tag, key, ...partsOf(place, after)) ? after : undefined
}

function partsOf({ address, filters, number, size }: Place, after: string): unknown[] {
  return [address, filters, number, size, after]
}
