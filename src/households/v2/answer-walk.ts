import { idLines } from '../entries.ts'
import type { IdDigest } from './id-digest.ts'
import type { WalkPage } from './read-page.ts'
import { brokenCursor, futureInstant, type Refused, type Walk } from './walk.ts'
import { isGenuine, writeCursor } from './walk-cursor.ts'

/** `body` is the answer as JSON, with `count` households in it. */
export type WalkAnswer = { kind: 'page'; body: string; count: number } | { kind: 'expired' } | Refused

/** Who walks, by which cursor, and the key of the cursors. */
type Walker = { userId: string; cursor: string | undefined; key: Buffer }

/** The page with the cursor of the next one, or, at the end of the walk, with the receipt for all of it. */
export function answerWalk(
  { filters, progress }: Walk,
  page: WalkPage,
  digest: IdDigest,
  { userId, cursor, key }: Walker,
): WalkAnswer {
  if (cursor !== undefined && !isGenuine(key, userId, cursor)) return brokenCursor
  if (page.fault === 'future') return futureInstant
  if (page.fault === 'expired') return { kind: 'expired' }
  const digested = digest.add(progress?.digest ?? '', idLines(page.data))
  if (!digested) return brokenCursor
  const { state, sha256 } = digested
  const as_of = progress?.as_of ?? page.as_of
  const count = (progress?.count ?? 0) + page.count
  const removed = (progress?.removed ?? 0) + page.removedCount
  const end = page.last
    ? {
        next_cursor: writeCursor(key, userId, {
          filters,
          ...page.last,
          as_of,
          count,
          removed,
          digest: state,
        }),
      }
    : { next_cursor: null, receipt: { count, ...(page.removed && { removed }), sha256, as_of } }
  const tombstones = page.removed ? `"removed":${page.removed},` : ''
  const body = `{"data":${page.data},${tombstones}${JSON.stringify(end).slice(1)}`
  return { kind: 'page', body, count: page.count }
}
