import Type from '../typebox.ts'

/**
 * Finds the instant `as_of` of the data that is read now. No change to data that the caller may see is later. Every later
 * change has a later instant, because imports wait for each other (docs/adr/0014). Needs `callerOf` before it.
 */
export const latest = `latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
    FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
)`

/** SQL that formats a `timestamptz` as `YYYY-MM-DDTHH:MM:SS.ffffffZ`, the form of `CanonicalInstant`. */
export function instantText(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** The column is an empty string if the call is refused. */
export const asOfColumn = (from: string) =>
  `coalesce((SELECT ${instantText('as_of')} FROM ${from}), '') AS as_of`

/**
 * The `as_of` of a sync's page, and whether the user's role or firm changed after the first page. `firstAsOf` is the `as_of`
 * of the first page, or null on the first page. Needs `latest`.
 */
export const syncColumns = (firstAsOf: string) => `${asOfColumn('latest')},
  coalesce((SELECT ${firstAsOf}::timestamptz < sees_since FROM latest), false) AS expired`

export const SyncColumns = { as_of: Type.String(), expired: Type.Boolean() }
