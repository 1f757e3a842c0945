import type pg from 'pg'
import { importFiles, tableColumns } from './files.ts'

/**
 * What partners need to ask for changes only (migration 0010, docs/adr/0013). All of it carries one instant, that of the
 * import. The statements compare what is staged with what there still is, so most come before the merging.
 */

/**
 * Later than every instant that a partner can have been told, whatever became of the clock: those of the imports before,
 * and those at which users were made. Whole milliseconds, so that it stays the same in
 * a JavaScript date. To be asked for under the import's lock: then instants become visible in their order.
 */
export async function chooseInstant(client: pg.ClientBase): Promise<Date> {
  const { rows } = await client.query<{ instant: Date }>(
    `SELECT greatest(date_trunc('milliseconds', clock_timestamp()),
                     date_trunc('milliseconds', greatest((SELECT max(changed_at) FROM firms), (SELECT max(sees_since) FROM users)))
                       + interval '1 ms') AS instant`,
  )
  const [row] = rows
  if (!row) throw new Error('an aggregate gives a row')
  return row.instant
}

/** Before the merging. */
export async function recordChanges(client: pg.ClientBase, instant: Date): Promise<void> {
  for (const sql of [householdChanges, seesSince]) await client.query(sql, [instant])
  for (const sql of [touchedAccess, 'ANALYZE touched_access']) await client.query(sql)
  await client.query(firmsChanged, [instant])
  await client.query(movedUsers)
}

/** After the merging, and after rows have been removed. */
export async function recordAccessChanges(client: pg.ClientBase, instant: Date): Promise<void> {
  await client.query(accessChanges, [instant])
  await client.query(endGrantsOfMovedUsers)
}

/** $1 instant. New firms are left out, here and below: nobody can have asked for their households before. */
const householdChanges = `
  INSERT INTO household_changes (firm_id, household_id, changed_at)
  SELECT s.firm_id, s.id, $1::timestamptz FROM staged_households s JOIN firms ON firms.id = s.firm_id LEFT JOIN households h ON h.id = s.id
   WHERE ROW (h.id, h.firm_id, h.name) IS DISTINCT FROM ROW (s.id, s.firm_id, s.name)
   UNION ALL
  SELECT h.firm_id, h.id, $1::timestamptz FROM staged_households s JOIN households h USING (id) WHERE h.firm_id <> s.firm_id
   UNION ALL
  SELECT firm_id, id, $1::timestamptz FROM removed_households
      ON CONFLICT (firm_id, household_id) DO UPDATE SET changed_at = excluded.changed_at`

/** $1 instant. */
const seesSince = `
  UPDATE users SET sees_since = $1
   WHERE id IN (SELECT id FROM staged_users s JOIN users u USING (id) WHERE (u.firm_id, u.role) <> (s.firm_id, s.role))
      OR role IN (SELECT name FROM staged_roles s JOIN roles r USING (name) WHERE r.sees <> s.sees)`

/** Users who are there already and households, where access rows come, go or move; and whether there were any before. */
const touchedAccess = `
  CREATE TEMP TABLE touched_access ON COMMIT DROP AS
  SELECT user_id, household_id,
         EXISTS (SELECT FROM account_access x
                  WHERE x.user_id = touched.user_id AND x.household_id = touched.household_id) AS seen
    FROM (SELECT s.user_id, coalesce(moved.household_id, a.household_id) AS household_id
            FROM staged_account_access s
            JOIN users ON users.id = s.user_id
            LEFT JOIN staged_accounts moved ON moved.id = s.account_id
            LEFT JOIN accounts a ON a.id = s.account_id
           WHERE NOT EXISTS (SELECT FROM account_access x WHERE x.user_id = s.user_id AND x.account_id = s.account_id)
           UNION
          SELECT x.user_id, unnest(ARRAY[a.household_id, s.household_id])
            FROM staged_accounts s
            JOIN accounts a ON a.id = s.id AND a.household_id <> s.household_id
            JOIN account_access x ON x.account_id = a.id
           UNION
          SELECT user_id, household_id FROM removed_account_access) AS touched`

/** Users whose firm this import changes. */
const movedUsers = `
  CREATE TEMP TABLE moved_users ON COMMIT DROP AS
  SELECT id FROM staged_users s JOIN users u USING (id) WHERE u.firm_id <> s.firm_id`

/**
 * A user consents to what the user sees in one firm. Without this, connections from before the move would read the
 * households of the new firm. A *Connect* at the same moment waits for the user's row or is waited for (`recordConnection`).
 */
const endGrantsOfMovedUsers = `
  UPDATE grants SET revoked_at = clock_timestamp(), revoked_by = 'operator', revoked_for = 'firm_changed'
   WHERE user_id IN (SELECT id FROM moved_users) AND revoked_at IS NULL`

const accountColumns = importFiles.filter(({ table }) => table === 'accounts').flatMap(tableColumns)
const accountOf = (row: string) => `ROW (${accountColumns.map((column) => `${row}.${column}`).join(', ')})`

/** $1 instant. What was recorded just now says most of it. Users who come and go count: an id may come back as somebody else. */
const firmsChanged = `
  UPDATE firms SET changed_at = $1
   WHERE id IN (SELECT firm_id FROM household_changes WHERE changed_at = $1
                 UNION ALL
                SELECT firm_id FROM users WHERE sees_since = $1
                 UNION ALL
                SELECT s.firm_id FROM staged_users s LEFT JOIN users u USING (id)
                 WHERE ROW (u.firm_id, u.role) IS DISTINCT FROM ROW (s.firm_id, s.role)
                 UNION ALL
                SELECT firm_id FROM removed_users
                 UNION ALL
                SELECT firm_id FROM users WHERE id IN (SELECT user_id FROM touched_access)
                 UNION ALL
                SELECT h.firm_id
                  FROM staged_accounts s JOIN households h ON h.id = s.household_id LEFT JOIN accounts a ON a.id = s.id
                 WHERE ${accountOf('a')} IS DISTINCT FROM ${accountOf('s')}
                 UNION ALL
                SELECT h.firm_id
                  FROM staged_accounts s JOIN accounts a USING (id) JOIN households h ON h.id = a.household_id
                 WHERE a.household_id <> s.household_id
                 UNION ALL
                SELECT h.firm_id FROM removed_accounts a JOIN households h ON h.id = a.household_id)`

/** $1 instant. A household that the user saw by another account all the while is none that changed. */
const accessChanges = `
  INSERT INTO access_changes (user_id, household_id, changed_at)
  SELECT t.user_id, t.household_id, $1::timestamptz
    FROM touched_access t
    JOIN users ON users.id = t.user_id
   WHERE t.seen <> EXISTS (SELECT FROM account_access x
                            WHERE x.user_id = t.user_id AND x.household_id = t.household_id)
      ON CONFLICT (user_id, household_id) DO UPDATE SET changed_at = excluded.changed_at`
