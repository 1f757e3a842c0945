import { satisfies } from '../acr.ts'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import type { LoginFlow } from '../idp/browser-flow.ts'
import { type ProviderAnswer, type Unanswered, withAnswer } from '../idp/complete-login.ts'
import { accountOf } from '../idp/find-user.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import type { Provider } from '../idp/providers.sql.ts'
import { bindOperatorIdentity, findOperatorIdentity, operatorProviderRules } from './provider-login.sql.ts'
import type { OperatorLogin } from './sessions.ts'

export type OperatorProviderOutcome =
  | { kind: 'welcome'; login: OperatorLogin }
  /** No operator has the address, or the operator has another account at the provider. `account` is how the person knows it. */
  | { kind: 'unmatched' | 'taken' | 'inactive' | 'unverified'; account: string }
  /** The login at the provider is weaker than the deployment requires of operators. */
  | { kind: 'too_weak'; required: string }
  | Unanswered

/**
 * Exchanges the code of a callback, and finds the operator. The first login binds the account (issuer and subject) to the
 * operator with its verified address. From then on only the account counts. No operator is created.
 * @throws {DatabaseUnavailable}
 */
export function completeOperatorLogin(
  context: Context,
  providers: ProviderClients,
  origin: Origin,
  input: { provider: Provider; flow: LoginFlow; state: string; callback: URL },
): Promise<OperatorProviderOutcome> {
  return withAnswer(context, providers, input, (answer) =>
    findOperator(context, origin, input.provider, answer),
  )
}

async function findOperator(
  { database }: Context,
  origin: Origin,
  { id: providerId }: Provider,
  { claims, userinfo, details }: ProviderAnswer,
): Promise<OperatorProviderOutcome> {
  const rules = await database.maybe(operatorProviderRules, [providerId])
  const required = rules?.operators_acr
  if (required && !satisfies(details, required)) return { kind: 'too_weak', required }
  const provider = { id: providerId, sub: claims.sub, sid: details.sid }
  const known = await database.maybe(findOperatorIdentity, [providerId, claims.sub])
  if (known) {
    if (!known.active) return { kind: 'inactive', account: accountOf(claims) }
    return welcome(known, provider)
  }
  // The claims of the signed id_token take precedence.
  const all = claims.email === undefined ? { ...(await userinfo()), ...claims } : claims
  const account = accountOf(all)
  if (typeof all.email !== 'string' || all.email_verified !== true) return { kind: 'unverified', account }
  const values = [providerId, claims.sub, foldCase(all.email.trim()), originValue(origin)]
  const found = rules && (await database.maybe(bindOperatorIdentity, values))
  if (!found) return { kind: 'unmatched', account }
  if (!found.active) return { kind: 'inactive', account }
  return found.bound ? welcome(found, provider) : { kind: 'taken', account }
}

function welcome(
  { id, name, login_version: loginVersion }: { id: string; name: string; login_version: string },
  provider: NonNullable<OperatorLogin['provider']>,
): OperatorProviderOutcome {
  return { kind: 'welcome', login: { id, name, loginVersion, provider } }
}
