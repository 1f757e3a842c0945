import { statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'
import { countedHouseholds, rangeOfPage } from './listing-ranges.sql.ts'
import { accountsInOrder, householdsInOrder, mapByRole, rowsForRole } from './visibility.sql.ts'

// What an application would see of a user's households, for the user's own pages: by the same rules as the API.

/** `$1` is the id of the user. */
const callerOfUser = `
  caller AS (
    SELECT u.id AS user_id, u.firm_id, r.sees FROM users u JOIN roles r ON r.name = u.role WHERE u.id = $1
  )`

/** Households of which the overview has the names. */
const firstNames = 3

/** More accounts than this are not counted. Counting them would take as long as it takes to read them. */
const countedAccounts = 10_000

const listedHouseholds = (after: string, window: string) =>
  rowsForRole(householdsInOrder('coalesce(h.name, h.id) AS name', { after, window }))

const upToLimit = `LIMIT ${countedAccounts} + 1`
const activeAccounts = rowsForRole(
  mapByRole(
    accountsInOrder({ householdId: "''", id: "''", window: upToLimit, looksUp: upToLimit }),
    (rows) => `SELECT count(*)::int AS counted FROM (${rows}) AS account`,
  ),
)

export const SharedData = Type.Object({
  households: Type.Number(),
  /** The names of the first households, or the ids of those without a name. */
  first_names: Type.Array(Type.String()),
  /** Active accounts. */
  accounts: Type.Number(),
  /** Whether only some accounts were counted, because there are too many. */
  more_accounts: Type.Boolean(),
})
export type SharedData = Static<typeof SharedData>

/**
 * What an application would see now if the user connected it. The work is bounded: a row for each thousand households, and
 * `countedAccounts` accounts. $1 user id
 */
export const findSharedData = statement(
  'find_shared_data',
  SharedData,
  `WITH ${callerOfUser}, accounts AS (${activeAccounts})
   SELECT (SELECT households FROM caller CROSS JOIN LATERAL (${countedHouseholds}) AS listing),
          ARRAY(SELECT name FROM (${listedHouseholds("''", `LIMIT ${firstNames}`)}) AS first ORDER BY scope, id) AS first_names,
          accounts.counted AS accounts,
          accounts.counted > ${countedAccounts} OR caller.sees = 'granted' AND EXISTS (
            SELECT FROM account_access x
             WHERE x.user_id = caller.user_id AND x.firm_id = caller.firm_id OFFSET ${countedAccounts}
          ) AS more_accounts
     FROM caller, accounts`,
)

/**
 * A page of the households that the user sees, in the order of the API. Begins in the range that the counts lead to.
 * $1 user id, $2 page size, $3 households to skip
 */
export const listHouseholdsOfUser = statement(
  'list_households_of_user',
  Type.Object({ households: Type.Number(), names: Type.Array(Type.String()) }),
  `WITH ${callerOfUser}, start AS (
     SELECT range.after_id, $3::bigint - households_before AS skipped
       FROM caller CROSS JOIN LATERAL (${rangeOfPage('$3')}) AS range
   )
   SELECT (SELECT households FROM caller CROSS JOIN LATERAL (${countedHouseholds}) AS listing),
          ARRAY(SELECT name
                  FROM (${listedHouseholds('(SELECT after_id FROM start)', 'LIMIT $2::int OFFSET (SELECT skipped FROM start)')}) AS page
                 ORDER BY scope, id) AS names`,
)
