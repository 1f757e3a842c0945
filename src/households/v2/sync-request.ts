import Type, { type Static } from '../../typebox.ts'
import { longestPattern } from '../name-pattern.ts'
import { defaultSize, largestSize } from '../page.ts'
import { readInstant } from './instant.ts'
import { daysKept } from './list-changes.sql.ts'
import { type Filters, type Progress, type Resource, readCursor } from './sync-cursor.ts'

/** The query parameters of every sync. */
const SyncQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: largestSize,
      default: defaultSize,
      description: 'Maximum number of entries on a page.',
      examples: [2],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      description:
        'The `next_cursor` of the previous page. Send it alone or with the same parameters: it contains them, except `limit`.',
    }),
  ),
  updated_since: Type.Optional(
    Type.String({
      description:
        'The `as_of` of an earlier `receipt`, unchanged, or another RFC 3339 instant with up to six decimals. Returns only what has changed since then or is no longer visible.',
    }),
  ),
}

/** Accounts have no search. */
const NameContains = {
  name_contains: Type.Optional(
    Type.String({
      maxLength: longestPattern,
      description:
        'Text that the name must contain, ignoring case. If it is empty, all visible households are returned. Cannot be combined with `updated_since`.',
      examples: ['family trust'],
    }),
  ),
}

/** The query of each sync, by what it reads. */
export const syncQueries = {
  households: Type.Object({ ...SyncQuery, ...NameContains }),
  accounts: Type.Object(SyncQuery),
}
export type AnySyncQuery = Static<typeof syncQueries.households>

/** The filters of a sync and how far it has come; `progress` is null before the first page. */
export type SyncRequest = { filters: Filters; progress: Progress | null }

export type RejectedSync = { kind: 'rejected'; parameter: 'cursor' | keyof Filters; detail: string }

/** Parses the query. A cursor contains the filters. If the query has them too, they must be equal. */
export function parseSyncRequest(
  resource: Resource,
  query: AnySyncQuery,
): { kind: 'accepted'; sync: SyncRequest } | RejectedSync {
  const since = query.updated_since === undefined ? undefined : readInstant(query.updated_since)
  if (query.updated_since !== undefined && since === undefined) return invalidInstant
  const name = (resource === 'households' && query.name_contains) || undefined
  if (name !== undefined && since !== undefined) return searchWithUpdatedSince
  const filters = {
    ...(name !== undefined && { name_contains: name }),
    ...(since !== undefined && { updated_since: since }),
  }
  if (query.cursor === undefined) return { kind: 'accepted', sync: { filters, progress: null } }
  const progress = readCursor(query.cursor)
  if (!progress) return invalidCursor
  if (progress.resource !== resource) return cursorOfOtherResource(progress.resource)
  const cursorFilters = progress.filters
  const { name_contains, updated_since } = { ...cursorFilters, ...filters }
  const equal = name_contains === cursorFilters.name_contains && updated_since === cursorFilters.updated_since
  return equal ? { kind: 'accepted', sync: { filters: cursorFilters, progress } } : cursorOfOtherSync
}

export const invalidCursor: RejectedSync = {
  kind: 'rejected',
  parameter: 'cursor',
  detail:
    'is invalid: it was changed, or it was not issued to this user by this server; start again without it',
}
const cursorOfOtherSync: RejectedSync = {
  kind: 'rejected',
  parameter: 'cursor',
  detail: 'belongs to a sync with other parameters; send it alone, or start again without it',
}
const cursorOfOtherResource = (resource: Resource): RejectedSync => ({
  kind: 'rejected',
  parameter: 'cursor',
  detail: `belongs to a sync of ${resource}; send it to the address of these, or start again without it`,
})
const invalidInstant: RejectedSync = {
  kind: 'rejected',
  parameter: 'updated_since',
  detail:
    'must be an RFC 3339 instant such as 2026-11-21T09:30:00.000000Z, preferably the as_of of a receipt; write + as %2B',
}
export const futureInstant: RejectedSync = {
  kind: 'rejected',
  parameter: 'updated_since',
  detail: 'is in the future; send the as_of of a receipt',
}
const searchWithUpdatedSince: RejectedSync = {
  kind: 'rejected',
  parameter: 'name_contains',
  detail:
    'cannot be combined with updated_since: households renamed to a name without this text would be missing',
}
export const syncExpiredDetail = (resource: Resource): string =>
  `updated_since is more than ${daysKept} days ago, or the user's role or firm has changed since then or since this ` +
  `sync began; read all ${resource} again, without updated_since and cursor, and continue from the as_of of that receipt`
