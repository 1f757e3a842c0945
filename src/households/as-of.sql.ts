import Type from 'typebox'

/**
 * The instant that a copy read now is as of: the last change to anything the caller may see happened then or before.
 * What changes later has a later instant, because imports wait for each other (docs/adr/0014). Follows `callerOf`.
 */
export const latest = `latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
    FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
)`

/** SQL for a `timestamptz` as `YYYY-MM-DDTHH:MM:SS.ffffffZ`, the form that `CanonicalInstant` takes. */
export function instantText(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** Empty where the call is refused. */
export const asOfColumn = (from: string) =>
  `coalesce((SELECT ${instantText('as_of')} FROM ${from}), '') AS as_of`

/**
 * What the page of a sync is as of, and whether the user's role or firm changed after the first page. `firstAsOf` is the
 * `as_of` of the first page, or null on it. Needs `latest`.
 */
export const syncColumns = (firstAsOf: string) => `${asOfColumn('latest')},
  coalesce((SELECT ${firstAsOf}::timestamptz < sees_since FROM latest), false) AS expired`

export const SyncColumns = { as_of: Type.String(), expired: Type.Boolean() }
