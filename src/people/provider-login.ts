import { satisfies } from '../acr.ts'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import type { LoginFlow } from '../idp/browser-flow.ts'
import { type ProviderAnswer, type Unanswered, withAnswer } from '../idp/complete-login.ts'
import { accountOf } from '../idp/find-user.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import type { Provider } from '../idp/providers.sql.ts'
import type { PeopleKind } from './kind.ts'
import { providerStatements } from './provider-login.sql.ts'
import type { PersonLogin } from './sessions.ts'

export type PersonProviderOutcome =
  | { kind: 'welcome'; login: PersonLogin }
  /** No account here has the address, or it has another account at the provider. `account` is how the person knows it. */
  | { kind: 'unmatched' | 'taken' | 'inactive' | 'unverified'; account: string }
  /** The login at the provider is weaker than the deployment requires of such people. */
  | { kind: 'too_weak'; required: string }
  | Unanswered

/**
 * Exchanges the code of a callback, and finds the operator or developer. The first login binds the account (issuer and subject)
 * to the person with its verified address. From then on only the account counts. No person is created.
 * @throws {DatabaseUnavailable}
 */
export function completePersonLogin(
  context: Context,
  providers: ProviderClients,
  kind: PeopleKind,
  origin: Origin,
  input: { provider: Provider; flow: LoginFlow; state: string; callback: URL },
): Promise<PersonProviderOutcome> {
  return withAnswer(context, providers, input, (answer) =>
    findPerson(context, kind, { origin, provider: input.provider }, answer),
  )
}

async function findPerson(
  { database }: Context,
  kind: PeopleKind,
  { origin, provider: { id: providerId } }: { origin: Origin; provider: Provider },
  { claims, userinfo, details }: ProviderAnswer,
): Promise<PersonProviderOutcome> {
  const statements = providerStatements[kind]
  const rules = await database.maybe(statements.rules, [providerId])
  // The operator has taken the provider from these people since the login began.
  if (!rules) return { kind: 'declined', error: 'not_a_provider_of_these_people' }
  const { acr: required } = rules
  if (required && !satisfies(details, required)) return { kind: 'too_weak', required }
  const authenticatedAt = details.authTime === null ? null : new Date(details.authTime)
  const provider = { id: providerId, sub: claims.sub, sid: details.sid, authenticatedAt }
  const known = await database.maybe(statements.find, [providerId, claims.sub])
  if (known) {
    if (!known.active) return { kind: 'inactive', account: accountOf(claims) }
    return welcome(known, provider)
  }
  // The claims of the signed id_token take precedence.
  const all = claims.email === undefined ? { ...(await userinfo()), ...claims } : claims
  const account = accountOf(all)
  if (typeof all.email !== 'string' || all.email_verified !== true) return { kind: 'unverified', account }
  const values = [providerId, claims.sub, foldCase(all.email.trim()), originValue(origin)]
  const found = await database.maybe(statements.bind, values)
  if (!found) return { kind: 'unmatched', account }
  if (!found.active) return { kind: 'inactive', account }
  return found.bound ? welcome(found, provider) : { kind: 'taken', account }
}

function welcome(
  { id, name, login_version: loginVersion }: { id: string; name: string; login_version: string },
  provider: NonNullable<PersonLogin['provider']>,
): PersonProviderOutcome {
  return { kind: 'welcome', login: { id, name, loginVersion, provider } }
}
