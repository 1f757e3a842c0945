import type { Queries, Value } from '../../database/database.ts'
import type { ReadRefusal } from '../../process/limiters.ts'
import { type ChangeStatements, type ChangesRow, mostOwn } from './list-changes.sql.ts'
import type { PageRead, SyncRows } from './sync-rows.ts'

/** Sorts after every id. */
const afterAllIds = '~'

export async function readChanges(
  statements: ChangeStatements,
  page: PageRead,
  since: string,
): Promise<SyncRows | ReadRefusal> {
  const { bearer, sync, limit } = page
  const { changed_at = since, after = afterAllIds, as_of = null } = sync.progress ?? {}
  const values = [bearer.value, changed_at, after, limit, since, as_of]
  const first = await page.listing.one(statements.all, [...values, false])
  if (first.complete) return changeRows(first)
  return page.expensive(async (database) =>
    changeRows(await readManyChanges(statements, database, values, first.own)),
  )
}

/** If the firm's log has many changes and the user has access to few rows, looks up these rows instead of the log. */
async function readManyChanges(
  statements: ChangeStatements,
  database: Queries,
  values: Value[],
  own: number,
): Promise<ChangesRow> {
  if (own <= mostOwn) {
    const ofOwn = await database.one(statements.own, values)
    if (ofOwn.complete) return ofOwn
  }
  return database.one(statements.all, [...values, true])
}

function changeRows(row: ChangesRow): SyncRows {
  const { more, last_id: id, last_changed_at: changedAt } = row
  return {
    ...row,
    fault: row.fault,
    as_of: row.as_of,
    data: `[${row.entries ?? ''}]`,
    count: row.count,
    removed: { ids: `[${row.removed ?? ''}]`, reasons: row.removed_reasons ?? '{}' },
    removedCount: row.removed_count,
    last: more && id !== null && changedAt !== null ? { after: id, changed_at: changedAt } : null,
  }
}
