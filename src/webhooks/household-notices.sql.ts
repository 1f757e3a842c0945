import { statement } from '../database/database.ts'
import { isLiveGrant } from '../grants/ended.sql.ts'
import { instantText } from '../households/as-of.sql.ts'
import { householdLogs } from '../households/v2/change-logs.sql.ts'
import { householdRemovedReason } from '../households/v2/removed-reasons.sql.ts'
import Type from '../typebox.ts'
import { type EventType, mostRemovedIds } from './event-types.ts'

/** Users of a firm, with or without a grant, whom one run of `tellFirm` reads at most. */
const batchUsers = 1000

/** Grants of which one run looks at the changes, and further ones of the last user. */
const batchGrants = 50

/**
 * Changes of a log that are looked at for one grant. If there are more, the grant gets both events, and learns from the sync
 * what changed: an import may change hundreds of thousands of households.
 */
const checkedChanges = 200

const told: EventType[] = ['household.changed', 'household.removed', 'grant.resync_required']
const tellsHouseholds = (endpoint: string) =>
  `${endpoint}.events && ARRAY[${told.map((type) => `'${type}'`).join(', ')}]`

/**
 * Begins to tell the partners about each firm that has changed. Firms without changes cost only this statement. Without an
 * endpoint that gets these events, nothing begins. No parameters.
 */
export const beginNotices = statement(
  'begin_household_notices',
  Type.Object({ firm_id: Type.String() }),
  `INSERT INTO firm_notices (firm_id, until_at)
   SELECT f.id, f.changed_at
     FROM (SELECT min(e.tells_after) AS earliest FROM webhook_endpoints e WHERE ${tellsHouseholds('e')}) AS endpoints
     JOIN firms f ON f.changed_at > earliest LEFT JOIN firm_notices n ON n.firm_id = f.id
    WHERE n.firm_id IS NULL OR n.until_at IS NULL AND n.told_at < f.changed_at
   ON CONFLICT (firm_id) DO UPDATE SET until_at = excluded.until_at, after_user = ''
     WHERE firm_notices.until_at IS NULL AND firm_notices.told_at < excluded.until_at
   RETURNING firm_id`,
)

/**
 * The first changes of a log for the caller, oldest first. `beyond`: there are more than are looked at. The bounds and the
 * order are those of one index, as in `list-changes.sql.ts`. `~` sorts after every id.
 */
const firstChanges = (log: string, of: 'firm_id' | 'user_id') => `(
          SELECT household_id, row_number() OVER (ORDER BY changed_at, household_id) > ${checkedChanges} AS beyond
            FROM (SELECT * FROM ${log} c
                   WHERE (c.${of}, c.changed_at, c.household_id) > (caller.${of}, caller.since, '~')
                     AND (c.${of}, c.changed_at) <= (caller.${of}, caller.until_at)
                     AND c.${of} >= caller.${of} AND c.${of} <= caller.${of}
                   ORDER BY c.${of}, c.changed_at, c.household_id LIMIT ${checkedChanges + 1}) AS logged) AS c`

const { ofFirm, ofUser, hasAccess, isOfFirm, visible } = householdLogs

/** What changed for the caller, by the rules of the sync (src/households/v2/list-changes.sql.ts). */
const changes = `
        SELECT c.household_id AS id, c.beyond FROM ${firstChanges(ofFirm, 'firm_id')}
         WHERE c.beyond OR caller.sees = 'firm' OR ${hasAccess}
         UNION ALL
        SELECT c.household_id, c.beyond FROM ${firstChanges(ofUser, 'user_id')}
         WHERE caller.sees = 'granted' AND (c.beyond OR ${isOfFirm} OR EXISTS (
           SELECT FROM ${ofFirm} l WHERE l.firm_id = caller.firm_id AND l.household_id = c.household_id OFFSET 0))`

const since = `jsonb_build_object('since', ${instantText('n.since')})`
const syncAddress = `$1::text || 'api/v2/households'`
const changesAddress = `jsonb_build_object('url',
          ${syncAddress} || '?updated_since=' || replace(${instantText('n.since')}, ':', '%3A'))`

/** SQL: the removed households that an event names, each with its reason. `removed` is the array of all their ids. */
const namedRemovals = `(SELECT coalesce(jsonb_agg(
                            jsonb_build_object('id', named.id, 'reason', ${householdRemovedReason('named.id')})
                            ORDER BY named.id), '[]')
                    FROM (SELECT id FROM jsonb_array_elements_text(removed) AS id
                           ORDER BY id LIMIT ${mostRemovedIds}) AS named)`

/** SQL: the events for a row of `told`, which get what `facts_of_grant` says about the grant in addition. */
const eventsOfGrant = `SELECT 'grant.resync_required' AS type,
                ${since} || jsonb_build_object('url', ${syncAddress}) AS facts
          WHERE must_resync
          UNION ALL
         SELECT 'household.removed',
                ${since} || ${changesAddress} || jsonb_build_object(
                  'removed', ${namedRemovals},
                  'has_more', many OR jsonb_array_length(removed) > ${mostRemovedIds})
          WHERE NOT must_resync AND (many OR removed <> '[]')
          UNION ALL
         SELECT 'household.changed', ${since} || ${changesAddress}
          WHERE NOT must_resync AND (many OR changed)`

/**
 * Reads the changes for the next grants of a firm, writes their events and moves the position, all in one statement. A server
 * that is killed therefore loses no event and writes none twice. A firm that another server has locked
 * is skipped.
 *
 * A user whose role has changed sees other households since then. No log has the difference, therefore the partner must read
 * all of them again (docs/adr/0014). The grants that get an event are locked: nothing follows the end of a grant.
 *
 * $1 base address of the API. `firms` is 0 if nothing is left to do.
 */
export const tellFirm = statement(
  'tell_firm',
  Type.Object({ firms: Type.Integer(), grants: Type.Integer(), events: Type.Integer() }),
  `WITH firm AS (
     SELECT * FROM firm_notices WHERE until_at IS NOT NULL ORDER BY until_at LIMIT 1 FOR UPDATE SKIP LOCKED
   ), user_batch AS MATERIALIZED (
     SELECT u.* FROM firm CROSS JOIN LATERAL (
       SELECT * FROM users WHERE (firm_id, id) > (firm.firm_id, firm.after_user) AND firm_id <= firm.firm_id
        ORDER BY firm_id, id LIMIT ${batchUsers}) AS u
   ), batch AS MATERIALIZED (
     SELECT g.id AS grant_id, u.id AS user_id, u.firm_id, r.sees, firm.until_at,
            greatest(firm.told_at, e.tells_after, u.sees_since) AS since,
            u.sees_since > greatest(firm.told_at, e.tells_after, g.created_at) AS must_resync
       FROM firm CROSS JOIN user_batch u JOIN roles r ON r.name = u.role
       JOIN grants g ON g.user_id = u.id
      CROSS JOIN LATERAL (
        SELECT min(e.tells_after) AS tells_after FROM webhook_endpoints e
         WHERE e.client_id = g.client_id AND ${tellsHouseholds('e')}) AS e
      WHERE u.status = 'active' AND ${isLiveGrant('g')} AND e.tells_after IS NOT NULL
      ORDER BY u.id FETCH FIRST ${batchGrants} ROWS WITH TIES
   ), found_changes AS MATERIALIZED (
     SELECT caller.*, found.*
       FROM batch AS caller CROSS JOIN LATERAL (
         SELECT coalesce(bool_or(beyond), false) AS many, coalesce(bool_or(is_visible), false) AS changed,
                coalesce(jsonb_agg(DISTINCT id) FILTER (WHERE NOT is_visible AND NOT beyond), '[]') AS removed
           FROM (SELECT first.*, EXISTS (${visible}) AS is_visible FROM (${changes}) AS first OFFSET 0) AS change
       ) AS found
   ), told AS (
     SELECT n.*, g.client_id, facts_of_grant(g) AS facts
       FROM found_changes n JOIN grants g ON g.id = n.grant_id
      WHERE ${isLiveGrant('g')} AND (must_resync OR many OR changed OR removed <> '[]')
      ORDER BY g.id FOR SHARE OF g
   ), event AS (
     SELECT write_event(n.client_id, e.type, n.grant_id, n.facts || e.facts)
       FROM told n CROSS JOIN LATERAL (
         ${eventsOfGrant}) AS e
   ), moved AS (
     UPDATE firm_notices n SET
       told_at = CASE WHEN is_last THEN n.until_at ELSE n.told_at END,
       until_at = CASE WHEN is_last THEN NULL ELSE n.until_at END,
       after_user = CASE WHEN is_last THEN '' ELSE last_user END
       FROM firm, (
         SELECT grants < ${batchGrants} AND users < ${batchUsers} AS is_last,
                CASE WHEN grants < ${batchGrants} THEN s.last_user ELSE b.last_user END AS last_user
           FROM (SELECT count(*) AS grants, max(user_id) AS last_user FROM batch) AS b,
                (SELECT count(*) AS users, max(id) AS last_user FROM user_batch) AS s) AS progress
      WHERE n.firm_id = firm.firm_id
   )
   SELECT (SELECT count(*)::int FROM firm) AS firms, (SELECT count(*)::int FROM batch) AS grants,
          (SELECT count(*)::int FROM event) AS events`,
)
