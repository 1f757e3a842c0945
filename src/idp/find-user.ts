import type { IDToken } from 'openid-client'
import pLimit from 'p-limit'
import { type Origin, originValue } from '../audit/origin.ts'
import { DatabaseUnavailable, type Queries } from '../database/database.ts'
import { foldCase } from '../directory/case-folding.ts'
import { checkEmail, checkId, checkName } from '../directory/values.ts'
import { randomId } from '../secrets/token-format.ts'
import { createLinkedUser, findIdentity, linkIdentity } from './identities.sql.ts'
import type { Provider } from './providers.sql.ts'

/**
 * Users are created one at a time, because an import locks the users until it ends. First logins that wait for it in parallel
 * would hold all database connections. More than this number may not wait.
 */
const maxQueuedCreations = 16
const creations = pLimit(1)

type Claims = Record<string, unknown>

/** An account at a provider, and the key of the source that its callback was counted against (`admitCallback`). */
type Account = { provider: Provider; sourceKey: Buffer; idToken: IDToken }

export type UserOutcome =
  | { kind: 'found'; userId: string; email: string; loginVersion: string; isNew: boolean }
  /** No user belongs to the account. `account` is how the user knows the account: an address, a name, or an id. */
  | { kind: 'unmatched'; account: string }
  /** The provider does not vouch for the address. */
  | { kind: 'unverified'; account: string }
  /** The user is linked to another account at the provider. */
  | { kind: 'taken'; account: string }
  /** The user is disabled, or has moved to a firm whose users do not log in through this provider. */
  | { kind: 'inactive'; account: string }

/**
 * The user of an account at a provider. The link of the first login decides. Only without one, a claim names the user. A found
 * user takes back the count of the callback.
 * @param userinfo reads further claims, if the id_token lacks those that are needed
 * @throws {DatabaseUnavailable} also if too many first logins wait for an import
 */
export async function findUser(
  database: Queries,
  origin: Origin,
  found: Account,
  userinfo: () => Promise<Claims>,
): Promise<UserOutcome> {
  const { provider, sourceKey, idToken } = found
  const linked = await findLinked(database, found)
  if (linked) return linked
  const needed = [provider.claim, ...(provider.creates_users ? ['email', 'name'] : [])]
  const isComplete = needed.every((name) => idToken[name] !== undefined)
  // The claims of the signed id_token take precedence.
  const claims: Claims = isComplete ? idToken : { ...(await userinfo()), ...idToken }
  const account = accountOf(claims)
  const value = claims[provider.claim]
  if (provider.claim === 'email' && value !== undefined && claims.email_verified !== true) {
    return { kind: 'unverified', account }
  }
  const candidate = typeof value === 'string' && value.length <= 320 ? value.trim() : ''
  const link = [
    provider.id,
    idToken.sub,
    provider.matches === 'email' && candidate ? foldCase(candidate) : null,
    provider.matches === 'id' && candidate ? candidate : null,
    sourceKey,
  ]
  const { outcome, user_id, email, login_version } = await database.one(linkIdentity, [
    ...link,
    originValue(origin),
  ])
  if (outcome === 'linked' && user_id !== null && email !== null && login_version !== null) {
    return { kind: 'found', userId: user_id, email, loginVersion: login_version, isNew: false }
  }
  const fresh = provider.creates_users ? newUser(provider, claims, candidate) : undefined
  const created =
    outcome === 'unmatched' && fresh ? await createUser(database, origin, link, fresh) : undefined
  if (created) return created
  // Another login of the same account may have linked it meanwhile.
  return (await findLinked(database, found)) ?? { kind: refusal(outcome), account }
}

type NewUser = { id: string; email: string; name: string }

async function createUser(
  database: Queries,
  origin: Origin,
  link: (string | Buffer | null)[],
  { id, email, name }: NewUser,
): Promise<UserOutcome | undefined> {
  if (creations.pendingCount >= maxQueuedCreations)
    throw new DatabaseUnavailable('too many users are created')
  const created = await creations(() =>
    database.maybe(createLinkedUser, [...link, id, email, foldCase(email), name, originValue(origin)]),
  )
  if (!created) return undefined
  const { user_id: userId, login_version: loginVersion } = created
  return { kind: 'found', userId, email: created.email, loginVersion, isNew: true }
}

function refusal(outcome: 'linked' | 'unmatched' | 'inactive' | 'taken') {
  return outcome === 'linked' ? 'taken' : outcome
}

async function findLinked(
  database: Queries,
  { provider, sourceKey, idToken }: Account,
): Promise<UserOutcome | undefined> {
  const row = await database.maybe(findIdentity, [provider.id, idToken.sub, sourceKey])
  if (!row) return undefined
  if (!row.may_log_in) return { kind: 'inactive', account: accountOf(idToken) }
  const { user_id: userId, email, login_version: loginVersion } = row
  return { kind: 'found', userId, email, loginVersion, isNew: false }
}

/** The user to create if there is none. Undefined if the provider does not vouch for an address, which every user needs. */
function newUser({ id, matches }: Provider, claims: Claims, value: string): NewUser | undefined {
  const { email, email_verified: verified, name } = claims
  if (typeof email !== 'string' || verified !== true || checkEmail(email) !== null) return undefined
  const isName = typeof name === 'string' && name.trim() !== '' && checkName(name) === null
  const hasOwnId = matches === 'id' && value !== '' && checkId(value) === null
  return { id: hasOwnId ? value : `${id}:${randomId()}`, email, name: isName ? name : email }
}

/** How the person knows the account at the provider. */
export function accountOf({ email, preferred_username: username, sub }: Claims): string {
  const shown = [email, username, sub].find((value) => typeof value === 'string' && value !== '')
  return String(shown).slice(0, 320)
}
