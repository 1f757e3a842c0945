import Type, { type Static } from 'typebox'
import { longestPattern } from '../name-pattern.ts'
import { defaultSize, largestSize } from '../page.ts'
import { readInstant } from './instant.ts'
import { type Filters, type Progress, readCursor } from './sync-cursor.ts'

export const SyncQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: largestSize,
      default: defaultSize,
      description: 'Entries a page, at most.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ description: 'The `next_cursor` of the page before; it carries the other parameters.' }),
  ),
  name_contains: Type.Optional(
    Type.String({
      maxLength: longestPattern,
      description: 'Text that the name must contain, ignoring case. Not together with `updated_since`.',
    }),
  ),
  updated_since: Type.Optional(
    Type.String({
      description:
        'RFC 3339 instant, the `as_of` of an earlier receipt: only what changed since, and what is no longer visible.',
    }),
  ),
})

/** What is walked, and how far the walk has come: null before its first page. */
export type SyncRequest = { filters: Filters; progress: Progress | null }

export type RejectedSync = { kind: 'rejected'; parameter: 'cursor' | keyof Filters; detail: string }

/** What the query asks for. A cursor needs no filters beside it; if they are sent, they have to be those it carries. */
export function parseSyncRequest(
  query: Static<typeof SyncQuery>,
): { kind: 'accepted'; sync: SyncRequest } | RejectedSync {
  const since = query.updated_since === undefined ? undefined : readInstant(query.updated_since)
  if (query.updated_since !== undefined && since === undefined) return notAnInstant
  const name = query.name_contains || undefined
  if (name !== undefined && since !== undefined) return searchedChanges
  const filters = {
    ...(name !== undefined && { name_contains: name }),
    ...(since !== undefined && { updated_since: since }),
  }
  if (query.cursor === undefined) return { kind: 'accepted', sync: { filters, progress: null } }
  const progress = readCursor(query.cursor)
  if (!progress) return brokenCursor
  const carried = progress.filters
  const { name_contains, updated_since } = { ...carried, ...filters }
  const fits = name_contains === carried.name_contains && updated_since === carried.updated_since
  return fits ? { kind: 'accepted', sync: { filters: carried, progress } } : mismatchedCursor
}

export const brokenCursor: RejectedSync = {
  kind: 'rejected',
  parameter: 'cursor',
  detail: 'was not made here for this user, or is not as it was sent; start again without it',
}
const mismatchedCursor: RejectedSync = {
  kind: 'rejected',
  parameter: 'cursor',
  detail: 'belongs to a walk with other parameters; send it alone, or start again without it',
}
const notAnInstant: RejectedSync = {
  kind: 'rejected',
  parameter: 'updated_since',
  detail:
    'must be an instant like 2026-11-21T09:30:00.000000Z, best the as_of of a receipt; the + of an offset is written %2B',
}
export const futureInstant: RejectedSync = {
  kind: 'rejected',
  parameter: 'updated_since',
  detail: 'is in the future; send the as_of of a receipt',
}
const searchedChanges: RejectedSync = {
  kind: 'rejected',
  parameter: 'name_contains',
  detail:
    'does not go together with updated_since: a household that was renamed would be missing, and nothing would tell so',
}
