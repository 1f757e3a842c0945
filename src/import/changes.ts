import { auditRow } from '../audit/audit-row.sql.ts'
import { type Origin, originValue } from '../audit/origin.ts'
import { Instant } from '../database/database.ts'
import Type, { Compile } from '../typebox.ts'
import { importFiles, tableColumns } from './files.ts'
import type { Note, Staged } from './staged.ts'

/**
 * Records what changed, so that partners can read changes only (migrations 0010 and 0018, docs/adr/0013). All records of an
 * import or of a change by API have the same instant. Most statements compare staged rows with stored rows and therefore run
 * before the merge.
 */

/**
 * Chooses the instant of this import or change. It is later than every instant that a partner may have received (earlier
 * imports and changes, creation of users), even if the clock was set back. It has whole milliseconds, because a JavaScript Date
 * has no more. Call it under the directory's lock, so that instants become visible in their order.
 */
export async function chooseInstant(staged: Staged): Promise<Date> {
  const [row] = await staged.query(
    `SELECT greatest(date_trunc('milliseconds', clock_timestamp()),
                     date_trunc('milliseconds', greatest((SELECT max(changed_at) FROM firms), (SELECT max(sees_since) FROM users)))
                       + interval '1 ms') AS instant`,
  )
  return instantRow.Parse(row).instant
}

const instantRow = Compile(Type.Object({ instant: Instant }))

/** Runs before `recordChanges`. */
export async function noteChanges(staged: Staged): Promise<void> {
  await staged.note(addedAccess)
  await Promise.all([staged.note(touchedAccess), staged.note(movedUsers)])
}

/** Runs before the merge. */
export async function recordChanges(staged: Staged, instant: Date): Promise<void> {
  const changes = [householdChanges, accountChanges, seesSinceOfUsers, seesSinceOfRoles, accountAccessChanges]
  await Promise.all([
    ...changes.map((sql) => staged.run(sql, [instant])),
    staged.query(firmsChanged, [instant]),
  ])
}

/** Runs after the merge and after rows have been removed. */
export async function recordAccessChanges(staged: Staged, origin: Origin, instant: Date): Promise<void> {
  await Promise.all([
    staged.run(accessChanges, [instant]),
    staged.run(endGrantsOfMovedUsers, [originValue(origin)]),
  ])
}

/** $1 instant. Here and below, new firms are left out: no partner can have read their households before. */
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
const seesSinceOfUsers = `
  UPDATE users u SET sees_since = $1 FROM staged_users s WHERE s.id = u.id AND (u.firm_id, u.role) <> (s.firm_id, s.role)`

/** $1 instant. */
const seesSinceOfRoles = `
  UPDATE users SET sees_since = $1
   WHERE role IN (SELECT name FROM staged_roles s JOIN roles r USING (name) WHERE r.sees <> s.sees)`

const accountColumns = importFiles.filter(({ table }) => table === 'accounts').flatMap(tableColumns)
const accountRow = (row: string) => `ROW (${accountColumns.map((column) => `${row}.${column}`).join(', ')})`

/**
 * $1 instant. `old_firm` is the firm in which the account was active, `new_household` where it will be active. An account that
 * did not change itself moves from firm to firm with its household.
 */
const accountChanges = `
  WITH changed AS (
    SELECT s.id, CASE a.status WHEN 'active' THEN a.firm_id END AS old_firm,
           CASE s.status WHEN 'active' THEN s.household_id END AS new_household
      FROM staged_accounts s LEFT JOIN accounts a USING (id)
     WHERE ${accountRow('a')} IS DISTINCT FROM ${accountRow('s')} AND 'active' IN (a.status, s.status)
     UNION ALL
    SELECT id, firm_id, NULL FROM removed_accounts WHERE status = 'active'
  ), placed AS (
    SELECT old_firm AS firm_id, id FROM changed
     UNION
    SELECT coalesce(s.firm_id, h.firm_id), c.id
      FROM changed c LEFT JOIN staged_households s ON s.id = c.new_household LEFT JOIN households h ON h.id = c.new_household
     UNION
    SELECT unnest(ARRAY[h.firm_id, s.firm_id]), a.id
      FROM staged_households s JOIN households h USING (id) JOIN accounts a ON a.household_id = h.id
     WHERE h.firm_id <> s.firm_id AND a.status = 'active' AND NOT EXISTS (SELECT FROM changed c WHERE c.id = a.id)
  )
  INSERT INTO account_changes (firm_id, account_id, changed_at)
  SELECT p.firm_id, p.id, $1::timestamptz FROM placed p JOIN firms ON firms.id = p.firm_id
      ON CONFLICT (firm_id, account_id) DO UPDATE SET changed_at = excluded.changed_at`

/** Access rows that existing users get, with the household that the account will have. */
const addedAccess: Note = {
  name: 'added_access',
  columns: 'user_id text, account_id text, household_id text',
  sql: `
  SELECT s.user_id, s.account_id, coalesce(moved.household_id, a.household_id) AS household_id
    FROM staged_account_access s
    JOIN users ON users.id = s.user_id
    LEFT JOIN staged_accounts moved ON moved.id = s.account_id
    LEFT JOIN accounts a ON a.id = s.account_id
   WHERE NOT EXISTS (SELECT FROM account_access x WHERE x.user_id = s.user_id AND x.household_id = a.household_id AND x.account_id = a.id)`,
}

/**
 * Pairs of an existing user and a household between which access rows are added, removed or moved. `seen`: the user had
 * access to the household before the import.
 */
const touchedAccess: Note = {
  name: 'touched_access',
  columns: 'user_id text, household_id text, seen boolean',
  sql: `
  SELECT user_id, household_id,
         EXISTS (SELECT FROM account_access x
                  WHERE x.user_id = touched.user_id AND x.household_id = touched.household_id) AS seen
    FROM (SELECT user_id, household_id FROM noted_added_access
           UNION
          SELECT x.user_id, unnest(ARRAY[a.household_id, s.household_id])
            FROM staged_accounts s
            JOIN accounts a ON a.id = s.id AND a.household_id <> s.household_id
            JOIN account_access x ON x.household_id = a.household_id AND x.account_id = a.id
           UNION
          SELECT user_id, household_id FROM removed_account_access) AS touched`,
}

/** $1 instant. An access row moves with its account, so a move does not change who has access to the account. */
const accountAccessChanges = `
  INSERT INTO account_access_changes (user_id, account_id, changed_at)
  SELECT user_id, account_id, $1::timestamptz FROM noted_added_access
   UNION ALL
  SELECT user_id, account_id, $1::timestamptz FROM removed_account_access
      ON CONFLICT (user_id, account_id) DO UPDATE SET changed_at = excluded.changed_at`

/** Users whose firm this import changes. */
const movedUsers: Note = {
  name: 'moved_users',
  columns: 'id text, old_firm text, new_firm text',
  sql: 'SELECT id, u.firm_id AS old_firm, s.firm_id AS new_firm FROM staged_users s JOIN users u USING (id) WHERE u.firm_id <> s.firm_id',
}

/**
 * A user consents to share what the user sees in one firm. If the grants did not end, connections from before the move
 * could read the households of the new firm. A *Connect* at the same time and this statement wait for each other, because
 * both lock the user's row (`recordConnection`). $1 origin
 */
const endGrantsOfMovedUsers = `
  WITH ended AS (
    UPDATE grants SET revoked_at = clock_timestamp(), revoked_by = 'operator', revoked_for = 'firm_changed'
     WHERE user_id IN (SELECT id FROM noted_moved_users) AND revoked_at IS NULL
    RETURNING id, user_id, client_id
  ), recorded_ends AS (
    ${auditRow('grant.revoked', {
      origin: '$1',
      from: 'ended e',
      target: { kind: 'grant', id: 'e.id' },
      about: { user: 'e.user_id', client: 'e.client_id' },
      details: { cause: `'firm_changed'` },
    })}
  )
  ${auditRow('user.moved_firm', {
    origin: '$1',
    from: 'noted_moved_users m',
    target: { kind: 'user', id: 'm.id' },
    about: { user: 'm.id', firm: 'm.new_firm' },
    details: {
      before: `jsonb_build_object('firm_id', m.old_firm)`,
      after: `jsonb_build_object('firm_id', m.new_firm)`,
    },
  })}`

/**
 * $1 instant. Uses the changes that were just recorded. Added and removed users count as well, because another user may
 * later get the same id.
 */
const firmsChanged = `
  UPDATE firms SET changed_at = $1
   WHERE id IN (SELECT firm_id FROM household_changes WHERE changed_at = $1
                 UNION ALL
                SELECT firm_id FROM account_changes WHERE changed_at = $1
                 UNION ALL
                SELECT firm_id FROM users WHERE sees_since = $1
                 UNION ALL
                SELECT s.firm_id FROM staged_users s LEFT JOIN users u USING (id)
                 WHERE ROW (u.firm_id, u.role) IS DISTINCT FROM ROW (s.firm_id, s.role)
                 UNION ALL
                SELECT firm_id FROM removed_users
                 UNION ALL
                SELECT firm_id FROM users WHERE id IN (SELECT user_id FROM noted_touched_access))`

/** $1 instant. If the user could see the household before and after through another account, it has not changed. */
const accessChanges = `
  INSERT INTO access_changes (user_id, household_id, changed_at)
  SELECT t.user_id, t.household_id, $1::timestamptz
    FROM noted_touched_access t
    JOIN users ON users.id = t.user_id
   WHERE t.seen <> EXISTS (SELECT FROM account_access x
                            WHERE x.user_id = t.user_id AND x.household_id = t.household_id)
      ON CONFLICT (user_id, household_id) DO UPDATE SET changed_at = excluded.changed_at`
