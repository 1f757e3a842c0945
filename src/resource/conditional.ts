import type { Context } from '../context.ts'
import { macOf } from '../secrets/derived-keys.ts'
import type { BearerToken } from './bearer.ts'
import { codings } from './compression.ts'
import { visibilityVersionOfCaller } from './visibility-version.sql.ts'

/** Increase it when the same rows produce other bytes, or other links, than before. */
const format = '2'

/**
 * A strong entity tag (RFC 9110 section 8.8.3) without its quotes, made of the caller's visibility version and of
 * `place`, everything in the address that decides the answer. It is a keyed hash, because the version contains ids: without
 * a key, a client could test guesses of these ids.
 */
export function etagOf(key: Buffer, visibilityVersion: string, place: object): string {
  return macOf(key, format, visibilityVersion, place)
}

/** A representation in another coding has another tag (RFC 9110 section 8.8.3.3). */
export function entityTag(etag: string, coding?: string): string {
  return coding ? `"${etag}-${coding}"` : `"${etag}"`
}

/**
 * The tag in `If-None-Match` that matches, weak or strong (RFC 9110 section 13.1.2), in any coding: all codings carry the
 * same content. Our tags contain no quotes, so the list does not have to be parsed.
 */
export function matchingTag(ifNoneMatch: string | undefined, etag: string): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  if (ifNoneMatch === '*') return entityTag(etag)
  return [undefined, ...codings]
    .map((coding) => entityTag(etag, coding))
    .find((tag) => ifNoneMatch.includes(tag))
}

export type NotModified = {
  /** The tag that still matches. */
  tag: string
  caller: { client_id: string; user_id: string; grant_id: string; used_at: Date }
}

/**
 * Answers `If-None-Match` without reading the page. Undefined: the statement that reads the page must run. It may also
 * refuse the call. Only a page that was sent has a tag, so a matching tag proves that the rest of the request is valid.
 * @throws {DatabaseUnavailable}
 */
export async function matchIfNoneMatch(
  { database, keys }: Context,
  ifNoneMatch: string | undefined,
  { value }: BearerToken,
  place: object,
): Promise<NotModified | undefined> {
  if (ifNoneMatch === undefined || ifNoneMatch === '*') return undefined
  const caller = await database.listing.maybe(visibilityVersionOfCaller, [value])
  const tag = caller && matchingTag(ifNoneMatch, etagOf(keys.current.etag, caller.visibility_version, place))
  return caller && tag !== undefined ? { tag, caller } : undefined
}
