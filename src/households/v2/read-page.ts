import Type, { type Static } from 'typebox'
import type { Database } from '../../database/database.ts'
import { CallerColumns } from '../../tokens/bearer.sql.ts'
import { cutPage } from '../entries.ts'
import { searchedFor } from '../name-pattern.ts'
import { listChanges } from './list-changes.sql.ts'
import type { Walk } from './walk.ts'
import { walkFoundHouseholds, walkHouseholds } from './walk-households.sql.ts'

const Caller = Type.Object(CallerColumns)

/** A page of a walk, or, where there is a fault or the caller is refused, an empty one. */
export type WalkPage = {
  caller: Static<typeof Caller>
  view: string | null
  fault: 'future' | 'expired' | null
  as_of: string
  /** A JSON array of households. */
  data: string
  count: number
  /** A JSON array of ids; null where no changes are walked. */
  removed: string | null
  removedCount: number
  /** Where the page ended, if more follows. */
  last: { after: string; changed_at?: string } | null
}

/** No id follows this one. */
const afterAllIds = '~'

/** @param hash SHA-256 of the access token */
export function readPage(database: Database, hash: Buffer, walk: Walk, limit: number): Promise<WalkPage> {
  const { updated_since: since } = walk.filters
  return since === undefined
    ? readHouseholds(database, hash, walk, limit)
    : readChanges(database, hash, walk, limit, since)
}

async function readHouseholds(
  database: Database,
  hash: Buffer,
  { filters: { name_contains: name }, progress }: Walk,
  limit: number,
): Promise<WalkPage> {
  const values = [hash, progress?.after ?? '', limit, 0]
  const asOf = progress?.as_of ?? null
  const row =
    name === undefined
      ? await database.one(walkHouseholds, [...values, asOf])
      : await database.one(walkFoundHouseholds, [...values, ...searchedFor(name), asOf])
  const { body, count, last } = cutPage(row, limit)
  return {
    caller: row,
    view: row.view,
    fault: row.expired ? 'expired' : null,
    as_of: row.as_of,
    data: body,
    count,
    removed: null,
    removedCount: 0,
    last: last === null ? null : { after: last },
  }
}

async function readChanges(
  database: Database,
  hash: Buffer,
  { progress }: Walk,
  limit: number,
  since: string,
): Promise<WalkPage> {
  const { changed_at = since, after = afterAllIds, as_of = null } = progress ?? {}
  const row = await database.one(listChanges, [hash, changed_at, after, limit, since, as_of])
  const { more, last_id: id, last_changed_at: changedAt } = row
  return {
    caller: row,
    view: row.view,
    fault: row.fault,
    as_of: row.as_of,
    data: `[${row.entries ?? ''}]`,
    count: row.count,
    removed: `[${row.removed ?? ''}]`,
    removedCount: row.removed_count,
    last: more && id !== null && changedAt !== null ? { after: id, changed_at: changedAt } : null,
  }
}
