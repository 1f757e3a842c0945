import { codings } from '../http/compression.ts'
import { macOf } from './mac.ts'

/** To be counted up when the same rows give other bytes, or other links, than before. */
const format = '1'

/**
 * Strong (RFC 9110 section 8.8.3), and without its quotes: what `view` (view.sql.ts) gives at this place, which is
 * all that the address says. Under a key, since the ids in it could otherwise be guessed and tried.
 */
export function etagOf(key: Buffer, view: string, place: object): string {
  return macOf(key, format, view, place)
}

/** A representation in another coding has another tag (RFC 9110 section 8.8.3.3). */
export function entityTag(etag: string, coding?: string): string {
  return coding ? `"${etag}-${coding}"` : `"${etag}"`
}

/**
 * The tag under which the client says that it has the answer, weak or strong alike (RFC 9110 section 13.1.2): any of
 * its codings, for they say the same. No tag has a quote in it, so that a list need not be taken apart.
 */
export function heldTag(ifNoneMatch: string | undefined, etag: string): string | undefined {
  if (ifNoneMatch === '*') return entityTag(etag)
  return [undefined, ...codings]
    .map((coding) => entityTag(etag, coding))
    .find((tag) => ifNoneMatch?.includes(tag))
}
