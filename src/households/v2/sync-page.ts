import { createSHA256 } from 'hash-wasm'
import type { SecretKeys } from '../../secrets/derived-keys.ts'
import { idLines } from '../entries.ts'
import { isGenuine, type Resource, writeCursor } from './sync-cursor.ts'
import { futureInstant, invalidCursor, type RejectedSync, type SyncRequest } from './sync-request.ts'
import type { SyncRows } from './sync-rows.ts'

/** `body` is the answer as JSON, with `count` entries in it. */
export type SyncPage = { kind: 'page'; body: string; count: number } | { kind: 'expired' } | RejectedSync

/** What is synced by which user, the cursor in the request, and the keys that authenticate cursors. */
type CursorOwner = { resource: Resource; userId: string; cursor: string | undefined; keys: SecretKeys }

/** The page with the cursor of the next page or, on the last page, with the summary of the whole sync. */
export function buildSyncPage(
  { filters, progress }: SyncRequest,
  page: SyncRows,
  digest: IdDigest,
  { resource, userId, cursor, keys }: CursorOwner,
): SyncPage {
  if (cursor !== undefined && !isGenuine(keys, userId, cursor)) return invalidCursor
  if (page.fault === 'future') return futureInstant
  if (page.fault === 'expired') return { kind: 'expired' }
  const digested = digest.add(progress?.digest ?? '', idLines(page.data))
  if (!digested) return invalidCursor
  const { state, sha256 } = digested
  const as_of = progress?.as_of ?? page.as_of
  const count = (progress?.count ?? 0) + page.count
  const removed = (progress?.removed ?? 0) + page.removedCount
  const end = page.last
    ? {
        next_cursor: writeCursor(keys, userId, {
          resource,
          filters,
          ...page.last,
          as_of,
          count,
          removed,
          digest: state,
        }),
      }
    : { next_cursor: null, receipt: { count, ...(page.removed && { removed }), sha256, as_of } }
  const tombstones = page.removed
    ? `"removed":${page.removed.ids},"removed_reasons":${page.removed.reasons},`
    : ''
  const body = `{"data":${page.data},${tombstones}${JSON.stringify(end).slice(1)}`
  return { kind: 'page', body, count: page.count }
}

/** SHA-256 over ids that come in pages, each perhaps on another server. The hash of Node cannot save and load its state. */
export type IdDigest = {
  /** Loads a state (empty: the initial state) and adds a text. Undefined if the library cannot load the state. */
  add(state: string, text: string): { state: string; sha256: string } | undefined
}

export async function createIdDigest(): Promise<IdDigest> {
  const sha256 = await createSHA256()
  // `init` alone would keep bytes of the previous block, and `save` would put them into the cursor: ids of another user.
  const initialState = sha256.init().save()
  return {
    add(state, text) {
      try {
        sha256.load(state === '' ? initialState : Buffer.from(state, 'base64url'))
      } catch {
        return undefined
      }
      const next = Buffer.from(sha256.update(text).save()).toString('base64url')
      return { state: next, sha256: sha256.digest('hex') }
    },
  }
}
