import { Instant, statement } from '../database/database.ts'
import { isLiveGrant } from '../grants/ended.sql.ts'
import { seesAccount, seesHousehold } from '../households/visibility.sql.ts'
import Type, { type Static } from '../typebox.ts'

/** Accounts of a household that are explained at most. */
const mostAccounts = 200

const MaybeText = Type.Union([Type.String(), Type.Null()])
const MaybeInstant = Type.Union([Instant, Type.Null()])

const AccountAccess = Type.Object({
  id: Type.String(),
  status: Type.String(),
  has_access: Type.Boolean(),
  /** Whether the API shows it, if the user is active. */
  shown: Type.Boolean(),
})
export type AccountAccess = Static<typeof AccountAccess>

const AccessFacts = Type.Object({
  /** Null: there is no such user. */
  user_id: MaybeText,
  user_name: MaybeText,
  status: MaybeText,
  disabled_by_operator_at: MaybeInstant,
  role: MaybeText,
  sees: Type.Union([Type.Literal('firm'), Type.Literal('granted'), Type.Null()]),
  firm_id: MaybeText,
  /** Since when role and firm of the user are the same. */
  sees_since: MaybeInstant,
  /** Null: there is no such household. */
  household_id: MaybeText,
  household_name: MaybeText,
  household_firm_id: MaybeText,
  /** By the definition of the API (src/households/visibility.sql.ts), if the user is active. */
  sees_household: Type.Boolean(),
  /** Access rows of the user for accounts of the household, also if they have no effect. */
  access_rows: Type.Integer(),
  /** When the household came to the user's firm, changed, or left it; null: not in the time that the change logs cover. */
  household_changed_at: MaybeInstant,
  /** When access rows began or ceased to show the household to the user; null: not in that time. */
  access_changed_at: MaybeInstant,
  live_grants: Type.Integer(),
  accounts: Type.Array(AccountAccess),
})
export type AccessFacts = Static<typeof AccessFacts>

/** Everything that decides whether a user sees a household. $1 user id or folded email, $2 household id */
export const findAccessFacts = statement(
  'find_access_facts',
  AccessFacts,
  `WITH caller AS (
     SELECT u.id AS user_id, u.name, u.status, u.disabled_by_operator_at, u.role, r.sees, u.firm_id, u.sees_since
       FROM users u JOIN roles r ON r.name = u.role WHERE u.id = $1 OR u.email_folded = $1
   )
   SELECT caller.user_id, caller.name AS user_name, caller.status, caller.disabled_by_operator_at, caller.role, caller.sees,
          caller.firm_id, caller.sees_since, h.id AS household_id, h.name AS household_name, h.firm_id AS household_firm_id,
          coalesce(${seesHousehold}, false) AS sees_household,
          (SELECT count(*)::int FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id) AS access_rows,
          (SELECT changed_at FROM household_changes c WHERE c.firm_id = caller.firm_id AND c.household_id = h.id) AS household_changed_at,
          (SELECT changed_at FROM access_changes c WHERE c.user_id = caller.user_id AND c.household_id = h.id) AS access_changed_at,
          (SELECT count(*)::int FROM grants g WHERE g.user_id = caller.user_id AND ${isLiveGrant('g')}) AS live_grants,
          (SELECT coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'status', a.status, 'has_access', a.has_access, 'shown', a.shown)
                                     ORDER BY a.id), '[]')
             FROM (SELECT a.id, a.status, coalesce(a.status = 'active' AND ${seesAccount}, false) AS shown,
                          EXISTS (SELECT FROM account_access x
                                   WHERE x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id) AS has_access
                     FROM accounts a WHERE a.household_id = h.id ORDER BY a.household_id, a.id LIMIT ${mostAccounts}) AS a) AS accounts
     FROM (SELECT) AS always LEFT JOIN caller ON true LEFT JOIN households h ON h.id = $2`,
)
