import { timingSafeEqual } from 'node:crypto'
import { acceptedKeys, macOf, type SecretKeys } from '../secrets/derived-keys.ts'
import Type from '../typebox.ts'

/** Contract, section 8. */
export const defaultSize = 100
export const largestSize = 1000

export const PageQuery = {
  page: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      format: 'int64',
      description: 'Page number, from 0.',
      examples: [0],
    }),
  ),
  page_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: largestSize,
      default: defaultSize,
      description: 'Number of entries on a page.',
      examples: [2],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Part of the links in the `Link` header. Follow the links as they are, or count pages without it.',
    }),
  ),
}

/** A listing: its public address, the parameters that its links repeat, and the address of the listing that replaces it. */
export type Listing = { address: string; filters: Record<string, string>; successor?: string }

/** `after` is the id after which the page begins. It is empty on a page requested by number; no id is empty. */
export type Page = { listing: Listing; number: number; size: number; after: string }

export function pageOf(
  query: { page?: number; page_size?: number; cursor?: string },
  listing: Listing,
  keys: SecretKeys,
): Page {
  const number = query.page ?? 0
  const size = query.page_size ?? defaultSize
  const after = query.cursor
    ? readCursor(acceptedKeys(keys, 'cursor'), { ...listing, number, size }, query.cursor)
    : undefined
  return { listing, number, size, after: after ?? '' }
}

/** Entries before the page. A bigint, because a number above 2^53 would be rounded. */
export function entriesBefore({ number, size, after }: Page): bigint {
  return after ? 0n : BigInt(number) * BigInt(size)
}

/** RFC 8288; the successor is from RFC 5829. `last` is the id of the page's last entry, null if no more follow. */
export function linkHeader(
  { listing, number, size }: Page,
  last: string | null,
  keys: SecretKeys,
): string | undefined {
  const filters = Object.keys(listing.filters).length > 0 ? `&${new URLSearchParams(listing.filters)}` : ''
  const link = (rel: string, page: number, cursor?: string) => {
    const parameters = `page=${page}&page_size=${size}${filters}${cursor === undefined ? '' : `&cursor=${cursor}`}`
    return `<${listing.address}?${parameters}>; rel="${rel}"`
  }
  const next = number + 1
  const links = [
    ...(number > 0 ? [link('first', 0), link('prev', number - 1)] : []),
    ...(last !== null
      ? [link('next', next, writeCursor(keys.current.cursor, { ...listing, number: next, size }, last))]
      : []),
    ...(listing.successor ? [`<${listing.successor}>; rel="successor-version"`] : []),
  ]
  return links.length > 0 ? links.join(', ') : undefined
}

/** One page of one listing. The cursor's MAC covers it, so that a cursor is valid only for its own page. */
type Position = { address: string; filters: Record<string, string>; number: number; size: number }

/**
 * A cursor with the id after which the next page begins, for `Link: rel="next"`. A client that follows it gets every entry
 * that exists all the time exactly once, even if other entries are added or removed. The server does not read the pages
 * before. A page number alone guarantees neither.
 */
function writeCursor(key: Buffer, position: Position, after: string): string {
  return `${Buffer.from(after).toString('base64url')}.${macOf(key, ...macParts(position, after))}`
}

/**
 * Returns undefined unless the cursor equals the cursor of this page, character for character. Then the client counts pages
 * itself and gets the page by its number.
 */
function readCursor(keys: Buffer[], position: Position, cursor: string): string | undefined {
  const after = Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString()
  const received = Buffer.from(cursor)
  const isGenuine = keys.some((key) => {
    const expected = Buffer.from(writeCursor(key, position, after))
    return received.length === expected.length && timingSafeEqual(received, expected)
  })
  return isGenuine ? after : undefined
}

function macParts({ address, filters, number, size }: Position, after: string): unknown[] {
  return [address, filters, number, size, after]
}
