import type { Database } from '../database/database.ts'
import { foldedUnlessId } from '../directory/users.ts'
import { daysKept } from '../households/v2/list-changes.sql.ts'
import { quoted } from '../visible-text.ts'
import { type AccessFacts, type AccountAccess, findAccessFacts } from './access.sql.ts'

type AccessKind =
  | 'unknown_user'
  | 'unknown_household'
  /** The role shows all households of the firm. */
  | 'visible_by_role'
  /** Access to an account shows the household. */
  | 'visible_by_access'
  | 'user_disabled'
  | 'other_firm'
  | 'no_access'

/** Whether a user sees a household by the API, and why. The texts are sentences for an operator. */
export type AccessExplanation = {
  kind: AccessKind
  visible: boolean
  reason: string
  since: string
  change: string
  /** Since when, as far as the change logs know. */
  sees_since: Date | null
  household_changed_at: Date | null
  access_changed_at: Date | null
  user_id: string | null
  user_name: string | null
  role: string | null
  firm_id: string | null
  household_id: string | null
  household_name: string | null
  household_firm_id: string | null
  live_grants: number
  accounts: (AccountAccess & { reason: string })[]
}

/** `user` is an id or an email address. @throws {DatabaseUnavailable} */
export async function explainAccess(
  database: Database,
  user: string,
  householdId: string,
): Promise<AccessExplanation> {
  const facts = await database.one(findAccessFacts, [foldedUnlessId(user), householdId])
  const kind = kindOf(facts)
  const visible = kind === 'visible_by_role' || kind === 'visible_by_access'
  return {
    kind,
    visible,
    ...sentences[kind](facts, { user, householdId }),
    since: sinceOf(facts),
    sees_since: facts.sees_since,
    household_changed_at: facts.household_changed_at,
    access_changed_at: facts.access_changed_at,
    user_id: facts.user_id,
    user_name: facts.user_name,
    role: facts.role,
    firm_id: facts.firm_id,
    household_id: facts.household_id,
    household_name: facts.household_name,
    household_firm_id: facts.household_firm_id,
    live_grants: facts.live_grants,
    accounts: facts.accounts.map((account) => ({ ...account, ...explainAccount(account, facts, visible) })),
  }
}

function kindOf(facts: AccessFacts): AccessKind {
  if (facts.user_id === null) return 'unknown_user'
  if (facts.household_id === null) return 'unknown_household'
  if (facts.status !== 'active') return 'user_disabled'
  if (facts.sees_household) return facts.sees === 'firm' ? 'visible_by_role' : 'visible_by_access'
  return facts.household_firm_id === facts.firm_id ? 'no_access' : 'other_firm'
}

type Given = { user: string; householdId: string }
type Sentences = (facts: AccessFacts, given: Given) => { reason: string; change: string }

const sentences: Record<AccessKind, Sentences> = {
  unknown_user: (_, { user }) => ({
    reason: `There is no user ${quoted(user)}.`,
    change: 'Compare the id with the platform, and import the user (users.csv).',
  }),
  unknown_household: (_, { householdId }) => ({
    reason: `There is no household ${quoted(householdId)}.`,
    change: 'Compare the id with the platform, and import the household (households.csv).',
  }),
  visible_by_role: ({ user_id: user, household_id: household, role, firm_id: firm }) => ({
    reason: `${user} sees ${household}: the role ${role} shows all households of the firm ${firm}.`,
    change: `It ends if ${user} is disabled, gets a role that shows only granted households, or if the household moves to another firm.`,
  }),
  visible_by_access: (facts) => ({
    reason: `${facts.user_id} sees ${facts.household_id}: the role ${facts.role} shows granted households, and the user has access to ${accountsOf(facts)} of it.${withoutAccounts(facts)}`,
    change: `It ends if all access rows of ${facts.user_id} for accounts of ${facts.household_id} are removed (account_access.csv), if the user is disabled, or if the household moves to another firm.`,
  }),
  user_disabled: (facts) => ({
    reason: `${facts.user_id} sees nothing: the user is disabled${by(facts)}.${facts.sees_household ? ' An active user would see the household.' : ''}`,
    change: facts.disabled_by_operator_at
      ? `latchkey user enable ${facts.user_id} makes the user active.`
      : `Import the user with the status active (users.csv), or use latchkey user enable ${facts.user_id}.`,
  }),
  other_firm: (facts) => ({
    reason: `${facts.user_id} does not see ${facts.household_id}: the household is of the firm ${facts.household_firm_id}, the user of ${facts.firm_id}.${ignoredAccess(facts)}`,
    change: `No role or access row shows households of another firm. The household or the user must move to the other's firm (households.csv, users.csv).`,
  }),
  no_access: (facts) => ({
    reason: `${facts.user_id} does not see ${facts.household_id}: the role ${facts.role} shows granted households, and the user has access to none of its accounts.`,
    change:
      facts.accounts.length === 0
        ? 'The household has no accounts. Import an account (accounts.csv) and an access row for it (account_access.csv), or give the user a role that shows the whole firm.'
        : 'Import an access row for one of its accounts (account_access.csv), or give the user a role that shows the whole firm (users.csv).',
  }),
}

function accountsOf({ access_rows: rows }: AccessFacts): string {
  return rows === 1 ? '1 account' : `${rows} accounts`
}

/** Access to a closed account shows the household, and no account. */
function withoutAccounts({ accounts }: AccessFacts): string {
  return accounts.some(({ shown }) => shown)
    ? ''
    : ' None of these accounts is active, so the household has no accounts for the user.'
}

function ignoredAccess({ access_rows: rows }: AccessFacts): string {
  return rows === 0
    ? ''
    : ` The user's access rows for ${rows === 1 ? '1 account' : `${rows} accounts`} of it have no effect.`
}

function by({ disabled_by_operator_at: at }: AccessFacts): string {
  return at ? ` by the operator since ${at.toISOString()}` : ' by the import'
}

/** The change logs go back a limited time, and name only the last change. */
function sinceOf(facts: AccessFacts): string {
  const { user_id: user, household_id: household, sees_since: since } = facts
  if (user === null || household === null || since === null) return ''
  const { household_changed_at: changed, access_changed_at: access } = facts
  const none = `not in the last ${daysKept} days`
  return [
    `Role and firm of ${user} are unchanged since ${since.toISOString()}.`,
    `The household came to the user's firm, left it or changed last: ${changed?.toISOString() ?? none}.`,
    ...(facts.sees === 'granted'
      ? [`Access rows showed or hid it last: ${access?.toISOString() ?? none}.`]
      : []),
  ].join(' ')
}

function explainAccount(
  { status, has_access: hasAccess, shown }: AccountAccess,
  { sees }: AccessFacts,
  visible: boolean,
): { shown: boolean; reason: string } {
  if (!visible) return { shown: false, reason: 'The household is not visible.' }
  if (shown) return { shown, reason: sees === 'firm' ? 'Shown by the role.' : 'Shown by an access row.' }
  if (sees === 'granted' && !hasAccess)
    return { shown, reason: 'Not shown: the user has no access row for it.' }
  return { shown, reason: `Not shown: its status is ${status}, and only active accounts are shown.` }
}
