import { statement } from '../database/database.ts'
import { seesHousehold } from '../households/visibility.sql.ts'
import { householdsOfGrant, ReadHousehold } from '../read-log/reads.sql.ts'
import Type from '../typebox.ts'

/** For the user: only households that the user still sees have a name. $1 to $4 as in `listHouseholdsOfGrant`, $5 user id */
export const listHouseholdsOfOwnGrant = statement(
  'list_households_of_own_grant',
  ReadHousehold,
  `WITH caller AS (
     SELECT u.id AS user_id, u.firm_id, r.sees FROM users u JOIN roles r ON r.name = u.role WHERE u.id = $5
   ), ${householdsOfGrant(`SELECT coalesce(h.name, '') FROM households h, caller WHERE h.id = page.household_id AND ${seesHousehold}`)}`,
)

/**
 * A grant of the user, live or ended, and how many households it has read. No row: it belongs to another user.
 * $1 grant id, $2 user id, $3 first day
 */
export const findOwnGrant = statement(
  'find_own_grant',
  Type.Object({ partner_name: Type.String(), households: Type.Number() }),
  `SELECT p.name AS partner_name,
          coalesce((SELECT set_size(range_agg(l.households)) FROM read_log l
                     WHERE l.grant_id = g.id AND l.day >= $3::date), 0)::float8 AS households
     FROM grants g JOIN partners p USING (client_id) WHERE g.id = $1::bigint AND g.user_id = $2`,
)
